/** An account as its operator and its POS programs know it, regardless of whether their calls succeeded. */
import { env } from "cloudflare:workers";
import {
  accountStub,
  type AccountChanges,
  type AccountStub,
  type Admission,
} from "../../../src/gateway/account/rpc.ts";
import { DAY } from "../../../src/protocol/time/units.ts";
import { KID, newAccount, PASSWORD, sealedKey } from "../../support/gateway/account/books.ts";
import { Violation } from "../oracle.ts";

/** Keys that may be valid beside the current one. */
const PREVIOUS_KEYS = 10;

interface Session {
  isEnded: boolean;
  until: number;
}

interface ValidKey {
  key: string;
  until: number;
}

export class Shop {
  readonly posId: string;
  /** Signing keys, the current one first, and until when each is valid. */
  keys: [ValidKey, ...ValidKey[]];
  status: "active" | "suspended" | "deleted" = "active";
  #settings: AccountChanges = { status: "active", currency: "MYR", timezone: "Asia/Kuala_Lumpur", name: null };
  password = PASSWORD;
  readonly sessions = new Map<string, Session>();
  /** The operator's changes that came through, oldest first. */
  readonly actions: string[] = ["account.create"];

  constructor(posId: string) {
    this.posId = posId;
    this.keys = [{ key: `key of ${posId}`, until: Infinity }];
  }

  get object(): AccountStub {
    return accountStub(env, this.posId);
  }

  async open(): Promise<void> {
    await this.object.create(newAccount(this.posId, this.keys[0].key), "tester");
    await this.login();
  }

  /** The audit log has a change that changes something. */
  async change(values: AccountChanges): Promise<void> {
    await this.object.change(values, "tester");
    const before = JSON.stringify(this.#settings);
    this.#settings = { ...this.#settings, ...values };
    if (JSON.stringify(this.#settings) !== before) this.actions.push("account.change");
  }

  async login(): Promise<void> {
    const opened = await this.object.openSession(this.password, KID);
    if (opened.kind === "opened") {
      this.sessions.set(opened.sessionId, { isEnded: false, until: opened.pair.refreshExpiresAt });
    }
  }

  /** A session that is valid, if the account is active. */
  async session(): Promise<[id: string, Session]> {
    const isValid = ([, { isEnded, until }]: [string, Session]): boolean => !isEnded && Date.now() < until;
    if (![...this.sessions].some(isValid)) await this.login();
    const [newest] = [...this.sessions].toReversed();
    if (newest === undefined) throw new Error("an account begins with a session");
    return [...this.sessions].find(isValid) ?? newest;
  }

  endSessions(): void {
    for (const session of this.sessions.values()) session.isEnded = true;
  }

  /** Whether the operator has to be given another key. `revokes`: the keys before it end at once. */
  async rotate(revokes: boolean): Promise<boolean> {
    const key = crypto.randomUUID();
    const [now, valid] = [Date.now(), this.validKeys];
    const { kind } = await this.object.rotateKey(sealedKey(this.posId, key), revokes, "tester");
    const isPossible = revokes || valid.length <= PREVIOUS_KEYS;
    if ((kind === "rotated") !== isPossible) throw new Violation("keys", `${valid.length} keys are valid: ${kind}`);
    if (!isPossible) return false;
    const before = valid.map((one) => ({ ...one, until: Math.min(one.until, now + DAY) }));
    this.keys = [{ key, until: Infinity }, ...(revokes ? [] : before)];
    return true;
  }

  get validKeys(): ValidKey[] {
    return this.keys.filter(({ until }) => Date.now() < until);
  }
}

/** A message that was admitted and has not reached its terminal yet. */
export interface Errand {
  shop: Shop;
  deviceId: string;
  reference: string;
  admission: Extract<Admission, { kind: "admitted" }>;
}
