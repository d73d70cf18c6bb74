/** The account's sessions: opened by a login, continued by a refresh, ended by a logout. Called in a turn. */
import type { MasterKeys } from "../keys/master-keys.ts";
import { newPair } from "../keys/token-pair.ts";
import type { Credentials, OpenOutcome, RefreshOutcome, SignedLogin, SignedOpenOutcome } from "../rpc/account.ts";
import type { Standing } from "../rpc/standing.ts";
import { active, judgeRefresh, standingOf } from "./sessions.ts";
import { verifyingKey } from "./signing-keys.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { Sessions } from "./storage/sessions.ts";

/** Times are epoch milliseconds. `kid` names the key that signs the tokens. */
export class AccountSessions {
  readonly #records: AccountRecordStore;
  readonly #sessions: Sessions;

  constructor({ records, sessions }: { records: AccountRecordStore; sessions: Sessions }) {
    this.#records = records;
    this.#sessions = sessions;
  }

  credentials(): Credentials {
    const { record } = this.#records;
    if (record === null) return { kind: "unknown" };
    const { passwordHash, passwordVersion } = record;
    return { kind: "known", passwordHash, passwordVersion };
  }

  /** @param passwordVersion of the password that was verified */
  open(passwordVersion: number, kid: string, now: number): OpenOutcome {
    const account = active(this.#records.record);
    if (!account.ok) return account.error;
    return account.value.passwordVersion === passwordVersion ? this.#open(account.value, kid, now) : { kind: "stale" };
  }

  openSigned(
    keys: MasterKeys,
    { signedForm, signature, until }: SignedLogin,
    kid: string,
    now: number,
  ): SignedOpenOutcome {
    const { record } = this.#records;
    if (record === null) return { kind: "unknown" };
    const key = verifyingKey(keys, record, signedForm, signature, now);
    if (!key.ok) return { kind: key.error === "unreadable" ? "unreadable-key" : "wrong-signature" };
    const account = active(record);
    if (!account.ok) return account.error;
    // Upper and lower case hexadecimal are the same signature, so they count as the same login.
    if (!this.#sessions.useLogin(signature.toLowerCase(), until, now)) return { kind: "used" };
    return this.#open(record, kid, now);
  }

  #open({ timezone }: AccountRecord, kid: string, now: number): Extract<OpenOutcome, { kind: "opened" }> {
    const sessionId = crypto.randomUUID();
    const pair = newPair(kid, timezone, now);
    this.#sessions.forgetEnded(now);
    this.#sessions.save({ sessionId, pair, previousRefreshId: null, rotatedAt: null });
    return { kind: "opened", sessionId, pair };
  }

  standing(sessionId: string): Standing {
    return standingOf(this.#records.record, this.#sessions, sessionId);
  }

  refresh(sessionId: string, refreshId: string, kid: string, now: number): RefreshOutcome {
    const account = active(this.#records.record);
    if (!account.ok) return account.error;
    const session = this.#sessions.find(sessionId);
    if (session === null) return { kind: "session-ended" };
    const verdict = judgeRefresh(session, refreshId, now);
    switch (verdict) {
      case "repeat":
        return { kind: "refreshed", pair: session.pair };
      case "end":
        this.#sessions.end(sessionId);
        return { kind: "used" };
      case "rotate": {
        const pair = newPair(kid, account.value.timezone, now);
        this.#sessions.save({ sessionId, pair, previousRefreshId: refreshId, rotatedAt: now });
        return { kind: "refreshed", pair };
      }
      default:
        return verdict satisfies never;
    }
  }

  end(sessionId: string): Standing {
    const standing = this.standing(sessionId);
    if (standing.kind === "good") this.#sessions.end(sessionId);
    return standing;
  }
}
