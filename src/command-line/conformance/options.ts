import { commandLine, readArguments, UsageError, VERSION } from "../invocation.ts";
import { AMOUNT } from "../../protocol/transactions.ts";

export interface ConformanceOptions {
  kit: "terminal" | "pos";
  /** Where the kit listens. */
  url: URL;
  tls: { certificate: string; key: string } | null;
  env: string | undefined;
  /** Null: interactive if standard input is a terminal. */
  interactive: boolean | null;
  patient: boolean;
  only: string[] | null;
  list: boolean;
  json: boolean;
  terminalId: string | undefined;
  bindKey: string | undefined;
  amounts: { approve?: string; wait?: string; pending?: string };
  restartCommand: string | undefined;
  showOutput: boolean;
  drive: string | undefined;
}

const TEXT = { type: "string" } as const;
const SWITCH = { type: "boolean" } as const;
const FLAGS = {
  env: TEXT,
  certificate: TEXT,
  key: TEXT,
  interactive: SWITCH,
  auto: SWITCH,
  patient: SWITCH,
  only: TEXT,
  list: SWITCH,
  json: SWITCH,
  help: SWITCH,
  version: SWITCH,
  id: TEXT,
  "bind-key": TEXT,
  approve: TEXT,
  wait: TEXT,
  pending: TEXT,
  "restart-command": TEXT,
  drive: TEXT,
  "show-output": SWITCH,
};

/** Where the kit for tills listens by default. */
const POS_URL = "http://127.0.0.1:9001";

const USAGE = `${commandLine("conformance")} terminal URL [flags]    tests your terminal
${commandLine("conformance")} pos [URL] [flags]       tests your till; URL is ${POS_URL} by default

The kit acts as the gateway and listens at URL. Point your terminal or till at it.

  --interactive          the kit tells you what to do at the terminal or till
  --auto                 nobody is there (the default without a keyboard)
  --patient              also runs the steps that take a minute or more
  --only NAME,NAME       runs these steps only
  --list                 lists the steps
  --json                 prints one line of JSON on standard output
  --env FILE             reads values that the environment lacks from lines NAME=value
  --certificate FILE --key FILE    PEM files, required for an https URL
  --restart-command CMD  kills the terminal, or a till that runs beside the command of --drive, and starts it again
  --show-output          shows what your commands print, on standard error. It may contain secrets.

terminal: set TERMINAL_SECRET. Without it, the kit draws a secret and says where it is stored.
  --id ID                the terminal's id (default: any)
  --bind-key KEY         the key that binds the terminal (default: TEST-KEYS)
  --approve --wait --pending AMOUNT    with --auto, the amounts at which the terminal approves, waits for its customer,
                         or stays pending at the host (defaults: 10.00, 10.89, 10.22, as ${commandLine("terminal")} uses them)
pos: set POS_ID, MERCHANT_ID, DEVICE_ID, PASSWORD and SIGNING_KEY. The kit draws those that are missing.
  --drive CMD            runs CMD for each action of the till. Its environment: ACTION (sale, void, inquiry, cancel or recover),
                         ARGUMENTS (also as AMOUNT, TRANS_ID or REFERENCE_ID), GATEWAY_URL and the five names above.
                         Its exit status: 0 approved, 1 not approved, 2 unknown, 3 failed without money moved,
                         4 failed with the outcome unknown, 5 action not supported.
                         Once, the kit kills CMD in the middle of a sale (SIGKILL), and then runs it with the action
                         recover: the till starts, completes what is open, and exits with the status of that sale.
                         For the till of this project: '${commandLine("pos", { quiet: true })} $ACTION $ARGUMENTS'

Exit status: 0 every tested duty is kept, 1 at least one is broken or could not be tested, 5 wrong usage.`;

/** Reads the command line; a text to print with `--help` or `--version`. Throws a `UsageError` for invalid arguments. */
export function readOptions(args: string[]): ConformanceOptions | string {
  const { values, positionals } = readArguments(args, FLAGS);
  if (values.help === true) return USAGE;
  if (values.version === true) return VERSION;
  const [kit, given, ...rest] = positionals;
  if (kit !== "terminal" && kit !== "pos") throw new UsageError("Choose what to test: terminal or pos.");
  if (rest.length > 0) throw new UsageError(`Unexpected argument: ${rest.join(" ")}. Pass one address.`);
  const list = values.list === true;
  if (kit === "terminal" && given === undefined && !list) {
    throw new UsageError(
      `Pass the address to listen at, for example: ${commandLine("conformance")} terminal http://127.0.0.1:9000`,
    );
  }
  if (values.interactive === true && values.auto === true)
    throw new UsageError("Use --interactive or --auto, not both.");
  const url = address(given ?? POS_URL);
  const { certificate, key } = values;
  if (url.protocol === "https:" && (certificate === undefined || key === undefined)) {
    throw new UsageError("An https address requires --certificate and --key.");
  }
  return {
    kit,
    url,
    tls: url.protocol === "https:" && certificate !== undefined && key !== undefined ? { certificate, key } : null,
    env: values.env,
    interactive: values.interactive === true ? true : values.auto === true ? false : null,
    patient: values.patient === true,
    only: values.only === undefined ? null : values.only.split(",").map((name) => name.trim()),
    list,
    json: values.json === true,
    terminalId: values.id,
    bindKey: bindKey(values["bind-key"]),
    amounts: {
      ...amount("approve", values.approve),
      ...amount("wait", values.wait),
      ...amount("pending", values.pending),
    },
    restartCommand: values["restart-command"],
    showOutput: values["show-output"] === true,
    drive: values.drive,
  };
}

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new UsageError(`${text} is not a valid address. Use http://HOST:PORT or https://HOST:PORT.`);
  }
  return url;
}

function bindKey(given: string | undefined): string | undefined {
  const key = given?.replaceAll("-", "").toUpperCase();
  if (key === undefined || /^[0-9A-HJKMNP-TV-Z]{8}$/u.test(key)) return key;
  throw new UsageError("--bind-key must be eight digits or letters, without I, L, O and U.");
}

function amount(name: string, given: string | undefined): Record<string, string> {
  if (given === undefined) return {};
  if (!AMOUNT.test(given)) throw new UsageError(`--${name} must be an amount, for example 10.00.`);
  return { [name]: given };
}
