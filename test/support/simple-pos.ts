/** A POS as somebody might write it without this project's client, and the flaws that it can have. */
import { createHmac } from "node:crypto";
import { sleep } from "../../src/sdk/client/backoff.ts";
import { newReferenceId } from "../../src/sdk/client/pos.ts";
import { textOf } from "../../src/sdk/conformance/message.ts";
import type { Action, Driver, PosAnswer } from "../../src/sdk/conformance/pos/drive.ts";
import type { KitAccount } from "../../src/sdk/conformance/pos/judge.ts";
import type { JsonObject } from "../../src/protocol/signing/json.ts";
import { signedForm } from "../../src/protocol/signing/canonical.ts";
import { sign, verifySignature, withSignature } from "../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";

export type Flaw =
  | "token-in-url"
  | "password-in-url"
  | "login-as-form"
  | "refresh-token-everywhere"
  | "never-refreshes"
  | "refreshes-with-access-token"
  | "never-logs-in-again"
  | "new-reference-after-failure"
  | "gives-up-after-failure"
  | "changes-amount-on-repeat"
  | "believes-any-refusal"
  | "takes-22-for-declined"
  | "new-reference-after-22"
  | "takes-40009-for-unpaid"
  | "one-reference-per-amount"
  | "ignores-retry-after"
  | "hammers"
  | "believes-anybody"
  | "believes-unsigned"
  | "believes-any-reference"
  | "verifies-known-members"
  | "dislikes-repetitions"
  | "voids-under-the-sale"
  | "asks-by-selling"
  | "believes-its-own-cancel"
  | "signs-unsorted"
  | "local-time"
  | "amount-as-number"
  | "sends-twice"
  | "forgets-after-refusal"
  | "believes-any-original"
  | "escapes-html"
  | "knows-sales-only";

const KNOWN = new Set(
  (
    "transType posId deviceId referenceId statusCode responseCode responseText softwareVersion terminalSn transData " +
    "originalTransType originalReferenceId apiVersion signature"
  ).split(" "),
);

const TRIES = 7;

/** How a POS asks for the outcome after a 22: it sends the same message again, or an inquiry about the number in the 22. */
type Asking = "again" | "by-number";

interface Exchange {
  status: number;
  headers: Headers;
  body: JsonObject;
}

/**
 * A POS as somebody might write it without this project's client, and with the flaws that people write: each of them
 * is one that the conformance kit must find.
 */
export class SimplePos implements Driver {
  readonly #account: KitAccount;
  readonly #flaw: Flaw | null;
  readonly #asking: Asking;
  #tokens: { access: string; refresh: string } | null = null;
  #url = "";
  /** The gateway may have processed an earlier message about the transaction. */
  #mayBePaid = false;
  readonly #references = new Map<string, string>();
  #lastReference = "";

  constructor(account: KitAccount, flaw: Flaw | null, asking: Asking = "again") {
    this.#account = account;
    this.#flaw = flaw;
    this.#asking = asking;
  }

  async drive(action: Action, { url }: { url: string }): Promise<PosAnswer> {
    this.#url = url;
    switch (action.kind) {
      case "sale":
        return this.#execute(this.#sale(action.about, action.note));
      case "void": {
        if (this.#flaw === "knows-sales-only") return "unsupported";
        const referenceId = this.#flaw === "voids-under-the-sale" ? this.#lastReference : newReferenceId();
        return this.#execute(this.#message("void", referenceId, { transId: action.about }));
      }
      case "inquiry": {
        if (this.#flaw === "knows-sales-only") return "unsupported";
        if (this.#flaw === "asks-by-selling") return this.#execute(this.#sale("1.00"));
        return this.#execute(this.#message("inquiry", newReferenceId(), { transId: action.about }));
      }
      case "cancel": {
        if (this.#flaw === "knows-sales-only") return "unsupported";
        const { posId, deviceId } = this.#account;
        const answer = await this.#send("/api/transfer/cancel", { posId, deviceId, referenceId: action.about });
        return this.#flaw === "believes-its-own-cancel" ? "not-approved" : shownOf(answer?.body ?? {});
      }
      default:
        return action.kind satisfies never;
    }
  }

  #sale(amount: string, note?: string): JsonObject {
    const referenceId =
      this.#flaw === "one-reference-per-amount" ? (this.#references.get(amount) ?? newReferenceId()) : newReferenceId();
    this.#references.set(amount, referenceId);
    this.#lastReference = referenceId;
    const transAmt = this.#flaw === "amount-as-number" ? Math.round(Number(amount) * 100) : amount;
    const more: JsonObject = note === undefined ? {} : { note };
    return this.#message("sale", referenceId, { transAmt, paymentMethod: "bankCard", ...more });
  }

  #message(transType: string, referenceId: string, transData: JsonObject): JsonObject {
    const { posId, merchantId, deviceId } = this.#account;
    return { transType, posId, merchantId, deviceId, referenceId, transData, apiVersion: "v1" };
  }

  async #execute(message: JsonObject): Promise<PosAnswer> {
    this.#mayBePaid = false;
    if (this.#flaw === "sends-twice") await this.#send("/api/transfer", message);
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await this.#send("/api/transfer", message);
      const shown = await this.#judge(answer, message);
      if (shown !== null) return shown;
      await sleep(20);
    }
    return "failed-unknown";
  }

  /** What the POS shows, or null when it continues. */
  async #judge(answer: Exchange | null, message: JsonObject): Promise<PosAnswer | null> {
    if (answer === null || answer.status >= 500) return this.#failed(message);
    if (this.#flaw !== "believes-any-refusal" && isForeign(answer)) return this.#failed(message);
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get("Retry-After"));
      if (this.#flaw !== "ignores-retry-after") await sleep(seconds * 1_000);
      return null;
    }
    if (answer.body["code"] === 40009) {
      if (this.#flaw === "takes-40009-for-unpaid") return "failed";
      Object.assign(message, this.#message("inquiry", textOf(message, "referenceId"), {}));
      return null;
    }
    if (answer.status !== 200) {
      if (this.#flaw === "hammers") return null;
      return this.#mayBePaid && this.#flaw !== "forgets-after-refusal" ? "failed-unknown" : "failed";
    }
    this.#mayBePaid = true;
    if (this.#flaw === "dislikes-repetitions" && answer.headers.has("Idempotent-Replayed")) return "failed";
    if (!this.#believes(answer.body, message)) return null;
    if (answer.body["statusCode"] !== "22") return shownOf(answer.body);
    if (this.#flaw === "takes-22-for-declined") return "not-approved";
    if (this.#flaw === "new-reference-after-22") message["referenceId"] = newReferenceId();
    if (this.#asking === "by-number" && message["transType"] === "sale") {
      const { transId = "" } = { ...(answer.body["transData"] as JsonObject | undefined) };
      Object.assign(message, this.#message("inquiry", newReferenceId(), { transId }));
    }
    return null;
  }

  #failed(message: JsonObject): PosAnswer | null {
    this.#mayBePaid = true;
    if (this.#flaw === "gives-up-after-failure") return "failed";
    if (this.#flaw === "new-reference-after-failure") message["referenceId"] = newReferenceId();
    if (this.#flaw === "changes-amount-on-repeat")
      message["transData"] = { transAmt: "2.00", paymentMethod: "bankCard" };
    return null;
  }

  #believes(answer: JsonObject, message: JsonObject): boolean {
    if (this.#flaw === "believes-anybody") return true;
    if (this.#flaw === "believes-unsigned" && !("signature" in answer)) return true;
    const verified =
      this.#flaw === "verifies-known-members"
        ? Object.fromEntries(Object.entries(answer).filter(([name]) => KNOWN.has(name)))
        : answer;
    const { signingKey } = this.#account;
    const isSigned =
      this.#flaw === "escapes-html"
        ? answer["signature"] === signedAsByGo(answer, signingKey)
        : verifySignature(verified, signingKey);
    if (!isSigned) return false;
    if (this.#flaw === "believes-any-reference") return true;
    if (answer["referenceId"] !== message["referenceId"]) return false;
    if (this.#flaw === "believes-any-original" || message["transType"] !== "inquiry") return true;
    const { transId } = { ...(message["transData"] as JsonObject) };
    const named = { ...(answer["transData"] as JsonObject | undefined) };
    return transId === undefined
      ? answer["originalReferenceId"] === message["referenceId"]
      : named["transId"] === transId;
  }

  async #send(path: string, message: JsonObject): Promise<Exchange | null> {
    const at = Date.now() + (this.#flaw === "local-time" ? 8 * 3_600_000 : 0);
    const body = { ...message, datetime: formatDatetime(at) };
    const signed =
      this.#flaw === "signs-unsorted"
        ? { ...body, signature: sign({ text: JSON.stringify(body) }, this.#account.signingKey) }
        : this.#flaw === "escapes-html"
          ? { ...body, signature: signedAsByGo(body, this.#account.signingKey) }
          : withSignature(body, this.#account.signingKey);
    for (let tries = 0; tries < 2; tries++) {
      if (this.#tokens === null && !(await this.#login())) return null;
      const answer = await this.#post(path, signed);
      if (answer?.status !== 401) return answer;
      if (this.#flaw === "never-refreshes") return answer;
      if (!(await this.#refresh())) this.#tokens = null;
    }
    return null;
  }

  async #login(): Promise<boolean> {
    const { posId, password } = this.#account;
    const query = this.#flaw === "password-in-url" ? `?password=${encodeURIComponent(password)}` : "";
    const answer = await this.#exchange(`/auth/login${query}`, {
      headers: { "Content-Type": this.#flaw === "login-as-form" ? "text/plain" : "application/json" },
      body: JSON.stringify({ posId, password }),
    });
    return this.#keep(answer);
  }

  async #refresh(): Promise<boolean> {
    const { access = "", refresh = "" } = this.#tokens ?? {};
    const token = this.#flaw === "refreshes-with-access-token" ? access : refresh;
    const answer = await this.#exchange("/auth/refresh", { headers: { Authorization: `Bearer ${token}` } });
    if (answer?.status === 401 && this.#flaw === "never-logs-in-again") return true;
    return this.#keep(answer);
  }

  #keep(answer: Exchange | null): boolean {
    if (answer?.status !== 200) return false;
    // The assertion: the kit's own form
    const pair = answer.body as { access: { token: string }; refresh: { token: string } };
    this.#tokens = { access: pair.access.token, refresh: pair.refresh.token };
    return true;
  }

  async #post(path: string, body: JsonObject): Promise<Exchange | null> {
    const { access = "", refresh = "" } = this.#tokens ?? {};
    const token = this.#flaw === "refresh-token-everywhere" ? refresh : access;
    return this.#exchange(this.#flaw === "token-in-url" ? `${path}?token=${token}` : path, {
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  }

  async #exchange(path: string, init: { headers: Record<string, string>; body?: string }): Promise<Exchange | null> {
    try {
      const response = await fetch(this.#url + path, { method: "POST", redirect: "manual", ...init });
      const text = await response.text();
      const body: JsonObject = text.startsWith("{") ? JSON.parse(text) : {};
      return { status: response.status, headers: response.headers, body };
    } catch {
      return null;
    }
  }
}

/** Over JSON as Go writes it by default. */
function signedAsByGo(message: JsonObject, key: string): string {
  const form = signedForm(message).replaceAll(/[<>&\u2028]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return createHmac("sha256", key).update(form).digest("hex");
}

/** Not an answer of the gateway, but of somebody on the way. */
function isForeign({ status, body: { code, traceId } }: Exchange): boolean {
  return status !== 200 && !(Math.floor(Number(code) / 100) === status && typeof traceId === "string");
}

function shownOf({ statusCode }: JsonObject): PosAnswer {
  if (statusCode === "00") return "approved";
  return statusCode === "11" ? "not-approved" : "unknown";
}
