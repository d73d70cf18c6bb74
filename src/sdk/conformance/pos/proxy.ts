import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { verifySignature } from "../../../protocol/signing/signature.ts";
import { answerError, Listener, Log, type ListenAddress, type Received } from "../listen.ts";
import { dataOf, readText, textOf } from "../message.ts";
import type { HttpAnswer, PosFault, Given, Script } from "./faults.ts";
import { refusalIn, type RecordedCall, type KitAccount, type RecordedMessage } from "./judge.ts";
import { PassedTokens } from "./tokens.ts";

/** Stands between the POS and a gateway: passes everything on, records it, and makes the faults of the scripts. */
export class FaultProxy extends Listener {
  readonly calls = new Log<RecordedCall>();
  readonly messages = new Log<RecordedMessage>();
  readonly tokens = new PassedTokens();
  readonly account: KitAccount;
  /** The number of the tester's current action. */
  drive = 0;
  readonly #gateway: string;
  #next: Script | null = null;
  /** By referenceId, with how many messages about it have come. */
  readonly #scripts = new Map<string, { script: Script; come: number; isOver: boolean }>();
  /** The references by transId. */
  readonly #sales = new Map<string, string>();

  constructor(address: ListenAddress, gateway: string, account: KitAccount) {
    super(address);
    this.#gateway = gateway;
    this.account = account;
  }

  /** Applies the script to the next new transaction, and ends the faults of the earlier ones. */
  follow(script: Script): void {
    this.endFaults();
    this.#next = script;
  }

  endFaults(): void {
    this.#next = null;
    for (const one of this.#scripts.values()) one.isOver = true;
  }

  scriptFor(referenceId: string): Script | undefined {
    return this.#scripts.get(referenceId)?.script;
  }

  protected override async receive(received: Received): Promise<void> {
    const { request, response, method, path, body, bearer } = received;
    const isTransfer = path === "/api/transfer" || path === "/api/transfer/cancel";
    if (isTransfer) this.tokens.used(bearer);
    const url = decoded(request.url ?? "");
    const call: RecordedCall = {
      at: performance.now(),
      method,
      path,
      isJson: /^application\/json\b/iu.test(request.headers["content-type"] ?? ""),
      secretInUrl: this.tokens.standsIn(url) || url.includes(this.account.password),
      token: this.tokens.classify(bearer),
      status: null,
      refusal: null,
    };
    this.calls.put(call);
    if (this.tokens.isEnded(bearer)) answerError(response, 401, "The token is missing, invalid or expired.");
    else if (isTransfer && body !== null) await this.#transfer(call, received, body);
    else send(response, await this.#forward(call, received));
  }

  async #transfer(call: RecordedCall, received: Received, body: JsonObject): Promise<void> {
    const signatureHolds = verifySignature(body, this.account.signingKey);
    const more = { receivedAt: Date.now(), body, signatureHolds, drive: this.drive, statusCode: "" };
    const message: RecordedMessage = Object.assign(call, more);
    this.messages.put(message);
    const fault = this.#faultFor(message);
    const real = fault?.forwards === false ? UNREACHABLE : await this.#forward(call, received);
    const answer = readText(String(real.body));
    message.statusCode = textOf(answer, "statusCode");
    const transId = textOf(dataOf(answer), "transId");
    // A void has the number of its sale.
    if (transId !== "" && !this.#sales.has(transId)) this.#sales.set(transId, textOf(body, "referenceId"));
    send(received.response, fault === null ? real : fault.answer(real, this.account));
  }

  #faultFor({ path, body }: RecordedMessage): PosFault | null {
    const data = dataOf(body);
    const [own, isVoid] = [textOf(body, "referenceId"), textOf(body, "transType") === "void"];
    const sale = isVoid ? undefined : this.#sales.get(textOf(data, "transId"));
    const about = textOf(data, "referenceId") || (sale ?? own);
    const isQuestion = path !== "/api/transfer" || /^(?:inquiry|getLast)$/u.test(textOf(body, "transType"));
    if (this.#next !== null && !isQuestion && !this.#scripts.has(own)) {
      this.#scripts.set(own, { script: this.#next, come: 0, isOver: false });
      this.#next = null;
    }
    const found = this.#scripts.get(about);
    if (found === undefined || found.isOver) return null;
    const { faults, repeatsLast } = found.script;
    const fault = faults[repeatsLast === true ? Math.min(found.come, faults.length - 1) : found.come];
    found.come += 1;
    return (isQuestion ? fault?.toQuestions : undefined) ?? fault ?? null;
  }

  /** Passes it on. Everything but a stream is read whole, so that it can be changed. */
  async #forward(call: RecordedCall, { request, response, method, path, query, text }: Received): Promise<HttpAnswer> {
    // A transfer is answered without stages: an answer can be changed, a stream cannot.
    const names = path.startsWith("/api/transfer") ? FORWARDED : [...FORWARDED, "accept"];
    const headers = names.flatMap((name): [string, string][] => {
      const value = request.headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    });
    const url = this.#gateway + path + (query === "" ? "" : `?${query}`);
    const sent = text === "" ? {} : { body: text };
    const answer = await fetch(url, { method, headers, redirect: "manual", ...sent }).catch(() => null);
    if (answer === null) return UNREACHABLE;
    const { status, ok } = answer;
    const back = Object.fromEntries([...answer.headers].filter(([name]) => !OF_ONE_CONNECTION.test(name)));
    call.status = status;
    const type = back["content-type"] ?? "";
    if (type.startsWith("text/event-stream") && answer.body !== null) {
      response.writeHead(status, back);
      await answer.body.pipeTo(Writable.toWeb(response)).catch(() => undefined);
      return UNREACHABLE;
    }
    const body = Buffer.from(await answer.arrayBuffer());
    const said = readText(body.toString());
    if (ok && said !== null && path.startsWith("/auth/")) this.tokens.note(said);
    call.refusal = ok ? null : refusalIn(status, said);
    return { status, headers: back, body };
  }
}

const FORWARDED = ["authorization", "content-type", "prefer"];

/** What describes one connection, or a form that `fetch` has read already. */
const OF_ONE_CONNECTION = /^(?:connection|content-encoding|content-length|keep-alive|transfer-encoding)$/u;

/** As a proxy answers that does not reach the gateway. */
const UNREACHABLE: HttpAnswer = { status: 502, headers: { "Content-Type": "text/plain" }, body: "Bad Gateway" };

function send(response: ServerResponse, given: Given): void {
  if (given === "drop") response.socket?.destroy();
  else if (given !== "silence" && !response.headersSent)
    response.writeHead(given.status, given.headers).end(given.body);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
