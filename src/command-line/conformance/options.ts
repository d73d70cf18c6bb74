import { AMOUNTS, BIND_KEY } from "../../conformance/terminal/kit.ts";
import type { Address } from "../../conformance/listen.ts";
import { AMOUNT } from "../../protocol/transactions.ts";
import { flagLines, HELP_FLAGS, readFlags, text, textLike, toggle, toldBy, type Flag, type Values } from "../flags.ts";
import { commandLine, UsageError } from "../invocation.ts";
import { fromCaller } from "../settings.ts";

function amount(does: string, usually: string): Flag<string> {
  return textLike(
    AMOUNT,
    "an amount, for example 10.00",
    "AMOUNT",
    `with --auto, an amount ${does} (default: ${usually})`,
  );
}

const FLAGS = {
  interactive: toggle("the kit tells you what to do at the terminal or till"),
  auto: toggle("nobody is there (the default without a keyboard)"),
  patient: toggle("also runs the steps that take a minute or more"),
  only: text("NAME,NAME", "runs these steps only"),
  list: toggle("lists the steps"),
  json: toggle("prints one line of JSON on standard output"),
  env: text("FILE", "reads values that the environment lacks from lines NAME=value"),
  certificate: text("FILE", "a PEM file, required for an https URL"),
  key: text("FILE", "its key, a PEM file"),
  "restart-command": text(
    "CMD",
    "kills the terminal, or a till that runs beside the command of --drive, and starts it again",
  ),
  "show-output": toggle("shows what your commands print, on standard error. It may contain secrets."),
  help: { ...HELP_FLAGS.help, does: "" },
  version: { ...HELP_FLAGS.version, does: "" },
};

const TERMINAL_FLAGS = {
  id: text("ID", "the terminal's id (default: any)"),
  "bind-key": {
    ...text("KEY", `the key that binds the terminal (default: ${withDash(BIND_KEY)})`),
    must: "eight digits or letters, without I, L, O and U",
    read: bindKey,
  },
  approve: amount("at which the terminal approves", AMOUNTS.approve),
  wait: amount("at which it waits for its customer", AMOUNTS.wait),
  pending: amount("at which it stays unresolved", AMOUNTS.pending),
};

const POS_FLAGS = {
  drive: text(
    "CMD",
    "runs CMD for each action of the till. Its environment: ACTION (sale, void, inquiry, cancel or recover),",
  ),
};

const ALL_FLAGS = { ...FLAGS, ...TERMINAL_FLAGS, ...POS_FLAGS };

export interface ConformanceOptions extends Omit<Values<typeof ALL_FLAGS>, "only"> {
  kit: "terminal" | "pos";
  address: Address;
  only: string[] | null;
}

const POS_URL = "http://127.0.0.1:9001";

const COLUMN = 23;

function usage(): string {
  return `${commandLine("conformance")} terminal URL [flags]    tests your terminal
${commandLine("conformance")} pos [URL] [flags]       tests your till; URL is ${POS_URL} by default

The kit acts as the gateway and listens at URL. Point your terminal or till at it.

${flagLines(FLAGS, COLUMN)}

terminal: set TERMINAL_SECRET. Without it, the kit draws a secret and says where it is stored.
${flagLines(TERMINAL_FLAGS, COLUMN)}
                         ${commandLine("terminal")} behaves so at these amounts.
pos: set POS_ID, MERCHANT_ID, DEVICE_ID, PASSWORD and SIGNING_KEY. The kit draws those that are missing.
${flagLines(POS_FLAGS, COLUMN)}
                         ARGUMENTS (also as AMOUNT, TRANS_ID or REFERENCE_ID), GATEWAY_URL and the five names above.
                         Its exit status: 0 approved, 1 not approved, 2 unknown, 3 failed without money moved,
                         4 failed with the outcome unknown, 5 action not supported.
                         Once, the kit kills CMD in the middle of a sale (SIGKILL), and then runs it with the action
                         recover: the till starts, completes what is open, and exits with the status of that sale.
                         For the till of this project: '${commandLine("pos", { quiet: true })} $ACTION $ARGUMENTS'

Exit status: 0 every tested duty is kept, 1 at least one is broken or could not be tested, 5 wrong usage.`;
}

/** Returns a text to print for `--help` or `--version`. Throws UsageError. */
export function readOptions(args: string[]): ConformanceOptions | string {
  const { values, positionals } = readFlags(args, ALL_FLAGS);
  const told = toldBy(values, usage);
  if (told !== null) return told;
  const [kit, given, ...rest] = positionals;
  if (kit !== "terminal" && kit !== "pos") throw new UsageError("Choose what to test: terminal or pos.");
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest.join(" ")}. Pass one address.`);
  if (kit === "terminal" && given === undefined && values.list !== true) {
    const example = `${commandLine("conformance")} terminal http://127.0.0.1:9000`;
    throw new UsageError(`Pass the address to listen at, for example: ${example}`);
  }
  if (values.interactive === true && values.auto === true) {
    throw new UsageError("Use --interactive or --auto, not both.");
  }
  const only = values.only?.split(",").map((name) => name.trim()) ?? null;
  return { ...values, kit, address: addressOf(given ?? POS_URL, values), only };
}

/** A bind key as people read it. */
export function withDash(key: string): string {
  return `${key.slice(0, 4)}-${key.slice(4)}`;
}

function addressOf(url: string, { certificate, key }: Values<typeof FLAGS>): Address {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    throw new UsageError(`${url} is not a valid address. Use http://HOST:PORT or https://HOST:PORT.`);
  }
  if (parsed.protocol === "http:") return { url: parsed, tls: null };
  if (certificate === undefined || key === undefined) {
    throw new UsageError("An https address requires --certificate and --key.");
  }
  return { url: parsed, tls: { certificate: fromCaller(certificate), key: fromCaller(key) } };
}

function bindKey(given: string): string | null {
  const key = given.replaceAll("-", "").toUpperCase();
  return /^[0-9A-HJKMNP-TV-Z]{8}$/u.test(key) ? key : null;
}
