/** The operator of the gateway. Some of what it does is in the journal: what changes the shops' world. */
import { setTimeout as delay } from "node:timers/promises";
import type { JournalFile } from "../journal-file.ts";
import type { Happening, Wire } from "../journal.ts";
import { call, NoReply, parsed } from "../wire/http.ts";

type Asked = Happening<"operator.asked">;

/** What of a call goes into the journal. */
export type Noted = Pick<Asked, "action" | "target"> & Partial<Pick<Asked, "requestId" | "statusCode">>;

export interface OperatorReply {
  status: number;
  body: Wire;
}

export class Operator {
  readonly #port: number;
  readonly #token: string;
  readonly #journal: JournalFile;
  #calls = 0;

  constructor(port: number, token: string, journal: JournalFile) {
    this.#port = port;
    this.#token = token;
    this.#journal = journal;
  }

  /** One call. Null: no answer came. */
  async call(method: string, path: string, body?: object): Promise<OperatorReply | null> {
    try {
      const { status, text } = await call(this.#port, {
        method,
        path: `/operator${path}`,
        token: this.#token,
        body,
        within: 30_000,
      });
      return { status, body: parsed(text) ?? {} };
    } catch (error) {
      if (error instanceof NoReply) return null;
      throw error;
    }
  }

  /** One call that is in the journal. */
  async act(noted: Noted, method: string, path: string, body?: object): Promise<OperatorReply | null> {
    return this.record(noted, async () => this.call(method, path, body));
  }

  /** Something of several calls that is in the journal as one. */
  async record(noted: Noted, work: () => Promise<OperatorReply | null>): Promise<OperatorReply | null> {
    const id = (this.#calls += 1);
    this.#journal.write({ kind: "operator.asked", call: id, ...noted });
    const reply = await work();
    this.#journal.write({ kind: "operator.answered", call: id, status: reply?.status ?? null });
    return reply;
  }

  /** Repeats something until it is answered with one of these, in good times and bad. Null: given up. */
  async insist(
    statuses: readonly number[],
    attempt: () => Promise<OperatorReply | null>,
    tries = 40,
  ): Promise<OperatorReply | null> {
    for (let left = tries; left > 0;) {
      const reply = await attempt();
      if (reply !== null && statuses.includes(reply.status)) return reply;
      // A start of the gateway takes many calls that nobody answers.
      left -= reply === null ? 0.25 : 1;
      await delay(reply === null ? 1_000 : 500);
    }
    return null;
  }

  /** All rows of a list. Null: a call failed. */
  async list(path: string): Promise<Wire[] | null> {
    const rows: Wire[] = [];
    for (let cursor: string | null = null; ;) {
      const sign = path.includes("?") ? "&" : "?";
      const page = cursor === null ? path : `${path}${sign}cursor=${encodeURIComponent(cursor)}`;
      const reply = await this.insist([200], async () => this.call("GET", page), 20);
      if (reply === null) return null;
      rows.push(...(reply.body["data"] as Wire[]));
      cursor = reply.body["next"] as string | null;
      if (cursor === null) return rows;
    }
  }
}
