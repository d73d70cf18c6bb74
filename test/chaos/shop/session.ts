/** An account of the gateway, and a till's session at it: it logs in, refreshes, and logs in again when the session was ended. */
import { randomUUID } from "node:crypto";
import type { Door } from "../gateway/door.ts";
import type { JournalFile, Needles } from "../journal-file.ts";
import type { Wire } from "../journal.ts";
import { type Call, call, noReply, type Reply } from "../wire/http.ts";
import { isSigned, signed } from "../wire/signature.ts";
import { datetimeOf, DeviceClock } from "./clock.ts";

export interface Account {
  readonly posId: string;
  readonly merchantId: string;
  readonly door: Door;
  /** Newest first. After an answer that was lost, nobody knows which of two is the account's. */
  passwords: string[];
  key: string;
  /** Its terminals, as far as the shop knows. */
  readonly devices: Set<string>;
  /** Hours that its first time zone is ahead of UTC: its first day ends soon. */
  readonly hoursAhead: number;
  /** Whether the operator has moved it to the east, where that day is over. */
  isEast: boolean;
  /** What the shop has been told. */
  state: "active" | "suspended" | "deleted";
}

/** A signed message, as its bytes go over the wire. */
export interface Message {
  path: "/api/transfer" | "/api/transfer/cancel";
  /** Without the signature. */
  request: Wire;
  key: string;
  bytes: string;
}

export interface Answered extends Reply {
  /** Only of an answer that is signed for this request; anything else proves nothing. */
  answer: Wire | null;
}

/** What all who work for an account write to. */
export interface Books {
  readonly journal: JournalFile;
  readonly needles: Needles;
}

export class Session {
  readonly account: Account;
  readonly clock = new DeviceClock();
  readonly books: Books;
  /** A till has no password then: it signs its logins. */
  readonly #signs: boolean;
  #access: string | null = null;
  #refresh: string | null = null;
  #tries = 0;

  constructor(account: Account, books: Books, signs: boolean) {
    this.account = account;
    this.books = books;
    this.#signs = signs;
  }

  async call(asked: Call): Promise<Reply> {
    const token = await this.#token();
    return token === null ? noReply("no token can be had") : this.#with(token, asked);
  }

  async #with(token: string, asked: Call): Promise<Reply> {
    const reply = await call(this.account.door.port, { ...asked, token });
    const isRefused = reply.status === 401 || reply.status === 403;
    if (isRefused && token === this.#access) this.#access = null;
    return reply;
  }

  async signedCall(method: string, path: string, members: Wire): Promise<Reply> {
    const { posId, key } = this.account;
    const own = { posId, datetime: datetimeOf(Date.now()), nonce: randomUUID(), call: `${method} ${path}` };
    return this.call({ method, path, body: signed({ ...members, ...own }, key) });
  }

  /** A transfer or a cancel, which is in the journal. Null: no answer came, or no token can be had. */
  async ask({ path, request, key, bytes }: Message, within: number): Promise<Answered | null> {
    const token = await this.#token();
    if (token === null) return null;
    const { journal } = this.books;
    const id = journal.count("till.asked") + 1;
    journal.write({ kind: "till.asked", call: id, posId: this.account.posId, path, request });
    const reply = await this.#with(token, { method: "POST", path, body: bytes, within });
    const { status, body, why } = reply;
    if (status === null) {
      journal.write({ kind: "till.unanswered", call: id, why });
      return null;
    }
    const isGenuine = isSigned(body, key);
    journal.write({ kind: "till.answered", call: id, status, answer: body, signed: isGenuine });
    const isAbout = ["posId", "deviceId", "referenceId"].every((name) => body[name] === request[name]);
    return { ...reply, answer: isGenuine === true && isAbout ? body : null };
  }

  async #token(): Promise<string | null> {
    if (this.#access !== null) return this.#access;
    const renewal = { method: "POST", path: "/auth/refresh", token: this.#refresh ?? "" };
    const { status, body } = await (this.#refresh === null ? this.#login() : call(this.account.door.port, renewal));
    // A refresh that was refused ends the session; one that was lost is repeated.
    if (status === 401 || status === 403) this.#refresh = null;
    if (status === 200) {
      this.#access = this.#noted("access token", body["access"]);
      this.#refresh = this.#noted("refresh token", body["refresh"]);
    }
    return this.#access;
  }

  async #login(): Promise<Reply> {
    const { posId, passwords, key, door } = this.account;
    const datetime = datetimeOf(this.clock.now());
    const password = passwords[this.#tries++ % passwords.length];
    const body = this.#signs ? signed({ posId, datetime, nonce: randomUUID() }, key) : { posId, password };
    return call(door.port, { method: "POST", path: "/auth/login", body });
  }

  #noted(kind: string, pair: unknown): string {
    const { token } = pair as { token: string };
    this.books.needles.add(kind, token);
    return token;
  }
}
