import type { ServerResponse } from "node:http";
import { ACCESS_TOKEN_LIFE, BIND_KEY_LIFE } from "../../../protocol/limits/keys.ts";
import type { Problem } from "../../../protocol/problem.ts";
import { NO_TRANSACTION, UNKNOWN_REFERENCE, UNKNOWN_TRANS_ID, usedLongAgo } from "../../../protocol/refusals.ts";
import { isQuestion, isTransferType } from "../../../protocol/transfer-types.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { verifySignature, withSignature } from "../../../protocol/signing/signature.ts";
import { DAY } from "../../../protocol/time/units.ts";
import { isoWithOffset } from "../../../protocol/time/zone.ts";
import { answerError, answerJson, Listener, Log, type Address, type Received } from "../listen.ts";
import { dataOf, textOf } from "../message.ts";
import {
  loginProblems,
  type CallHeard,
  type LoginHeard,
  type MessageHeard,
  type RefreshHeard,
  type TokenKind,
} from "./judge.ts";
import { answerTo, forgedAnswer, KitLedger, type KitAccount, type KitTransaction } from "./ledger.ts";

class KitTokens {
  readonly #kinds = new Map<string, Exclude<TokenKind, "none">>();
  #endsInUse: "access" | "session" | null = null;
  /** Accepts replaced or expired tokens again, so that a till that cannot renew them can continue. */
  takesEarlier = false;

  issue(): object {
    this.revoke();
    const tokenOf = (kind: "access" | "refresh", life: number): object => {
      const token = crypto.randomUUID();
      this.#kinds.set(token, kind);
      return { token, expiresAt: isoWithOffset(Date.now() + life, "Asia/Kuala_Lumpur") };
    };
    return { access: tokenOf("access", ACCESS_TOKEN_LIFE), refresh: tokenOf("refresh", 2 * ACCESS_TOKEN_LIFE) };
  }

  /**
   * Ends the access token or the session at the next transfer, earlier than announced: this also affects a till that
   * logs in for each sale.
   */
  endInUse(what: "access" | "session"): void {
    this.#endsInUse = what;
  }

  used(): void {
    if (this.#endsInUse !== null) this.revoke(this.#endsInUse);
    this.#endsInUse = null;
  }

  revoke(what: "access" | "session" = "session"): void {
    for (const [token, kind] of this.#kinds) if (what === "session" || kind === what) this.#kinds.set(token, "stale");
  }

  kindOf(token: string | null): TokenKind {
    const kind = token === null ? "none" : (this.#kinds.get(token) ?? "stale");
    return kind === "stale" && this.takesEarlier && this.#kinds.has(token ?? "") ? "access" : kind;
  }

  standsIn(text: string): boolean {
    return [...this.#kinds.keys()].some((token) => text.includes(token));
  }
}

/**
 * Records everything it receives, and also accepts faulty messages: a POS that breaks one duty must get far enough to
 * be tested for the others.
 */
export class PosCounterpart extends Listener {
  readonly calls = new Log<CallHeard>();
  readonly messages = new Log<MessageHeard>();
  readonly logins = new Log<LoginHeard>();
  readonly refreshes = new Log<RefreshHeard>();
  readonly ledger = new KitLedger();
  readonly tokens = new KitTokens();
  /** The number of the tester's current action. */
  drive = 0;
  readonly account: KitAccount;
  readonly #usedLogins = new Set<string>();

  constructor(address: Address, account: KitAccount) {
    super(address);
    this.account = account;
  }

  protected override receive(received: Received): void {
    const { request, response, method, path, bearer } = received;
    const at = performance.now();
    const isTransfer = path === "/api/transfer" || path === "/api/transfer/cancel";
    if (isTransfer) this.tokens.used();
    const token = this.tokens.kindOf(bearer);
    const url = decoded(request.url ?? "");
    const secretInUrl = this.tokens.standsIn(url) || url.includes(this.account.password);
    response.on("close", () =>
      this.calls.put({ at, method, path, secretInUrl, token, status: response.headersSent ? response.statusCode : 0 }),
    );
    if (path === "/auth/login") this.#login(received);
    else if (path === "/auth/refresh") this.#refresh(token, received);
    // Accepts the refresh token as an access token: another step tests which of them the till sends.
    else if (token !== "access" && token !== "refresh") {
      answerError(response, 401, "The access token is missing, invalid or expired.");
    } else if (isTransfer) this.#transfer(received);
    else this.#other(received);
  }

  #login({ request, body, response }: Received): void {
    const problems = loginProblems(body, this.account, this.#usedLogins, Date.now());
    const isJson = /^application\/json\b/iu.test(request.headers["content-type"] ?? "");
    if (problems.length === 0) answerJson(response, 200, this.tokens.issue());
    else answerError(response, 401, "posId, password or signature is wrong.");
    this.logins.put({ at: performance.now(), problems, isJson });
  }

  #refresh(kind: CallHeard["token"], { response }: Received): void {
    if (kind === "refresh") answerJson(response, 200, this.tokens.issue());
    else answerError(response, 401, "The refresh token is missing, invalid or expired.");
    this.refreshes.put({ at: performance.now(), token: kind });
  }

  #transfer({ path, body, response }: Received): void {
    if (body === null) {
      answerError(response, 400, "Send a JSON object.", { details: [{ path: "", message: "Send a JSON object." }] });
      return;
    }
    const signatureHolds = verifySignature(body, this.account.signingKey);
    const [at, receivedAt] = [performance.now(), Date.now()];
    this.messages.put({ at, receivedAt, path, body, signatureHolds, drive: this.drive });
    const transType = textOf(body, "transType");
    const isCancel = path !== "/api/transfer";
    const asks = isCancel || (isTransferType(transType) && isQuestion(transType));
    const transaction = this.#subjectOf(body, isCancel, asks);
    if (transaction === null) {
      const problem = missingFor(body);
      answerError(response, 400, problem.message, { code: 40004, details: [problem] });
      return;
    }
    this.#answer(body, transaction, asks, response);
  }

  #subjectOf(body: JsonObject, isCancel: boolean, asks: boolean): KitTransaction | null {
    if (isCancel) return this.ledger.cancel(textOf(body, "referenceId"));
    return asks ? this.ledger.asked(body) : this.ledger.take(body);
  }

  /** @param asks whether the message is a question or a cancel */
  #answer(body: JsonObject, transaction: KitTransaction, asks: boolean, response: ServerResponse): void {
    const { signingKey } = this.account;
    const next = this.ledger.next(transaction, asks);
    switch (next.kind) {
      case "completed": {
        const { completed, unknownMember } = next.script;
        const answer = answerTo(body, transaction, completed);
        const more: JsonObject = unknownMember === true ? { loyaltyPoints: { earned: 3, name: "Käfer" } } : {};
        const isTransaction = textOf(body, "referenceId") === transaction.referenceId;
        const headers: Record<string, string> = next.replayed && isTransaction ? { "Idempotent-Replayed": "true" } : {};
        answerJson(response, 200, withSignature({ ...answer, ...more }, signingKey), headers);
        return;
      }
      case "pending": {
        const said = { statusCode: "22", responseCode: next.responseCode } as const;
        answerJson(response, 200, withSignature(answerTo(body, transaction, said), signingKey));
        return;
      }
      case "status":
        answerError(response, next.status, MESSAGES[next.status] ?? "The service failed.", {
          retryAfterSeconds: next.retryAfterSeconds,
          ...(next.status === 400 ? { details: [{ path: "transData.note", message: "Send a shorter text." }] } : {}),
        });
        return;
      case "used": {
        const now = Date.now();
        const details = [usedLongAgo(now - 3 * DAY, false)];
        answerError(response, 400, REFUSED, { code: 40009, details });
        return;
      }
      case "foreign": {
        const location: Record<string, string> = next.location === undefined ? {} : { Location: next.location };
        response.writeHead(next.status, { "Content-Type": next.type, ...location });
        response.end(next.body);
        return;
      }
      case "drop":
        response.socket?.destroy();
        return;
      case "silence":
        return;
      case "forged":
        answerJson(response, 200, forgedAnswer(next.how, body, transaction, signingKey));
        return;
      default:
        return next satisfies never;
    }
  }

  #other({ method, path, query, response }: Received): void {
    const { deviceId } = this.account;
    const expiresAt = isoWithOffset(Date.now() + BIND_KEY_LIFE, "Asia/Kuala_Lumpur");
    const known: Record<string, object> = {
      "GET /api/terminals": { data: [{ terminalId: deviceId, connected: true, isVT: 1 }] },
      [`GET /api/terminals/${deviceId}`]: { terminalId: deviceId, connected: true, isVT: 1 },
      "GET /api/ewallet-channels": { data: [] },
      "GET /api/prebind-terminals": { data: [] },
      "POST /api/prebind-terminals": { code: 20_000, message: "Done." },
      "GET /api/bind-terminal-key": { key: "TESTKEYS", expiresAt },
      "POST /auth/logout": { code: 20_000, message: "Done." },
    };
    const answer = query.includes("option=image") ? undefined : known[`${method} ${path}`];
    if (path === "/auth/logout") this.tokens.revoke();
    if (answer === undefined) answerError(response, 404, "The kit does not serve this path.");
    else answerJson(response, 200, answer);
  }
}

function missingFor(question: JsonObject): Problem {
  if (textOf(question, "transType") === "getLast") return NO_TRANSACTION;
  return textOf(dataOf(question), "transId") === "" ? UNKNOWN_REFERENCE : UNKNOWN_TRANS_ID;
}

const REFUSED = "The request is invalid. Fix every field listed in details.";

const MESSAGES: Record<number, string> = {
  400: REFUSED,
  403: "The account is suspended.",
  429: "Too many requests.",
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
