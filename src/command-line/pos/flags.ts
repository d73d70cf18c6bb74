import type {
  AccountEvent,
  AccountTransaction,
  DayTotals,
  PosClient,
  TransferAnswer,
  TransferOptions,
} from "../../client/pos.ts";

const TEXT = { type: "string" } as const;
const SWITCH = { type: "boolean" } as const;

export const FLAGS = {
  url: TEXT,
  env: TEXT,
  device: TEXT,
  reference: TEXT,
  label: TEXT,
  method: TEXT,
  channel: TEXT,
  note: TEXT,
  metadata: TEXT,
  product: TEXT,
  promo: TEXT,
  copies: TEXT,
  about: TEXT,
  image: TEXT,
  after: TEXT,
  follow: SWITCH,
  day: TEXT,
  status: TEXT,
  type: TEXT,
  limit: TEXT,
  wait: TEXT,
  within: TEXT,
  port: TEXT,
  json: SWITCH,
  help: SWITCH,
  version: SWITCH,
};

export type FlagName = keyof typeof FLAGS;

export const OF_EVERY_COMMAND: readonly FlagName[] = ["within", "url", "env", "json", "help", "version"];

/** Its value, and what it does. */
const TEXTS: Record<FlagName, [value: string, does: string]> = {
  url: ["URL", "the gateway (default: GATEWAY_URL, or http://127.0.0.1:8787)"],
  env: ["FILE", "reads values that the environment lacks from lines NAME=value"],
  device: ["ID", "the terminal (default: DEVICE_ID)"],
  reference: ["TEXT", "the transaction's referenceId; use the same one again to ask for its outcome"],
  label: ["TEXT", "printed before the reference, at most 10 characters"],
  method: ["NAME", "bankCard (the default), qrMerchScan, or qrCustScan with --channel"],
  channel: ["WALLET", "the wallet whose code the customer scans"],
  note: ["TEXT", "printed on the receipt"],
  metadata: ["TEXT", "comes back in the answer"],
  product: ["NUMBER", "the product, 1 to 10"],
  promo: ["TEXT", "declined if the card is not in this promotion"],
  copies: ["0|1|2", "receipts: none, the merchant's, both (the default)"],
  about: ["REFERENCE", "the transaction with this referenceId"],
  image: ["FILE", "writes the key as a QR code"],
  after: ["NUMBER", "the last event that you have read; 0 for all that are kept"],
  follow: ["", "waits for the next event, until Ctrl-C"],
  day: ["DATE", "the business day: 2026-11-20"],
  status: ["CODE", "00, 11 or 22"],
  type: ["NAME", "sale, cashOut or void"],
  limit: ["NUMBER", "how many, 20 by default"],
  wait: ["SECONDS", "the longest time that the gateway waits for the outcome"],
  within: ["SECONDS", "the time for the call with all its retries"],
  port: ["NUMBER", "of listen, which shows events on this machine until Ctrl-C"],
  json: ["", "prints one line of JSON, also for errors; one line per event and transaction"],
  help: ["", "prints this text"],
  version: ["", "prints the version"],
};

/** A line for each flag. */
export function flagLines(names: readonly FlagName[]): string {
  return names.map((name) => `  ${`--${name} ${TEXTS[name][0]}`.padEnd(22)}${TEXTS[name][1]}`).join("\n");
}

/** What a command prints. */
export type Shown =
  | { kind: "transfer"; answer: TransferAnswer }
  | { kind: "event"; event: AccountEvent }
  | { kind: "transaction"; transaction: AccountTransaction }
  | { kind: "totals"; totals: DayTotals }
  | { kind: "data"; data: unknown };

export interface Call {
  pos: PosClient;
  /** The arguments after the command's name. */
  args: string[];
  flags: Flags;
  /** The terminal, where a command needs one. */
  deviceId: () => string;
  /** Prints the reference of a transaction before it is sent, so that the user can ask again with it. */
  announce: (referenceId: string) => void;
  /** Prints something while the command continues. */
  print: (shown: Shown) => void;
  /** Prints a problem while the command continues. */
  complain: (message: string) => void;
  options: TransferOptions;
}

export type Flags = {
  [Name in FlagName]?: ((typeof FLAGS)[Name]["type"] extends "string" ? string : boolean) | undefined;
};

export interface Command {
  usage: string;
  does: string;
  /** How many arguments it takes, at least and at most. */
  arguments: [least: number, most: number];
  /** Its own flags. */
  flags: readonly FlagName[];
  /** @returns what to print at the end; null: everything has been printed */
  run: (call: Call) => Promise<Shown | null>;
}
