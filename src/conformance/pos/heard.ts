/** What a POS was heard to say. Times (`at`) are milliseconds of the machine's steady clock. */
import type { JsonObject } from "../../signing/json.ts";

/** Any call; what is secret in it is judged where it comes in, and not kept. */
export interface CallHeard {
  at: number;
  method: string;
  path: string;
  /** A token or the password stood in the URL. */
  secretInUrl: boolean;
  /** What `Authorization: Bearer` carried. */
  token: "access" | "refresh" | "stale" | "none";
  status: number;
}

/** A transfer or a cancel, by whatever fate. */
export interface MessageHeard {
  at: number;
  path: string;
  body: JsonObject;
  signatureHolds: boolean;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Which action of the tester it belongs to. */
  drive: number;
}

export interface LoginHeard {
  at: number;
  /** Why it was not taken; empty where it was. */
  problems: string[];
  /** It came as JSON. */
  isJson: boolean;
}

export interface RefreshHeard {
  at: number;
  /** `current`: the refresh token that was given out last. */
  token: "current" | "earlier" | "access" | "none";
}
