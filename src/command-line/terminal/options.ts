import { join } from "node:path";
import { parseArgs } from "node:util";
import { BEHAVIOUR_NAMES, behaviourNamed } from "../../simulator/behaviour.ts";
import type { Behaviour } from "../../simulator/behaviour.ts";
import { CARD_NAMES, ENTRY_NAMES, isCard, isEntry } from "../../simulator/payment-means.ts";
import type { Presented } from "../../simulator/payment-means.ts";
import { DATA_FOLDER, commandLine } from "../invocation.ts";
import { UsageError } from "../settings.ts";

export interface TerminalOptions {
  /** One, or those of a fleet. */
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

/** Milliseconds that a stage takes unless told otherwise: slow enough to be read. */
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
};

export const USAGE = `${commandLine("terminal")} --id T-0001 [flags]      one simulated terminal
${commandLine("terminal")} --count 50 [flags]       a fleet of them: T-0001, T-0002, …

  --url URL           the gateway: GATEWAY_URL, or http://127.0.0.1:8787
  --bind              bind it to the account of POS_ID and PASSWORD
  --bind-key KEY      bind it with a key that a POS shows
  --fault NAME        treat every transaction so, whatever its cents:
                      ${wrapped(BEHAVIOUR_NAMES)}
  --keys              the keyboard is the customer
  --card NAME         what the customer presents: ${CARD_NAMES.join(", ")}
  --entry NAME        how: ${ENTRY_NAMES.join(", ")}
  --wallet NAME       the wallet of a customer who shows a code
  --latency MS        of every text on the wire, either way
  --pace MS           of every stage of a payment: ${PACE}
  --data FOLDER       keeps memory, ledger and secret: ${join(DATA_FOLDER, "terminals")}
  --secret-file FILE  the secret, or lines ID SECRET; else TERMINAL_SECRET, or the one in the data folder
  --new-secret        give an enrolled terminal a new secret; the old one is dead at once
  --env FILE          lines NAME=value, for what is not in the environment

A terminal without a secret is enrolled, if OPERATOR_TOKEN is set; on this machine the token in .dev.vars serves.
Kill it whenever you like: started again, it clears up with its ledger what was cut off.`;

/** Reads the command line; null when help is asked for. */
export function readOptions(args: string[]): TerminalOptions | null {
  const values = parse(args);
  if (values.help === true) return null;
  const { fault, entry, card, wallet } = values;
  const behaviour = fault === undefined ? undefined : behaviourNamed(fault);
  if (fault !== undefined && behaviour === undefined) throw oneOf("fault", BEHAVIOUR_NAMES);
  if (entry !== undefined && !isEntry(entry)) throw oneOf("entry", ENTRY_NAMES);
  if (card !== undefined && !isCard(card)) throw oneOf("card", CARD_NAMES);
  const terminalIds = idsOf(values.id, values.count);
  const keys = values.keys === true;
  if (terminalIds.length > 1 && (keys || values["bind-key"] !== undefined)) {
    throw new UsageError("--keys and --bind-key are for one terminal.");
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

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** From T-0001 on, or from the id that is given: its last digits count up. */
function idsOf(id: string | undefined, count: string | undefined): string[] {
  if (count === undefined) {
    if (id === undefined) throw new UsageError("Name the terminal with --id, or a fleet with --count.");
    return [checked(id)];
  }
  if (!/^[1-9][0-9]{0,3}$/.test(count)) throw new UsageError("--count is a number from 1 to 9999.");
  const [, prefix = "", digits = ""] = /^(.*?)([0-9]+)$/.exec(checked(id ?? "T-0001")) ?? [];
  if (digits === "") throw new UsageError("--id of a fleet's first terminal ends in digits.");
  return Array.from({ length: Number(count) }, (_, index) => {
    return prefix + String(Number(digits) + index).padStart(digits.length, "0");
  });
}

/** It becomes the name of files. */
function checked(id: string): string {
  if (/^[A-Za-z0-9._-]{1,100}$/.test(id) && !id.startsWith(".")) return id;
  throw new UsageError("--id has letters, digits, dots, dashes and underscores, 100 at most.");
}

function milliseconds(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (!/^[0-9]{1,6}$/.test(given)) throw new UsageError(`--${name} is a number of milliseconds.`);
  return Number(given);
}

function oneOf(name: string, names: readonly string[]): UsageError {
  return new UsageError(`--${name} is one of ${names.join(", ")}.`);
}

function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index < names.length; index += 4) lines.push(names.slice(index, index + 4).join(", "));
  return lines.join(",\n                      ");
}
