import { platformFetch } from "../../client/deadline.ts";
import { PosClient, PosError, newReferenceId, type TransferAnswer } from "../../client/pos.ts";
import type { Random } from "../../simulator/random.ts";
import type { Shop } from "../fleet/shop.ts";
import type { Book, Entry } from "./book.ts";
import { ANSWERS_LOST, VOIDED, drawAmount } from "./customers.ts";

/** The share of completed sales whose request is sent again, to compare the answers. */
const REPEATED = 0.02;

/** Sends the request of an entry. Can be called again. */
type Send = () => Promise<TransferAnswer>;
type Kind = Pick<Entry, "transType" | "voids" | "referenceId">;

export interface TillOptions {
  baseUrl: string;
  shop: Shop;
  book: Book;
  random: Random;
  /** Makes it give up waiting. */
  signal: AbortSignal;
}

/** The tills of one shop, with one session. They record their answers in a book. */
export class Till {
  readonly pos: PosClient;
  readonly #options: TillOptions;
  /** How to ask again about an entry without an outcome. */
  readonly #open = new Map<Entry, Send>();

  constructor(options: TillOptions) {
    const { posId, merchantId, signingKey } = options.shop;
    const { baseUrl } = options;
    this.#options = options;
    this.pos = new PosClient({ baseUrl, posId, merchantId, signingKey, fetch: (request) => this.#fetch(request) });
  }

  /**
   * A customer at a terminal: one sale, and sometimes its void. Resolves when the till knows the outcome or gives up.
   */
  async serve(deviceId: string): Promise<void> {
    const request = { deviceId, referenceId: newReferenceId(), transAmt: drawAmount(this.#options.random) };
    const send: Send = () => this.pos.sale({ ...request, paymentMethod: "bankCard" }, { signal: this.#options.signal });
    const { referenceId } = request;
    const answer = await this.#record(deviceId, { transType: "sale", voids: null, referenceId }, send);
    if (answer === null || answer.statusCode === "22") return;
    if (this.#options.random.chance(REPEATED)) await this.#compare(answer, send);
    const transId = answer.transData?.transId;
    if (answer.statusCode !== "00" || transId === undefined || !this.#options.random.chance(VOIDED)) return;
    const undo = { deviceId, referenceId: newReferenceId(), transId };
    const sendUndo: Send = () => this.pos.void(undo, { signal: this.#options.signal });
    await this.#record(deviceId, { transType: "void", voids: referenceId, referenceId: undo.referenceId }, sendUndo);
  }

  /** Asks again about every open entry. */
  async clearUp(): Promise<void> {
    for (const [entry, send] of this.#open) {
      const answer = await send().catch(ignored);
      if (answer === null) continue;
      Object.assign(entry, { statusCode: answer.statusCode, responseCode: answer.responseCode });
      if (answer.statusCode !== "22") this.#open.delete(entry);
    }
  }

  async #record(deviceId: string, kind: Kind, send: Send): Promise<TransferAnswer | null> {
    const begun = performance.now();
    let answer: TransferAnswer | null = null;
    try {
      answer = await send();
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      if (!error.outcomeUnknown) {
        this.#options.book.refuse(error.kind);
        return null;
      }
    }
    const entry: Entry = {
      posId: this.#options.shop.posId,
      deviceId,
      ...kind,
      statusCode: answer?.statusCode ?? null,
      responseCode: answer?.responseCode ?? "",
      transId: answer?.transData?.transId ?? null,
      took: performance.now() - begun,
    };
    this.#options.book.add(entry);
    if (answer === null || answer.statusCode === "22") this.#open.set(entry, send);
    return answer;
  }

  async #compare(first: TransferAnswer, send: Send): Promise<void> {
    const second = await send().catch(ignored);
    if (second === null) return;
    this.#options.book.counts.repeated++;
    if (JSON.stringify(second) !== JSON.stringify(first)) {
      this.#options.book.changed.push(
        `${first.referenceId} was ${first.statusCode} ${first.responseCode}, and then ` +
          `${second.statusCode} ${second.responseCode}.`,
      );
    }
  }

  /** Loses some answers to transfers after the gateway has given them. */
  async #fetch(request: Request): Promise<Response> {
    const response = await platformFetch(request);
    if (response.status === 429) this.#options.book.counts.limited++;
    if (new URL(request.url).pathname !== "/api/transfer" || !this.#options.random.chance(ANSWERS_LOST))
      return response;
    this.#options.book.counts.lost++;
    await response.body?.cancel();
    throw new TypeError("simulated loss of the answer");
  }
}

/** A failed call is repeated later, or its outcome is reported as unknown. */
function ignored(error: unknown): null {
  if (error instanceof PosError) return null;
  throw error;
}
