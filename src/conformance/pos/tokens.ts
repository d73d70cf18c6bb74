import { ACCESS_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { isoWithOffset } from "../../time/zone.ts";

/** The tokens of the one session that a POS has with the kit. */
export class KitTokens {
  #access: string | null = null;
  #refresh: string | null = null;
  readonly #earlier = new Set<string>();
  #endsInUse: "access" | "session" | null = null;
  /** Whether tokens that were replaced or have expired are taken again, from a till that knows no other way. */
  takesEarlier = false;

  /** A new pair, in the place of the one before. */
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
   * The next transfer finds its access token expired, or its session over, earlier than the POS was told. Not before: a
   * till that logs in anew for each sale shall meet it, too.
   */
  endInUse(what: "access" | "session"): void {
    this.#endsInUse = what;
  }

  /** A transfer has arrived. */
  used(): void {
    if (this.#endsInUse === "access") this.#expireAccess();
    if (this.#endsInUse === "session") this.revoke();
    this.#endsInUse = null;
  }

  #expireAccess(): void {
    if (this.#access !== null) this.#earlier.add(this.#access);
    this.#access = null;
  }

  /** The session is over: only a login helps. */
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

  /** Whether a token that was given out stands in this text. */
  standsIn(text: string): boolean {
    const all = [this.#access, this.#refresh, ...this.#earlier];
    return all.some((token) => token !== null && text.includes(token));
  }
}

function after(life: number): string {
  return isoWithOffset(Date.now() + life, "Asia/Kuala_Lumpur");
}
