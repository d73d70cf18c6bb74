import { ACCESS_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { isoWithOffset } from "../../time/zone.ts";

/** The tokens of the POS's session with the kit. */
export class KitTokens {
  #access: string | null = null;
  #refresh: string | null = null;
  readonly #earlier = new Set<string>();
  #endsInUse: "access" | "session" | null = null;
  /** Whether replaced or expired tokens are accepted again, so that a till that cannot renew them can go on. */
  takesEarlier = false;

  /** Issues a new pair in place of the last one. */
  issue(): object {
    if (this.#access !== null) this.#earlier.add(this.#access);
    if (this.#refresh !== null) this.#earlier.add(this.#refresh);
    this.#access = crypto.randomUUID();
    this.#refresh = crypto.randomUUID();
    return {
      access: { token: this.#access, expiresAt: after(ACCESS_TOKEN_LIFE) },
      refresh: { token: this.#refresh, expiresAt: after(2 * ACCESS_TOKEN_LIFE) },
    };
  }

  /**
   * Ends the access token or the session at the next transfer, earlier than announced. At the transfer, so that it also
   * affects a till that logs in for each sale.
   */
  endInUse(what: "access" | "session"): void {
    this.#endsInUse = what;
  }

  /** Tells that a transfer has arrived. */
  used(): void {
    if (this.#endsInUse === "access") this.#expireAccess();
    if (this.#endsInUse === "session") this.revoke();
    this.#endsInUse = null;
  }

  #expireAccess(): void {
    if (this.#access !== null) this.#earlier.add(this.#access);
    this.#access = null;
  }

  /** Ends the session: the POS must log in. */
  revoke(): void {
    this.#expireAccess();
    if (this.#refresh !== null) this.#earlier.add(this.#refresh);
    this.#refresh = null;
  }

  kindOf(token: string | null): "access" | "refresh" | "stale" | "none" {
    if (token === null) return "none";
    if (token === this.#access) return "access";
    if (token === this.#refresh) return "refresh";
    return this.takesEarlier && this.#earlier.has(token) ? "access" : "stale";
  }

  /** Whether this text contains a token that the kit issued. */
  standsIn(text: string): boolean {
    const all = [this.#access, this.#refresh, ...this.#earlier];
    return all.some((token) => token !== null && text.includes(token));
  }
}

function after(life: number): string {
  return isoWithOffset(Date.now() + life, "Asia/Kuala_Lumpur");
}
