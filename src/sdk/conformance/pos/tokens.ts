import { isJsonObject, type JsonObject } from "../../../protocol/signing/json.ts";
import { textOf } from "../message.ts";

/** A `stale` token was replaced. The POS has an `unknown` one from an earlier run, or from elsewhere. */
export type TokenKind = "access" | "refresh" | "stale" | "unknown" | "none";

/** The tokens that the gateway has issued to the POS, as they passed the proxy. */
export class PassedTokens {
  readonly #kinds = new Map<string, "access" | "refresh" | "stale">();
  readonly #ended = new Set<string>();
  /** With every token that has not passed since. */
  #isSessionEnded = false;
  #endsInUse: "access" | "session" | null = null;

  /** @param pair the gateway's answer to a login or a refresh */
  note(pair: JsonObject): void {
    for (const token of this.#kinds.keys()) this.#kinds.set(token, "stale");
    for (const kind of ["access", "refresh"] as const) {
      const issued = pair[kind];
      const token = isJsonObject(issued) ? textOf(issued, "token") : "";
      if (token !== "") this.#kinds.set(token, kind);
    }
  }

  classify(token: string | null): TokenKind {
    return token === null ? "none" : (this.#kinds.get(token) ?? "unknown");
  }

  /**
   * Ends the access token, or the whole session, at the next transfer: earlier than announced, which also affects a POS
   * that logs in for each sale.
   */
  endInUse(what: "access" | "session"): void {
    this.#endsInUse = what;
  }

  /** A transfer arrives with this token. */
  used(token: string | null): void {
    const what = this.#endsInUse;
    this.#endsInUse = null;
    if (what === null) return;
    for (const [one, kind] of this.#kinds) if (what === "session" || kind === what) this.#ended.add(one);
    if (token !== null) this.#ended.add(token);
    if (what === "session") this.#isSessionEnded = true;
  }

  /** Lets a POS that cannot renew its tokens continue with them. */
  acceptAgain(): void {
    this.#ended.clear();
    this.#isSessionEnded = false;
    this.#endsInUse = null;
  }

  isEnded(token: string | null): boolean {
    if (token === null) return false;
    return this.#ended.has(token) || (this.#isSessionEnded && !this.#kinds.has(token));
  }

  standsIn(text: string): boolean {
    return [...this.#kinds.keys()].some((token) => text.includes(token));
  }
}
