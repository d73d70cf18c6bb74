/** A till's session: it logs in, refreshes, and logs in again when the session was ended. */
import { randomUUID } from "node:crypto";
import type { Needles } from "../needles.ts";
import { call, NoReply, parsed, type Reply } from "../wire/http.ts";
import { signed } from "../wire/signature.ts";
import type { Account } from "./account.ts";
import { datetimeOf, type DeviceClock } from "./clock.ts";

export class Session {
  readonly #account: Account;
  readonly #clock: DeviceClock;
  readonly #needles: Needles;
  /** A till has no password then: it signs its logins. */
  readonly #signs: boolean;
  #access: string | null = null;
  #refresh: string | null = null;
  #tries = 0;

  constructor({ account, clock, needles, signs }: SessionDetails) {
    this.#account = account;
    this.#clock = clock;
    this.#needles = needles;
    this.#signs = signs;
  }

  /** An access token; null: none can be had now. */
  async token(): Promise<string | null> {
    if (this.#access !== null) return this.#access;
    try {
      if (this.#refresh !== null) {
        const token = this.#refresh;
        this.#take(await call(this.#account.door.port, { method: "POST", path: "/auth/refresh", token }));
        // A refresh that was refused ends the session; one that was lost is repeated.
      } else this.#take(await this.#login());
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
    }
    return this.#access;
  }

  /** The gateway refused this token. */
  refused(token: string): void {
    if (token === this.#access) this.#access = null;
  }

  async #login(): Promise<Reply> {
    const { posId, passwords, key, door } = this.#account;
    const datetime = datetimeOf(this.#clock.now());
    const password = passwords[this.#tries++ % passwords.length];
    const body = this.#signs ? signed({ posId, datetime, nonce: randomUUID() }, key) : { posId, password };
    return call(door.port, { method: "POST", path: "/auth/login", body });
  }

  #take({ status, text }: Reply): void {
    if (status === 401 || status === 403) this.#refresh = null;
    if (status !== 200) return;
    this.#access = this.#noted("access token", text, "access");
    this.#refresh = this.#noted("refresh token", text, "refresh");
  }

  #noted(kind: string, text: string, name: "access" | "refresh"): string {
    const pair = parsed(text)?.[name] as { token: string };
    this.#needles.add(kind, pair.token);
    return pair.token;
  }
}

export interface SessionDetails {
  account: Account;
  clock: DeviceClock;
  needles: Needles;
  signs: boolean;
}
