import { join } from "node:path";
import { BEHAVIOUR_NAMES, behaviourNamed } from "../../simulator/behaviour.ts";
import { CARD_NAMES, ENTRY_NAMES, isCard, isEntry, type Presented } from "../../simulator/payment-means.ts";
import {
  flagLines,
  HELP_FLAGS,
  number,
  readFlags,
  text,
  textLike,
  toggle,
  toldBy,
  URL_FLAG,
  type Flag,
  type Values,
} from "../flags.ts";
import { commandLine, DATA_FOLDER, UsageError } from "../invocation.ts";

/** Milliseconds of a stage: slow enough to read. */
const PACE = 400;

const COLUMN = 20;

function named<Value>(
  names: readonly string[],
  read: (given: string) => Value | undefined,
  help: (names: string) => string,
): Flag<Value> {
  const all = names.join(", ");
  return { value: "NAME", does: help(all), must: `one of ${all}`, read: (given) => read(given) ?? null };
}

function milliseconds(does: string): Flag<number> {
  return number(/^[0-9]{1,6}$/, "a number of milliseconds", "MS", does);
}

const FLAGS = {
  // The id becomes part of file names.
  id: textLike(/^(?!\.)[A-Za-z0-9._-]{1,100}$/, "at most 100 letters, digits, dots, dashes or underscores", "ID", ""),
  count: number(/^[1-9][0-9]{0,3}$/, "a number from 1 to 9999", "NUMBER", ""),
  url: URL_FLAG,
  bind: toggle("binds it to the account of POS_ID, with PASSWORD or SIGNING_KEY"),
  "bind-key": text("KEY", "binds it with a key that a POS shows"),
  fault: named(BEHAVIOUR_NAMES, behaviourNamed, () => {
    return `treats every transaction like this, regardless of its cents:\n${wrapped(BEHAVIOUR_NAMES)}`;
  }),
  keys: toggle("lets you act as the customer at the keyboard"),
  card: named(
    CARD_NAMES,
    (given) => (isCard(given) ? given : undefined),
    (all) => `the customer's card: ${all}`,
  ),
  entry: named(
    ENTRY_NAMES,
    (given) => (isEntry(given) ? given : undefined),
    (all) => `how the card is read: ${all}`,
  ),
  wallet: text("NAME", "the wallet of a customer who shows a code"),
  latency: milliseconds("delays every message in both directions"),
  pace: milliseconds(`the duration of each payment stage (default: ${PACE})`),
  data: text("FOLDER", `the folder for memory, ledger and secret (default: ${join(DATA_FOLDER, "terminals")})`),
  "secret-file": text(
    "FILE",
    "the secret, or lines ID,SECRET (default: TERMINAL_SECRET, or the one in the data folder)",
  ),
  "new-secret": toggle("gives an enrolled terminal a new secret; the old one stops working at once"),
  env: text("FILE", "reads values that the environment lacks from lines NAME=value"),
  help: { ...HELP_FLAGS.help, does: "" },
  version: { ...HELP_FLAGS.version, does: "" },
};

export interface TerminalOptions extends Omit<Values<typeof FLAGS>, "latency" | "pace"> {
  terminalIds: string[];
  presented: Presented;
  /** Milliseconds, as `pace`. */
  latency: number;
  pace: number;
}

function usage(): string {
  return `${commandLine("terminal")} --id T-0001 [flags]      one simulated terminal
${commandLine("terminal")} --count 50 [flags]       a fleet: T-0001, T-0002, …

${flagLines(FLAGS, COLUMN)}

A terminal without a secret is enrolled if OPERATOR_TOKEN is set; on this machine, the token in .dev.vars is used.
You can kill it at any time. After a restart it completes unfinished payments by its ledger.`;
}

/** Returns a text to print for `--help` or `--version`. */
export function readOptions(args: string[]): TerminalOptions | string {
  const { values, positionals } = readFlags(args, FLAGS);
  const told = toldBy(values, usage);
  if (told !== null) return told;
  if (positionals.length > 0) throw new UsageError("Pass a terminal's id with --id.");
  const { entry, card, wallet, latency = 0, pace = PACE } = values;
  const terminalIds = idsOf(values.id, values.count);
  if (terminalIds.length > 1 && (values.keys === true || values["bind-key"] !== undefined)) {
    throw new UsageError("--keys and --bind-key work with one terminal only.");
  }
  return { ...values, terminalIds, presented: { entry, card, wallet }, latency, pace };
}

/** From T-0001 or from the given id: its last digits count up. */
function idsOf(id: string | undefined, count: number | undefined): string[] {
  if (count === undefined) {
    if (id === undefined) throw new UsageError("Pass a terminal's id with --id, or the size of a fleet with --count.");
    return [id];
  }
  const [, prefix = "", digits = ""] = /^(.*?)([0-9]+)$/.exec(id ?? "T-0001") ?? [];
  if (digits === "") throw new UsageError("With --count, --id must end in digits.");
  return Array.from({ length: count }, (_, index) => {
    return prefix + String(Number(digits) + index).padStart(digits.length, "0");
  });
}

function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index < names.length; index += 4) lines.push(names.slice(index, index + 4).join(", "));
  return lines.map((line) => " ".repeat(COLUMN + 2) + line).join(",\n");
}
