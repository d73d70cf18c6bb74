import { join } from "node:path";
import type { Command } from "commander";
import { BEHAVIOUR_NAMES, behaviourNamed } from "../../simulator/behaviour.ts";
import { CARD_NAMES, ENTRY_NAMES, type Presented } from "../../simulator/payment-means.ts";
import { commandLine, DATA_FOLDER, UsageError } from "../invocation.ts";
import { type GatewayOptions, like, newProgram, choiceOption, parseWholeNumber, withGateway } from "../program.ts";
import type { Milliseconds } from "../../../protocol/time/units.ts";

/** A stage takes so long, which is slow enough to read. */
const PACE: Milliseconds = 400;

interface Flags extends GatewayOptions, Presented {
  id?: string;
  count?: number;
  bind?: true;
  bindKey?: string;
  fault?: string;
  keys?: true;
  latency: Milliseconds;
  pace: number;
  data?: string;
  secretFile?: string;
  newSecret?: true;
  activationCode?: string;
}

export interface TerminalOptions extends Omit<Flags, "fault" | "id" | "count" | keyof Presented> {
  terminalIds: string[];
  presented: Presented;
  /** How every transaction ends; if undefined, its cents decide. */
  behaviour: ReturnType<typeof behaviourNamed>;
}

/** @param run resolves to the exit status */
export function terminalProgram(run: (options: TerminalOptions) => Promise<number>): Command {
  const most = 999_999;
  return withGateway(
    newProgram(commandLine("terminal"), "Simulated terminals: one with screen and receipts, or a fleet.", {
      examples: [
        ["--id T-0001 --bind", "one terminal, bound to the account of POS_ID"],
        ["--id T-0001 --keys", "you are the customer"],
        ["--count 50 --bind", "T-0001 to T-0050"],
      ],
      statuses: { 0: "ended by you", 1: "the gateway refuses the terminal", 5: "wrong usage" },
      more:
        "A terminal without a secret is enrolled if OPERATOR_TOKEN is set; on this machine, the token in .dev.vars is used. " +
        "You can kill it at any time. After a restart it completes unfinished payments by its ledger.",
    }),
  )
    .option(
      "--id <ID>",
      "the terminal, or the first of a fleet",
      // It becomes part of file names.
      like(/^(?!\.)[A-Za-z0-9._-]{1,100}$/, "Use at most 100 letters, digits, dots, dashes or underscores."),
    )
    .option("--count <NUMBER>", "the size of a fleet", parseWholeNumber(1, 9_999))
    .option("--bind", "binds it to the account of POS_ID, with PASSWORD or SIGNING_KEY")
    .option("--bind-key <KEY>", "binds it with a key that a POS shows")
    .addOption(
      choiceOption("--fault <NAME>", "treats every transaction like this, regardless of its cents", BEHAVIOUR_NAMES),
    )
    .option("--keys", "lets you act as the customer at the keyboard")
    .addOption(choiceOption("--card <NAME>", "the customer's card", CARD_NAMES))
    .addOption(choiceOption("--entry <NAME>", "how the card is read", ENTRY_NAMES))
    .option("--wallet <NAME>", "the wallet of a customer who shows a code")
    .option("--latency <MS>", "delays every message in both directions", parseWholeNumber(0, most), 0)
    .option("--pace <MS>", "the duration of each payment stage", parseWholeNumber(0, most), PACE)
    .option("--data <FOLDER>", `for memory, ledger and secret (default: ${join(DATA_FOLDER, "terminals")})`)
    .option(
      "--secret-file <FILE>",
      "the secret, or lines ID,SECRET; only you may read it (default: TERMINAL_SECRET, or the one in the data folder)",
    )
    .option("--new-secret", "gives an enrolled terminal a new secret, which ends the old one")
    .option("--activation-code <CODE>", "gets the secret by a code that the operator created, and stores it")
    .action(async (flags: Flags) => {
      const { id, count, fault, card, entry, wallet, ...options } = flags;
      const terminalIds = listIds(id, count);
      const { keys, bindKey, activationCode } = options;
      if (terminalIds.length > 1 && (keys === true || bindKey !== undefined || activationCode !== undefined)) {
        throw new UsageError("--keys, --bind-key and --activation-code work with one terminal only.");
      }
      const behaviour = fault === undefined ? undefined : behaviourNamed(fault);
      process.exitCode = await run({ ...options, terminalIds, presented: { card, entry, wallet }, behaviour });
    });
}

/** Counts up from T-0001, or from the last digits of the given id. */
function listIds(id: string | undefined, count: number | undefined): string[] {
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
