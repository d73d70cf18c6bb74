import { addressMistake } from "../base-url.ts";
import { functionMistake, methodsMistake, textMistake } from "../check-options.ts";
import type { Fetch } from "../fetch.ts";
import type { PosProblem } from "./error.ts";
import type { TokenStore } from "./tokens.ts";
import type { StageMessage } from "../../protocol/stages.ts";
import type { TransferAnswer } from "../../protocol/transfers.ts";

export interface PosClientOptions {
  /** The gateway's address: https, or http on the own machine. */
  baseUrl: string;
  posId: string;
  /** Without one, logins are signed with `signingKey`: one secret less to store. */
  password?: string | undefined;
  merchantId: string;
  /**
   * As shown once when the account was created, or its signing key rotated. Signs transfers, and logins without a password.
   */
  signingKey: string;
  /** Stores the session across restarts. Without one, each client logs in again. */
  tokens?: TokenStore;
  fetch?: Fetch;
  /** Epoch milliseconds; must be right within 15 minutes. */
  now?: () => number;
  random?: () => number;
}

const PASSWORD = "the account's password, or omit it to sign the login with signingKey";
const SIGNING_KEY = "the account's signing key, without which no transfer can be signed, and no login without password";
const TOKENS = "an object that stores a pair of tokens, or omit it to log in at every start";

/** One sentence per invalid option; null for each valid one. */
export function optionMistakes(options: PosClientOptions): (string | null)[] {
  const { baseUrl, posId, password, merchantId, signingKey, tokens, fetch } = options;
  return [
    addressMistake(baseUrl),
    textMistake("posId", posId, "the account's identifier"),
    // Optional, but an empty one is a mistake, not an omission.
    password === undefined ? null : textMistake("password", password, PASSWORD),
    textMistake("merchantId", merchantId, "the account's merchant"),
    textMistake("signingKey", signingKey, SIGNING_KEY),
    // Without these, each would only look like a store or a gateway that fails.
    tokens === undefined ? null : methodsMistake("tokens", tokens, ["load", "save"], TOKENS),
    fetch === undefined ? null : functionMistake("fetch", fetch, "a function like fetch, or omit it"),
  ];
}

export interface CallOptions {
  /** Milliseconds for the call with all its retries. */
  within?: number;
  signal?: AbortSignal;
}

export interface TransferOptions extends CallOptions {
  /**
   * The maximum seconds that the gateway may hold back each answer; 0: not at all. Then it answers 22, and the transaction
   * continues.
   */
  wait?: number;
  /**
   * Called at every change, and every second in between. With it, the gateway streams the stages of the transaction.
   * Exceptions do not affect the transfer.
   */
  onProgress?: (progress: TransferProgress) => void;
}

/** What is known while a transfer waits. */
export interface TransferProgress {
  /** `asking`: a message is in transit, or the gateway holds its answer back. `waiting`: until the next message. */
  state: "asking" | "waiting";
  /** Messages sent so far, from 1. All of them are about the one transaction. */
  attempt: number;
  /** Milliseconds since the call began, and until it ends at the latest. */
  elapsed: number;
  left: number;
  /** The last answer, a 22; null before there was one. */
  pending: TransferAnswer | null;
  /** Why the last message brought no answer; null if it did, or there was none yet. */
  problem: PosProblem | null;
  /**
   * The stages that the transaction has reached, each once, newest last. They say nothing about the outcome. Empty for a
   * cancel, and if the gateway sends none.
   */
  stages: readonly StageMessage[];
}
