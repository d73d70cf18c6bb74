/** The operator of the gateway. Some of what it does is in the journal: what changes the shops' world. */
import { setTimeout as delay } from "node:timers/promises";
import type { JournalFile } from "../journal-file.ts";
import type { Happening, Wire } from "../journal.ts";
import { call, type Reply } from "../wire/http.ts";

type Asked = Happening<"operator.asked">;

/** What of a call goes into the journal. */
export type Noted = Pick<Asked, "action" | "target"> & Partial<Pick<Asked, "requestId" | "statusCode">>;

export class Operator {
  readonly #port: number;
  readonly #token: string;
  readonly #journal: JournalFile;

  constructor(port: number, token: string, journal: JournalFile) {
    this.#port = port;
    this.#token = token;
    this.#journal = journal;
  }

  async call(method: string, path: string, body?: object): Promise<Reply> {
    const asked = { method, path: `/operator${path}`, token: this.#token, body, within: 30_000 };
    return call(this.#port, asked);
  }

  async act(noted: Noted, method: string, path: string, body?: object): Promise<Reply> {
    return this.record(noted, async () => this.call(method, path, body));
  }

  /** Something of several calls that is in the journal as one. */
  async record(noted: Noted, work: () => Promise<Reply>): Promise<Reply> {
    const id = this.#journal.count("operator.asked") + 1;
    this.#journal.write({ kind: "operator.asked", call: id, ...noted });
    const reply = await work();
    this.#journal.write({ kind: "operator.answered", call: id, status: reply.status });
    return reply;
  }

  /** Repeats something until it is answered with one of these, in good times and bad. Null: given up. */
  async insist(statuses: readonly number[], attempt: () => Promise<Reply>, tries = 40): Promise<Reply | null> {
    for (let left = tries; left > 0;) {
      const reply = await attempt();
      if (statuses.includes(reply.status ?? 0)) return reply;
      // A start of the gateway takes many calls that nobody answers.
      left -= reply.status === null ? 0.25 : 1;
      await delay(reply.status === null ? 1_000 : 500);
    }
    return null;
  }

  /** All rows of a list. Null: a call failed. */
  async list(path: string): Promise<Wire[] | null> {
    const rows: Wire[] = [];
    for (let cursor: string | null = null; ;) {
      const page = cursor === null ? path : `${path}?cursor=${encodeURIComponent(cursor)}`;
      const reply = await this.insist([200], async () => this.call("GET", page), 20);
      if (reply === null) return null;
      rows.push(...(reply.body["data"] as Wire[]));
      cursor = reply.body["next"] as string | null;
      if (cursor === null) return rows;
    }
  }
}
