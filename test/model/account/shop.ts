/** An account as its operator and its tills know it, regardless of whether their calls succeeded. */
import { env } from "cloudflare:workers";
import type { Admission, AdmissionQuestion } from "../../../src/account/calls.ts";
import { accountStub, type AccountStub } from "../../../src/account/stub.ts";
import { signedForm } from "../../../src/signing/canonical.ts";
import { sign } from "../../../src/signing/signature.ts";
import { KID, newAccount } from "../../account/books.ts";

export class Shop {
  readonly posId: string;
  signingKey: string;
  previousKey: string | null = null;
  status: "active" | "suspended" | "deleted" = "active";
  passwordVersion = 1;
  /** Sessions: whether each was ended, and when its tokens end by themselves. */
  readonly sessions = new Map<string, { isEnded: boolean; until: number }>();
  /** The operator's changes that came through, oldest first. */
  readonly actions: string[] = ["account.create"];
  #salt = 0;

  constructor(posId: string) {
    this.posId = posId;
    this.signingKey = `key of ${posId}`;
  }

  get object(): AccountStub {
    return accountStub(env, this.posId);
  }

  async open(): Promise<void> {
    await this.object.create(newAccount(this.posId, this.signingKey), "tester");
    await this.login();
  }

  async login(): Promise<void> {
    const opened = await this.object.openSession(this.passwordVersion, KID);
    if (opened.kind === "opened") {
      this.sessions.set(opened.sessionId, { isEnded: false, until: opened.pair.refreshExpiresAt });
    }
  }

  endSessions(): void {
    for (const session of this.sessions.values()) session.isEnded = true;
  }

  question(sessionId: string, deviceId: string, referenceId: string, ask: AdmissionQuestion["ask"]): AdmissionQuestion {
    const body = { posId: this.posId, referenceId, salt: String(this.#salt++) };
    const signature = sign(body, this.signingKey);
    const { posId } = this;
    return { sessionId, posId, deviceId, ask, referenceId, claims: true, signedForm: signedForm(body), signature };
  }
}

/** A message that was admitted and has not reached its terminal yet. */
export interface Errand {
  shop: Shop;
  deviceId: string;
  reference: string;
  admission: Extract<Admission, { kind: "admitted" }>;
}
