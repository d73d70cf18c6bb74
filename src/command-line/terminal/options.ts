import { join } from "node:path";
import { type Behaviour, BEHAVIOUR_NAMES, behaviourNamed } from "../../simulator/behaviour.ts";
import { CARD_NAMES, ENTRY_NAMES, isCard, isEntry, type Presented } from "../../simulator/payment-means.ts";
import { commandLine, DATA_FOLDER, readArguments, UsageError, VERSION } from "../invocation.ts";

export interface TerminalOptions {
  /** One id, or those of a fleet. */
  terminalIds: string[];
  url: string | undefined;
  env: string | undefined;
  /** Folder of memory, ledger and secret. */
  data: string | undefined;
  secretFile: string | undefined;
  newSecret: boolean;
  bind: boolean;
  bindKey: string | undefined;
  behaviour: Behaviour | undefined;
  presented: Presented;
  keys: boolean;
  /** Milliseconds. */
  latency: number;
  pace: number;
}

/** The default duration of a stage in milliseconds: slow enough to read. */
const PACE = 400;

const TEXT = { type: "string" } as const;
const SWITCH = { type: "boolean" } as const;
const FLAGS = {
  id: TEXT,
  count: TEXT,
  url: TEXT,
  env: TEXT,
  data: TEXT,
  "secret-file": TEXT,
  "new-secret": SWITCH,
  bind: SWITCH,
  "bind-key": TEXT,
  fault: TEXT,
  card: TEXT,
  entry: TEXT,
  wallet: TEXT,
  keys: SWITCH,
  latency: TEXT,
  pace: TEXT,
  help: SWITCH,
  version: SWITCH,
};

const USAGE = `${commandLine("terminal")} --id T-0001 [flags]      one simulated terminal
${commandLine("terminal")} --count 50 [flags]       a fleet: T-0001, T-0002, …

  --url URL           the gateway (default: GATEWAY_URL, or http://127.0.0.1:8787)
  --bind              binds it to the account of POS_ID, with PASSWORD or SIGNING_KEY
  --bind-key KEY      binds it with a key that a POS shows
  --fault NAME        treats every transaction like this, regardless of its cents:
                      ${wrapped(BEHAVIOUR_NAMES)}
  --keys              lets you act as the customer at the keyboard
  --card NAME         the customer's card: ${CARD_NAMES.join(", ")}
  --entry NAME        how the card is read: ${ENTRY_NAMES.join(", ")}
  --wallet NAME       the wallet of a customer who shows a code
  --latency MS        delays every message in both directions
  --pace MS           the duration of each payment stage (default: ${PACE})
  --data FOLDER       the folder for memory, ledger and secret (default: ${join(DATA_FOLDER, "terminals")})
  --secret-file FILE  the secret, or lines ID SECRET (default: TERMINAL_SECRET, or the one in the data folder)
  --new-secret        gives an enrolled terminal a new secret; the old one stops working at once
  --env FILE          reads values that the environment lacks from lines NAME=value

A terminal without a secret is enrolled if OPERATOR_TOKEN is set; on this machine, the token in .dev.vars is used.
You can kill it at any time. After a restart it completes unfinished payments by its ledger.`;

/** Reads the command line; a text to print with `--help` or `--version`. */
export function readOptions(args: string[]): TerminalOptions | string {
  const { values, positionals } = readArguments(args, FLAGS);
  if (values.help === true) return USAGE;
  if (values.version === true) return VERSION;
  if (positionals.length > 0) throw new UsageError("Pass a terminal's id with --id.");
  const { fault, entry, card, wallet } = values;
  const behaviour = fault === undefined ? undefined : behaviourNamed(fault);
  if (fault !== undefined && behaviour === undefined) throw oneOf("fault", BEHAVIOUR_NAMES);
  if (entry !== undefined && !isEntry(entry)) throw oneOf("entry", ENTRY_NAMES);
  if (card !== undefined && !isCard(card)) throw oneOf("card", CARD_NAMES);
  const terminalIds = idsOf(values.id, values.count);
  const keys = values.keys === true;
  if (terminalIds.length > 1 && (keys || values["bind-key"] !== undefined)) {
    throw new UsageError("--keys and --bind-key work with one terminal only.");
  }
  return {
    terminalIds,
    url: values.url,
    env: values.env,
    data: values.data,
    secretFile: values["secret-file"],
    newSecret: values["new-secret"] === true,
    bind: values.bind === true,
    bindKey: values["bind-key"],
    behaviour,
    presented: {
      ...(entry === undefined ? {} : { entry }),
      ...(card === undefined ? {} : { card }),
      ...(wallet === undefined ? {} : { wallet }),
    },
    keys,
    latency: milliseconds("latency", values.latency, 0),
    pace: milliseconds("pace", values.pace, PACE),
  };
}

/** Ids from T-0001 or from the given id: its last digits count up. */
function idsOf(id: string | undefined, count: string | undefined): string[] {
  if (count === undefined) {
    if (id === undefined) throw new UsageError("Pass a terminal's id with --id, or the size of a fleet with --count.");
    return [checked(id)];
  }
  if (!/^[1-9][0-9]{0,3}$/.test(count)) throw new UsageError("--count must be a number from 1 to 9999.");
  const [, prefix = "", digits = ""] = /^(.*?)([0-9]+)$/.exec(checked(id ?? "T-0001")) ?? [];
  if (digits === "") throw new UsageError("With --count, --id must end in digits.");
  return Array.from({ length: Number(count) }, (_, index) => {
    return prefix + String(Number(digits) + index).padStart(digits.length, "0");
  });
}

/** The id becomes part of file names. */
function checked(id: string): string {
  if (/^[A-Za-z0-9._-]{1,100}$/.test(id) && !id.startsWith(".")) return id;
  throw new UsageError("--id must be at most 100 letters, digits, dots, dashes or underscores.");
}

function milliseconds(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (!/^[0-9]{1,6}$/.test(given)) throw new UsageError(`--${name} must be a number of milliseconds.`);
  return Number(given);
}

function oneOf(name: string, names: readonly string[]): UsageError {
  return new UsageError(`--${name} must be one of ${names.join(", ")}.`);
}

function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index < names.length; index += 4) lines.push(names.slice(index, index + 4).join(", "));
  return lines.join(",\n                      ");
}
