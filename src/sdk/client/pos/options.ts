import {
  ADDRESS,
  CHECKED_BY_GATEWAY,
  DURATION,
  func,
  wholeNumberOption,
  objectWith,
  optionalOption,
  SIGNAL,
  textOption,
  type Checks,
} from "../check-options.ts";
import type { Fetch } from "../deadline.ts";
import type { Progress } from "./repeat.ts";
import type { TokenStore } from "./session.ts";
import type { TransferAnswer, TransferRequests } from "./transfer.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import type { TransactionType, TransferType } from "../../../protocol/transfer-types.ts";
import type { EpochMs, Milliseconds } from "../../../protocol/time/units.ts";

export interface PosClientOptions {
  /** https, or http on this machine. */
  baseUrl: string;
  posId: string;
  /** Without one, logins are signed with `signingKey`: one secret less to store. */
  password?: string | undefined;
  merchantId: string;
  /**
   * Shown once, when the account is created or its signing key rotated. Signs transfers, and logins without a password.
   */
  signingKey: string;
  /** Stores the session across restarts. Without one, each client logs in again. */
  tokens?: TokenStore | undefined;
  fetch?: Fetch | undefined;
  /** Must be right within 15 minutes. Only for time stamps and tokens: deadlines do not need it. */
  now?: (() => EpochMs) | undefined;
  random?: (() => number) | undefined;
}

export interface Setup extends PosClientOptions {
  fetch: Fetch;
  now: () => EpochMs;
  random: () => number;
  /** `baseUrl` without a trailing slash. */
  address: string;
}

const PASSWORD = "the account's password, or omit it to sign the login with signingKey";
const SIGNING_KEY = "the account's signing key, without which no transfer can be signed, and no login without password";
const TOKENS = "an object that stores a pair of tokens, or omit it to log in at every start";

export const CLIENT_OPTIONS: Checks<PosClientOptions> = {
  baseUrl: ADDRESS,
  posId: textOption("the account's identifier"),
  // An empty one is a mistake, not an omission.
  password: optionalOption(textOption(PASSWORD)),
  merchantId: textOption("the account's merchant"),
  signingKey: textOption(SIGNING_KEY),
  tokens: optionalOption(objectWith(["load", "save"], TOKENS)),
  fetch: optionalOption(func("a function like fetch, or omit it")),
  now: optionalOption(func("a function like Date.now, or omit it")),
  random: optionalOption(func("a function like Math.random, or omit it")),
};

export interface CallOptions {
  /** The call ends within it, with all its retries. It must be more than 0. */
  within?: Milliseconds | undefined;
  signal?: AbortSignal | undefined;
}

export interface TransferOptions extends CallOptions {
  /**
   * The maximum seconds that the gateway may hold back each answer; 0: not at all. After them it answers 22, and the
   * transaction continues.
   */
  wait?: number | undefined;
  /**
   * Called at every change, and every second in between. With it, the gateway streams the stages of the transaction. An
   * error that it throws is logged, and does not affect the transfer.
   */
  onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** Of every call: options that only transfers use do no harm elsewhere. */
export const CALL_OPTIONS: Checks<TransferOptions> = {
  within: optionalOption(DURATION),
  signal: optionalOption(SIGNAL),
  wait: optionalOption(wholeNumberOption("whole seconds, 0 or more")),
  onProgress: optionalOption(func("a function that shows the progress, or omit it")),
};

export type TransferProgress = Progress<TransferAnswer>;

/** A new type does not compile without a request and a method. */
export type TransferMethods = {
  [Type in TransferType]: (request: TransferRequests[Type], options?: TransferOptions) => Promise<TransferAnswer>;
};

/** A transaction must match every member. */
export interface TransactionFilters {
  /** The business day that they count for, `YYYY-MM-DD`. */
  day?: string | undefined;
  deviceId?: string | undefined;
  /** `22` selects everything that is open now. */
  statusCode?: StatusCode | undefined;
  transType?: TransactionType | undefined;
  referenceId?: string | undefined;
}

export const FILTER_MEMBERS: Checks<TransactionFilters> = {
  day: CHECKED_BY_GATEWAY,
  deviceId: CHECKED_BY_GATEWAY,
  statusCode: CHECKED_BY_GATEWAY,
  transType: CHECKED_BY_GATEWAY,
  referenceId: CHECKED_BY_GATEWAY,
};

/** Without `day`, the open day; without `deviceId`, all terminals together. */
export interface TotalsQuestion {
  day?: string | undefined;
  deviceId?: string | undefined;
}

export const QUESTION_MEMBERS: Checks<TotalsQuestion> = { day: CHECKED_BY_GATEWAY, deviceId: CHECKED_BY_GATEWAY };

export interface WebhookChanges {
  url?: string | undefined;
  enabled?: boolean | undefined;
}

export const CHANGE_MEMBERS: Checks<WebhookChanges> = { url: CHECKED_BY_GATEWAY, enabled: CHECKED_BY_GATEWAY };
