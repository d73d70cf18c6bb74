import type { PosClient, TransferOptions } from "../../client/pos.ts";
import { PAYMENT_METHODS, PRINT_COUNTS } from "../../protocol/payment-methods.ts";
import { type Declared, SHELL_FLAGS } from "../commands.ts";
import type { Shown } from "./report.ts";
import { type Flag, number, oneOf, text, toggle, type Values } from "../flags.ts";

const EVENT = "the last event that you have read; 0 for all that are kept";

export const FLAGS = {
  device: text("ID", "the terminal (default: DEVICE_ID)"),
  reference: text("TEXT", "the transaction's referenceId; use the same one again to ask for its outcome"),
  label: text("TEXT", "printed before the reference, at most 10 characters"),
  method: oneOf(
    PAYMENT_METHODS,
    "bankCard, qrMerchScan or qrCustScan",
    "NAME",
    "bankCard (the default), qrMerchScan, or qrCustScan with --channel",
  ),
  channel: text("WALLET", "the wallet whose code the customer scans"),
  note: text("TEXT", "printed on the receipt"),
  metadata: text("TEXT", "comes back in the answer"),
  product: text("NUMBER", "the product, 1 to 10"),
  promo: text("TEXT", "declined if the card is not in this promotion"),
  copies: {
    value: "0|1|2",
    does: "receipts: none, the merchant's, both (the default)",
    must: "0, 1 or 2",
    read: (given: string) => PRINT_COUNTS.find((count) => String(count) === given) ?? null,
  },
  about: text("REFERENCE", "the transaction with this referenceId"),
  none: toggle("empties the list: then every terminal needs a key to bind"),
  image: text("FILE", "writes the key as a QR code"),
  after: number(/^[0-9]{1,15}$/, "the number of an event, or 0", "NUMBER", EVENT),
  follow: toggle("waits for the next event, until Ctrl-C"),
  day: text("DATE", "the business day: 2026-11-20"),
  status: text("CODE", "00, 11 or 22"),
  type: text("NAME", "sale, cashOut or void"),
  limit: number(/^[1-9][0-9]{0,8}$/, "a number from 1 on", "NUMBER", "how many, 20 by default"),
  wait: number(
    /^[0-9]{1,6}$/,
    "a number of seconds, 0 or more",
    "SECONDS",
    "the longest time that the gateway waits for the outcome",
  ),
  within: number(
    /^(?!0+$)[0-9]{1,6}$/,
    "a number of seconds, 1 or more",
    "SECONDS",
    "the time for the call with all its retries",
  ),
  port: number(
    /^[0-9]{1,15}$/,
    "a whole number",
    "NUMBER",
    "of listen, which shows events on this machine until Ctrl-C",
  ),
  json: toggle("prints one line of JSON, also for errors; one line per event and transaction"),
  ...SHELL_FLAGS,
};

export type FlagName = keyof typeof FLAGS;
export type Flags = Values<typeof FLAGS>;

export const OF_EVERY_COMMAND: readonly FlagName[] = ["within", "url", "env", "json", "help", "version"];

export function flagsNamed(names: readonly FlagName[]): Record<string, Flag<unknown>> {
  return Object.fromEntries(names.map((name) => [name, FLAGS[name]]));
}

export interface Call {
  pos: PosClient;
  args: string[];
  flags: Flags;
  /** Throws UsageError without a terminal. */
  deviceId: () => string;
  /** Prints the reference before the transaction is sent, so that the user can ask again with it. */
  announce: (referenceId: string) => void;
  /** While the command continues. */
  print: (shown: Shown) => void;
  /** While the command continues. */
  complain: (message: string) => void;
  options: TransferOptions;
}

export interface Command extends Declared {
  flags?: readonly FlagName[];
  /** Returns what to print at the end; null: everything is printed. */
  run: (call: Call) => Promise<Shown | null>;
}
