import type { Command } from "commander";
import type { PosClient, TransferOptions } from "../../client/pos.ts";
import type { PaymentMethod, PrintCount } from "../../../protocol/payment-methods.ts";
import type { GatewayOptions } from "../program.ts";
import type { PosReport } from "./report.ts";

/** The options of all commands together. Each command has some of them. */
export interface PosFlags extends GatewayOptions {
  device?: string;
  reference?: string;
  label?: string;
  method?: PaymentMethod;
  channel?: string;
  note?: string;
  metadata?: string;
  product?: string;
  promo?: string;
  copies?: PrintCount;
  about?: string;
  none?: true;
  image?: string;
  after?: number;
  follow?: true;
  day?: string;
  status?: string;
  type?: string;
  limit?: number;
  port?: number;
  /** Seconds, as `within`. */
  wait?: number;
  within?: number;
  json?: true;
}

export interface PosCall {
  pos: PosClient;
  args: string[];
  flags: PosFlags;
  /** Throws UsageError without a terminal. */
  deviceId: () => string;
  /** Prints the reference before the transaction is sent, so that the user can ask again with it. */
  announce: (referenceId: string) => void;
  /** Prints a part while the command continues. */
  print: (shown: PosReport) => void;
  /** Prints a problem while the command continues. */
  complain: (message: string) => void;
  options: TransferOptions;
}

/** Returns what to print at the end; null: everything is printed. */
export type RunPos = (call: PosCall, ...args: string[]) => Promise<PosReport | null>;

/** Runs the command that was given, and sets the exit status. */
export type PerformPos = (command: Command, run: RunPos) => Promise<void>;
