/** A POS and its terminal, both in the hands of a test, and the books that tell whether the POS was lied to. */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeAll, expect as assert, onTestFinished } from "vitest";
import type { TransactionPage } from "../../src/protocol/schemas/operator-transactions.ts";
import { accountStub } from "../../src/gateway/account/rpc.ts";
import { terminalStub } from "../../src/gateway/terminal/rpc.ts";
import { Books } from "./books.ts";
import { pass } from "./clock.ts";
import {
  accessToken,
  type Account,
  type Answer,
  type CallOptions,
  createAccount,
  type EnrolledTerminal,
  enrolTerminal,
  operator,
} from "./gateway.ts";
import { type Members, Pos, type TransferAnswer } from "./pos.ts";
import { type HelloOptions, type RequestFrame, ScriptedTerminal } from "./scripted-terminal.ts";
import { eventually } from "./patience.ts";

type JournalRow = TransactionPage["data"][number];

/** A POS that does not wait for an open outcome. */
export const AT_ONCE: CallOptions = { headers: { Prefer: "respond-async" } };

/** A POS whose every answer goes into the books. */
export class ScenePos extends Pos {
  readonly books: Books;

  constructor(account: Account, terminal: EnrolledTerminal, token: string, books: Books) {
    super(account, terminal, token);
    this.books = books;
  }

  override async transfer(body: Members, options: CallOptions = {}): Promise<Answer<TransferAnswer>> {
    const note = this.books.ask();
    const answer = await super.transfer(body, options);
    const { statusCode, transType, originalReferenceId } = answer.body;
    if (answer.status === 200) {
      const own = String(body["referenceId"]);
      const named = (body["transData"] as { referenceId?: string } | undefined)?.referenceId;
      const asks = transType === "inquiry" || transType === "getLast";
      note(asks ? (originalReferenceId ?? named ?? own) : own, statusCode);
    }
    return answer;
  }

  override async cancel(
    referenceId: string,
    members: Members = {},
    options: CallOptions = {},
  ): Promise<Answer<TransferAnswer>> {
    const note = this.books.ask();
    const answer = await super.cancel(referenceId, members, options);
    if (answer.status === 200) note(referenceId, answer.body.statusCode);
    return answer;
  }
}

/**
 * A new terminal, bound to the account. By the call that binding with a key ends in: nearly every test begins with
 * this, and a key, a login and their requests take longer than most payments.
 */
async function enrolAndBind({ posId, merchantId, currency, timezone }: Account): Promise<EnrolledTerminal> {
  const terminal = await enrolTerminal();
  const stub = terminalStub(env, terminal.terminalId);
  const { kind } = await stub.bind({ posId, merchantId, currency, timezone }, "move");
  if (kind !== "bound") throw new Error(`binding ends with ${kind}`);
  return terminal;
}

/** The account that a terminal's object has as its own; null: none. */
export async function boundTo({ terminal }: { terminal: { terminalId: string } }): Promise<string | null> {
  return (await terminalStub(env, terminal.terminalId).status()).posId;
}

/** A sale that its POS waits for. */
export interface Asked {
  body: Members;
  referenceId: string;
  /** Comes when the terminal's result does. */
  answer: Promise<Answer<TransferAnswer>>;
}

/** A sale that its terminal has. */
export interface Sent extends Asked {
  connection: ScriptedTerminal;
  request: RequestFrame;
}

export class Scene {
  readonly books: Books;
  readonly pos: ScenePos;
  readonly terminal: EnrolledTerminal;

  private constructor(books: Books, pos: ScenePos) {
    this.books = books;
    this.pos = pos;
    this.terminal = pos.terminal;
  }

  /** Puts the account at a new terminal. At the test's end the books are checked. */
  static async of(account: Account, token: string): Promise<Scene> {
    const terminal = await enrolAndBind(account);
    const books = new Books();
    onTestFinished(() => books.check(assert));
    return new Scene(books, new ScenePos(account, terminal, token, books));
  }

  /** An account and a terminal that no other test of the file shares, for tests that change the account. */
  static async alone(overrides: Parameters<typeof createAccount>[0] = {}): Promise<Scene> {
    const account = await createAccount(overrides);
    return Scene.of(account, await accessToken(account));
  }

  /** A connection whose hello holds. */
  connect(options: HelloOptions = {}): Promise<ScriptedTerminal> {
    return ScriptedTerminal.connect(this.terminal, options);
  }

  #ask(): Asked {
    const body = this.pos.saleBody();
    return { body, referenceId: String(body["referenceId"]), answer: this.pos.transfer(body) };
  }

  /** A sale that waits: for its terminal to come back, or for another sale to end. */
  async queued(): Promise<Asked> {
    const asked = this.#ask();
    await this.reaches(asked.referenceId, "queued");
    return asked;
  }

  /** A sale that is sent to the terminal on a new connection. */
  async sent(options: HelloOptions = {}): Promise<Sent> {
    const connection = await this.connect(options);
    const asked = this.#ask();
    return { ...asked, connection, request: await connection.nextRequest() };
  }

  /** The same, and the terminal accepts it. */
  async accepted(options: HelloOptions = {}): Promise<Sent> {
    const sent = await this.sent(options);
    sent.connection.accept(sent.request);
    return sent;
  }

  /** The terminal moves the money of a request, and says so. */
  approve(connection: ScriptedTerminal, request: RequestFrame, members: object = {}): void {
    this.books.charge(request);
    connection.result(request, "00", members);
  }

  /** The same, until the gateway has acknowledged it. */
  async settle(connection: ScriptedTerminal, request: RequestFrame, members: object = {}): Promise<void> {
    this.approve(connection, request, members);
    await connection.next("ack");
  }

  get #transactions(): string {
    return `/operator/terminals/${this.terminal.terminalId}/transactions`;
  }

  /** The journal, newest first, as the operator sees it. */
  async journal(): Promise<JournalRow[]> {
    return (await operator<TransactionPage>("GET", this.#transactions)).body.data;
  }

  /** Signed results that belong to no transaction, as the operator sees them. */
  async orphanResults(query = ""): Promise<TransactionPage["orphanResults"]> {
    return (await operator<TransactionPage>("GET", `${this.#transactions}${query}`)).body.orphanResults;
  }

  /** The journal's row of a reference; fails if there is none. */
  async row(referenceId: unknown): Promise<JournalRow> {
    const row = (await this.journal()).find((candidate) => candidate.referenceId === referenceId);
    if (row === undefined) throw new Error(`the journal has nothing under ${String(referenceId)}`);
    return row;
  }

  /** Waits until the journal's row of a reference is in this state. */
  async reaches(referenceId: unknown, state: JournalRow["state"]): Promise<JournalRow> {
    return eventually(async () => {
      const row = await this.row(referenceId);
      if (row.state !== state) throw new Error(`${String(referenceId)} is not ${state}: ${JSON.stringify(row)}`);
      return row;
    });
  }

  pass(milliseconds: number): Promise<void> {
    return pass(this.terminal, milliseconds);
  }

  /** Takes a new access token: the POS's own does not live through long jumps of the clock. */
  async posOfNow(): Promise<ScenePos> {
    return new ScenePos(this.pos.account, this.terminal, await accessToken(this.pos.account), this.books);
  }

  async unbind(): Promise<void> {
    const { status } = await operator("DELETE", `/operator/terminals/${this.terminal.terminalId}/binding`);
    if (status !== 200) throw new Error(`unbinding failed: ${status}`);
  }

  /** Another terminal of the same account, its POS writing into the same books. */
  async nextDoor(): Promise<ScenePos> {
    const terminal = await enrolAndBind(this.pos.account);
    return new ScenePos(this.pos.account, terminal, this.pos.token, this.books);
  }

  /** The object goes to sleep as an idle one does: memory gone, sockets kept. One may have done so by itself. */
  async sleep(): Promise<void> {
    try {
      await evictDurableObject(env.TERMINAL.getByName(this.terminal.terminalId));
    } catch (error) {
      if (!String(error).includes("it is not currently running")) throw error;
    }
  }

  /**
   * Frames of several connections reach the object one right after the other: nothing that an earlier one causes, not
   * even a close, can keep a later one from arriving. Connections by their number, from 1.
   */
  async arriveTogether(frames: readonly [connection: number, frame: object][]): Promise<void> {
    await runInDurableObject(env.TERMINAL.getByName(this.terminal.terminalId), (object, state) => {
      const sockets = state.getWebSockets("terminal");
      for (const [number, frame] of frames) {
        const socket = sockets.find((each) => (each.deserializeAttachment() as { number: number }).number === number);
        if (socket === undefined) throw new Error(`there is no connection ${number}`);
        object.webSocketMessage(socket, JSON.stringify(frame));
      }
    });
  }

  /** Memory and sockets are gone; only what was stored is left. */
  crash(): Promise<void> {
    return abortAllDurableObjects();
  }

  async resolve(requestId: string, statusCode: "00" | "11", reason: string): Promise<Answer<JournalRow>> {
    return operator("POST", `${this.#transactions}/${requestId}/resolve`, { statusCode, reason });
  }
}

/** One account for the tests of a file; a scene of it has its own terminal, POS and books. */
export function useAccount(overrides: Parameters<typeof createAccount>[0] = {}): () => Promise<Scene> {
  let account: Account | null = null;
  let token = "";
  beforeAll(async () => {
    account = await createAccount(overrides);
    token = await accessToken(account);
  });
  return async () => {
    if (account === null) throw new Error("a scene is made within a test");
    // A test that went far ahead has ended the sessions of those before it.
    if (!(await isUsable(token, account))) token = await accessToken(account);
    return Scene.of(account, token);
  };
}

/** Whether a token is accepted, found out without a request: every test asks. */
async function isUsable(token: string, { posId }: Account): Promise<boolean> {
  const { exp = 0, sid } = decodeJwt(token);
  if (Date.now() >= exp * 1_000) return false;
  return (await accountStub(env, posId).standing(String(sid))).kind !== "session-ended";
}

/** Switches an e-wallet channel on or off for every account. */
export async function setChannel(name: string, status: 0 | 1, currency: string[] = ["MYR"]): Promise<void> {
  const body = { status, currency, logoUrl3: "https://logos.test/wallet.png" };
  const { status: answer } = await operator("PUT", `/operator/channels/${encodeURIComponent(name)}`, body);
  if (answer !== 200 && answer !== 201) throw new Error(`channel ${name} could not be set: ${answer}`);
}

export interface Approved {
  body: Members;
  referenceId: string;
  request: RequestFrame;
  answer: Answer<TransferAnswer>;
}

/**
 * Sends `body` (a plain sale unless given), and the terminal accepts, carries out and reports it.
 *
 * @param members of the report
 */
export async function approved(
  here: Scene,
  connection: ScriptedTerminal,
  body: Members = here.pos.saleBody(),
  members: object = {},
): Promise<Approved> {
  const answer = here.pos.transfer(body);
  const request = await connection.acceptNext();
  await here.settle(connection, request, members);
  return { body, referenceId: String(body["referenceId"]), request, answer: await answer };
}

/** Sends `body` (a plain sale unless given), and the terminal reports 22. */
export async function reportedOpen(
  here: Scene,
  connection: ScriptedTerminal,
  body: Members = here.pos.saleBody(),
): Promise<Approved> {
  const answer = here.pos.transfer(body);
  const request = await connection.acceptNext();
  connection.result(request, "22");
  await connection.next("ack");
  return { body, referenceId: String(body["referenceId"]), request, answer: await answer };
}
