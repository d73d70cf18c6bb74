import { formatDatetime } from "../../../protocol/time/datetime.ts";
import { sleep } from "../backoff.ts";
import { gatewayAddress, checkOptions } from "../check-options.ts";
import { platformFetch } from "../deadline.ts";
import { signMessage } from "../signature.ts";
import type { PosError } from "./error.ts";
import { EVENTS_OPTIONS, followEvents, type EventsOptions } from "./follow.ts";
import {
  exchange,
  lostAnswer,
  parseMembers,
  withQuery,
  type HttpCall,
  type HttpOutcome,
  POS_HTTP_WITHIN,
} from "./http.ts";
import {
  CALL_OPTIONS,
  type CallOptions,
  type PosClientOptions,
  type Setup,
  type TransactionFilters,
  type TransferOptions,
} from "./options.ts";
import { repeat, type RepeatOptions, type Try } from "./repeat.ts";
import { PosSession, type TokenOutcome, POS_CALL_WITHIN } from "./session.ts";
import { readAnswer, type AskedTransfer, type TransferAnswer } from "./transfer.ts";
import type { AccountEvent, AccountTransaction } from "../../../protocol/events.ts";
import type { StageMessage } from "../../../protocol/stages.ts";
import { MINUTE, type Milliseconds } from "../../../protocol/time/units.ts";

/** By default, all attempts of a transfer together take at most two lives of a request. */
export const POS_TRANSFER_WITHIN = 3 * MINUTE;

type TransferPath = "/api/transfer" | "/api/transfer/cancel";

type Answer = HttpOutcome & { kind: "answer" };

export class PosCalls {
  readonly #setup: Setup;
  readonly #session: PosSession;

  constructor(options: PosClientOptions) {
    const { baseUrl, fetch = platformFetch, now = Date.now, random = Math.random } = options;
    this.#setup = { ...options, address: gatewayAddress(baseUrl), fetch, now, random };
    this.#session = new PosSession(this.#setup);
  }

  async login(options: CallOptions): Promise<void> {
    await this.#withToken(options, () => this.#session.login());
  }

  async refresh(options: CallOptions): Promise<void> {
    await this.#withToken(options, () => this.#session.renew());
  }

  /** Succeeds even if the session has ended already. */
  async logout(options: CallOptions): Promise<void> {
    checkOptions("PosClient", options, CALL_OPTIONS);
    const token = await this.#session.leave();
    if (token === null) return;
    await this.#repeat(options, POS_CALL_WITHIN, async (left): Promise<Try<void>> => {
      const isAnswer = hasMembers(isDone);
      const call: HttpCall = { method: "POST", path: "/auth/logout", token, isAnswer, ...timeLimit(left, options) };
      const outcome = await exchange(this.#setup, call);
      if (outcome.kind === "answer" || isProblem(outcome, "unauthorized")) return { kind: "done", value: undefined };
      return notTaken(outcome);
    });
  }

  /** For calls that are safe to repeat: all except transfers. */
  async call(call: HttpCall, options: CallOptions): Promise<Answer> {
    return this.#repeat(options, POS_CALL_WITHIN, async (left): Promise<Try<Answer>> => {
      const outcome = await this.#authorised({ ...call, ...timeLimit(left, options) });
      return outcome.kind === "answer" ? { kind: "done", value: outcome } : notTaken(outcome);
    });
  }

  events(options: EventsOptions): AsyncIterableIterator<AccountEvent> {
    checkOptions("events", options, EVENTS_OPTIONS);
    return followEvents({ ...this.#setup, exchange: (call) => this.#authorised(call) }, options);
  }

  /**
   * Each attempt has its own nonce and signature.
   *
   * @param lost after a lost answer: `again` if the call may be made twice, `gone` if a 404 to a retry means that it
   *   succeeded, `stop` if it must not be made twice
   */
  async signedCall(
    { method, path, isAnswer = isDone }: SignedCall,
    members: object,
    options: CallOptions,
    lost: "again" | "gone" | "stop",
  ): Promise<Record<string, unknown>> {
    const { posId, signingKey } = this.#setup;
    let maybeDone = false;
    const attempt = async (left: number): Promise<Try<Record<string, unknown>>> => {
      const head = {
        posId,
        datetime: formatDatetime(this.#setup.now()),
        nonce: crypto.randomUUID(),
        call: `${method} ${path}`,
      };
      const body = await signMessage({ ...head, ...members }, signingKey);
      const call = { method, path, body, isAnswer: hasMembers(isAnswer), ...timeLimit(left, options) };
      const outcome = await this.#authorised(call);
      if (outcome.kind === "answer") return { kind: "done", value: parseMembers(outcome.body) ?? {} };
      if (lost === "gone" && maybeDone && isGone(outcome)) return { kind: "done", value: {} };
      maybeDone ||= outcome.kind === "unavailable" && outcome.taken;
      if (lost === "stop" && maybeDone) return { kind: "failed", problem: outcome.problem, taken: false };
      return notTaken(outcome);
    };
    return this.#repeat(options, POS_CALL_WITHIN, attempt);
  }

  /** @param isAnswer whether the members of an answer are the gateway's */
  async json(path: string, options: CallOptions, isAnswer: Check): Promise<Record<string, unknown>> {
    const { body } = await this.call({ method: "GET", path, isAnswer: hasMembers(isAnswer) }, options);
    return parseMembers(body) ?? {};
  }

  /** Reads the transactions, newest first, and a page when it is needed. */
  async *transactions(filters: TransactionFilters, options: CallOptions): AsyncGenerator<AccountTransaction, void> {
    for (let cursor: string | undefined; ;) {
      const path = withQuery("/api/transactions", { ...filters, cursor });
      const { data, next } = await this.json(path, options, isPage);
      yield* data as AccountTransaction[];
      if (typeof next !== "string") return;
      cursor = next;
    }
  }

  async list<Item>(path: string, options: CallOptions): Promise<Item[]> {
    const { data } = await this.json(path, options, isList);
    return data as Item[];
  }

  /** I3: sends the same transaction until it has an outcome, each time with a new time stamp and signature. */
  async transfer(path: TransferPath, message: AskedTransfer, options: TransferOptions): Promise<TransferAnswer> {
    const { signingKey } = this.#setup;
    const attempt = async (left: number, tell: (stage: StageMessage) => void): Promise<Try<TransferAnswer>> => {
      const body = await signMessage({ ...message, datetime: formatDatetime(this.#setup.now()) }, signingKey);
      const within = Math.min(POS_HTTP_WITHIN, Math.max(left, SHORTEST));
      const { signal, wait, onProgress } = options;
      const onStage = onProgress !== undefined && path === "/api/transfer" ? tell : undefined;
      const call = { method: "POST", path, body, within, signal, onStage, ...preference(left, wait) } as const;
      const outcome = await this.#authorised(call);
      if (outcome.kind === "unavailable") return outcome;
      if (outcome.kind === "refused") return { kind: "failed", problem: outcome.problem, taken: false };
      const read = await readAnswer(outcome.body, message, signingKey);
      switch (read.kind) {
        case "answer":
          return { kind: mayChange(read.answer) ? "pending" : "done", value: read.answer };
        // Somebody else has answered. The gateway may have the message.
        case "forged":
          return { kind: "unavailable", problem: FORGED, taken: true, retryAfter: 0 };
        case "unexpected":
          return lostAnswer(this.#setup.address, { status: 200, headers: outcome.headers });
        default:
          return read satisfies never;
      }
    };
    return this.#repeat(options, POS_TRANSFER_WITHIN, attempt);
  }

  async #withToken(options: CallOptions, obtain: () => Promise<TokenOutcome>): Promise<void> {
    await this.#repeat(options, POS_CALL_WITHIN, async (left): Promise<Try<void>> => {
      const outcome = await this.#inTime(obtain(), timeLimit(left, options));
      return outcome.kind === "token" ? { kind: "done", value: undefined } : notTaken(outcome);
    });
  }

  /** If the gateway refuses the token, tries once with another one. */
  async #authorised(call: HttpCall): Promise<HttpOutcome> {
    const first = await this.#inTime(this.#session.token(), call);
    if (first.kind !== "token") return withoutToken(first);
    const outcome = await exchange(this.#setup, { ...call, token: first.token });
    if (!isProblem(outcome, "unauthorized")) return outcome;
    const second = await this.#inTime(this.#session.replaceToken(first.token), call);
    if (second.kind !== "token") return withoutToken(second);
    return exchange(this.#setup, { ...call, token: second.token });
  }

  /** Many callers share a renewal: a caller that gives up does not cancel it for the others. */
  async #inTime(
    obtaining: Promise<TokenOutcome>,
    { within = POS_CALL_WITHIN, signal }: TimeLimit,
  ): Promise<TokenOutcome> {
    const done = new AbortController();
    const until = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]);
    try {
      return await Promise.race([obtaining, sleep(within, until).then(() => tooLate(this.#setup.address, signal))]);
    } finally {
      done.abort();
    }
  }

  /** Refuses invalid options before anything is sent. */
  async #repeat<T>(
    options: CallOptions & Pick<RepeatOptions<T>, "onProgress">,
    usually: number,
    attempt: (left: number, onStage: (stage: StageMessage) => void) => Promise<Try<T>>,
  ): Promise<T> {
    checkOptions("PosClient", options, CALL_OPTIONS);
    const { within, signal, onProgress } = options;
    const { random } = this.#setup;
    return repeat(attempt, { within: within ?? usually, signal, random, onProgress });
  }
}

/** A call gets so long even if its caller's time is almost over. */
const SHORTEST: Milliseconds = 1_000;

type TimeLimit = Pick<HttpCall, "within" | "signal">;

function timeLimit(left: number, { signal }: CallOptions): TimeLimit {
  return { within: Math.max(Math.min(left, POS_CALL_WITHIN), SHORTEST), signal };
}

function tooLate(address: string, signal: AbortSignal | undefined): TokenOutcome {
  const message = `The gateway at ${address} did not answer the login in time.`;
  const problem = signal?.aborted ? ABORTED : { kind: "unreachable" as const, message };
  return { kind: "unavailable", problem, taken: false, retryAfter: 0 };
}

/** Returns the caller's wait (RFC 7240), or a shorter one that lets the gateway answer before the time is over. */
function preference(left: number, wait: number | undefined): { prefer?: string } {
  const seconds = Math.min(wait ?? Infinity, left < POS_HTTP_WITHIN ? Math.floor(left / 1_000) - 1 : Infinity);
  if (seconds === Infinity) return {};
  return { prefer: seconds <= 0 ? "respond-async" : `wait=${seconds}` };
}

/** UNCONFIRMED is the only 22 that another request does not change: only the gateway's operator can resolve it. */
function mayChange({ statusCode, responseCode }: TransferAnswer): boolean {
  return statusCode === "22" && responseCode !== "UNCONFIRMED";
}

function isProblem(outcome: HttpOutcome, kind: PosError["kind"]): boolean {
  return outcome.kind === "refused" && outcome.problem.kind === kind;
}

function isGone(outcome: HttpOutcome): boolean {
  return outcome.kind === "refused" && outcome.problem.status === 404;
}

function withoutToken(outcome: Exclude<TokenOutcome, { kind: "token" }>): HttpOutcome {
  return outcome.kind === "unavailable" ? { ...outcome, taken: false } : outcome;
}

/** For calls without money: a call without an answer can simply be repeated. */
function notTaken(outcome: Exclude<HttpOutcome, { kind: "answer" }>): Try<never> {
  return outcome.kind === "refused"
    ? { kind: "failed", problem: outcome.problem, taken: false }
    : { ...outcome, taken: false };
}

const ABORTED = { kind: "aborted", message: "Stopped by the caller." } as const;
const FORGED = { kind: "forged_answer", message: "The answer is not the gateway's answer to this request." } as const;

interface SignedCall extends Pick<HttpCall, "method"> {
  /** Also the path that the message names as its call. */
  path: string;
  /** Whether the members of an answer are the gateway's. */
  isAnswer?: Check;
}

type Check = (members: Record<string, unknown>) => boolean;

function hasMembers(check: Check): (body: Uint8Array<ArrayBuffer>) => boolean {
  return (body) => {
    const members = parseMembers(body);
    return members !== null && check(members);
  };
}

/** The answer to a call that has nothing to return. */
function isDone({ code }: Record<string, unknown>): boolean {
  return code === 20_000;
}

function isList({ data }: Record<string, unknown>): boolean {
  return Array.isArray(data);
}

function isPage({ data, next }: Record<string, unknown>): boolean {
  return Array.isArray(data) && (next === null || typeof next === "string");
}
