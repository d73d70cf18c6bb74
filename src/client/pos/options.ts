import { addressMistake } from "../base-url.ts";
import { textMistake } from "../check-options.ts";
import type { Fetch } from "../fetch.ts";
import type { PosProblem } from "./error.ts";
import type { TokenStore } from "./tokens.ts";
import type { StageMessage } from "../../protocol/stages.ts";
import type { TransferAnswer } from "../../protocol/transfers.ts";

export interface PosClientOptions {
  /** The gateway's address: https, or http on the own machine. */
  baseUrl: string;
  posId: string;
  /** Without one, logins are signed with `signingKey`: then there is one secret less to keep. */
  password?: string | undefined;
  merchantId: string;
  /** As shown once when the account was made, or its signing key rotated. Signs transfers, and logins without password. */
  signingKey: string;
  /** Keeps the session over restarts; without one, each client logs in anew. */
  tokens?: TokenStore;
  fetch?: Fetch;
  /** Epoch milliseconds; must be right within 15 minutes. */
  now?: () => number;
  random?: () => number;
}

const PASSWORD = "the account's password, or omit it to sign the login with signingKey";
const SIGNING_KEY = "the account's signing key, without which no transfer can be signed, and no login without password";

/** What is wrong with the options, a sentence each; null for each that is right. */
export function optionMistakes(options: PosClientOptions): (string | null)[] {
  const { baseUrl, posId, password, merchantId, signingKey } = options;
  return [
    addressMistake(baseUrl),
    textMistake("posId", posId, "the account's identifier"),
    // Optional; but an empty one is a mistake somewhere, not a wish to do without.
    password === undefined ? null : textMistake("password", password, PASSWORD),
    textMistake("merchantId", merchantId, "the account's merchant"),
    textMistake("signingKey", signingKey, SIGNING_KEY),
  ];
}

export interface CallOptions {
  /** Milliseconds for the call with all its repetitions. */
  within?: number;
  signal?: AbortSignal;
}

export interface TransferOptions extends CallOptions {
  /**
   * How many seconds the gateway may hold each answer back at most; 0: not at all. When they are over it answers 22, and
   * the transaction goes on.
   */
  wait?: number;
  /**
   * Called at every change, and every second meanwhile. With it the gateway streams the stages of the transaction. What it
   * throws does not disturb the transfer.
   */
  onProgress?: (progress: TransferProgress) => void;
}

/** What is known while a transfer waits. */
export interface TransferProgress {
  /** `asking`: a message is on its way, or the gateway holds its answer back. `waiting`: until the next message. */
  state: "asking" | "waiting";
  /** Messages sent so far, from 1. All of them are about the one transaction. */
  attempt: number;
  /** Milliseconds since the call began, and until it ends at the latest. */
  elapsed: number;
  left: number;
  /** The last answer: a 22. Null before there was one. */
  pending: TransferAnswer | null;
  /** Why the last message brought no answer; null when it did, or there was none yet. */
  problem: PosProblem | null;
  /**
   * How far the transaction is: the stages that it has reached, each once, the newest last. They tell nothing about the
   * outcome. Empty for a cancel, and where the gateway tells none.
   */
  stages: readonly StageMessage[];
}
