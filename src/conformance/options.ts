import { parseArgs } from "node:util";
import { commandLine } from "../command-line/invocation.ts";
import { UsageError } from "../command-line/settings.ts";
import { AMOUNT } from "../validation/described.ts";

export interface ConformanceOptions {
  kit: "terminal" | "pos";
  /** Where the kit listens. */
  url: URL;
  tls: { certificate: string; key: string } | null;
  env: string | undefined;
  /** Null: decided by whether somebody is at the keyboard. */
  interactive: boolean | null;
  patient: boolean;
  only: string[] | null;
  list: boolean;
  json: boolean;
  terminalId: string | undefined;
  bindKey: string | undefined;
  amounts: { approve?: string; wait?: string; pending?: string };
  restartCommand: string | undefined;
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
  id: TEXT,
  "bind-key": TEXT,
  approve: TEXT,
  wait: TEXT,
  pending: TEXT,
  "restart-command": TEXT,
  drive: TEXT,
};

/** Where a POS is pointed at unless told otherwise. */
const POS_URL = "http://127.0.0.1:9001";

export const USAGE = `${commandLine("conformance")} terminal URL [flags]    a gateway for your terminal: does it keep its duties?
${commandLine("conformance")} pos [URL] [flags]       a gateway for your till: ${POS_URL}

The kit listens at URL; point the terminal, or the till, at it.

  --interactive          you do at the terminal or till what the kit says
  --auto                 nobody does; this, unless a keyboard is there
  --patient              also what takes a minute or more
  --only NAME,NAME       some steps; --list lists them
  --json                 one line of JSON on the standard output
  --env FILE             lines NAME=value, for what is not in the environment
  --certificate FILE --key FILE    PEM files, for an https URL

terminal: the secret is TERMINAL_SECRET; without one, the kit draws one and says where it is.
  --id ID                the terminal's id: any
  --bind-key KEY         the key with which it may bind itself: TEST-KEYS
  --approve --wait --pending AMOUNT    amounts at which it approves, waits for its customer, stays pending at the host
                         without a person: 10.00, 10.89, 10.22, those of ${commandLine("terminal")}
  --restart-command CMD  restarts the terminal without switching it off in good order

pos: POS_ID, MERCHANT_ID, DEVICE_ID, PASSWORD, SIGNING_KEY; what is missing, the kit draws.
  --drive CMD            makes the till do what the environment of CMD says: ACTION (sale, void, inquiry, cancel) and
                         its ARGUMENTS (AMOUNT, TRANS_ID or REFERENCE_ID hold the same), at GATEWAY_URL, as the
                         account of the five names above.
                         Its exit status: 0 approved, 1 not approved, 2 unknown, 3 failed without money moved,
                         4 failed with the outcome unknown, 5 does not know this action.
                         For the till of this project: '${commandLine("pos", { quiet: true })} $ACTION $ARGUMENTS'

Exit status: 0 every duty is kept, 1 some are not or could not be tried, 2 misused.`;

/** Reads the command line; null when help is asked for. Throws a `UsageError` for what it cannot mean. */
export function readOptions(args: string[]): ConformanceOptions | null {
  const { values, positionals } = parse(args);
  if (values.help === true) return null;
  const [kit, given, ...rest] = positionals;
  if (kit !== "terminal" && kit !== "pos") throw new UsageError("Say what is to be tested: terminal or pos.");
  if (rest.length > 0) throw new UsageError(`What is ${rest.join(" ")}? One address is enough.`);
  const list = values.list === true;
  if (kit === "terminal" && given === undefined && !list) {
    throw new UsageError(`Name the address to listen at: ${commandLine("conformance")} terminal http://127.0.0.1:9000`);
  }
  if (values.interactive === true && values.auto === true) throw new UsageError("Either --interactive or --auto.");
  const url = address(given ?? POS_URL);
  const { certificate, key } = values;
  if (url.protocol === "https:" && (certificate === undefined || key === undefined)) {
    throw new UsageError("An https address needs --certificate and --key.");
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
    drive: values.drive,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function address(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new UsageError(`${text} is no address: http://HOST:PORT or https://HOST:PORT.`);
  }
  return url;
}

function bindKey(given: string | undefined): string | undefined {
  const key = given?.replaceAll("-", "").toUpperCase();
  if (key === undefined || /^[0-9A-HJKMNP-TV-Z]{8}$/u.test(key)) return key;
  throw new UsageError("--bind-key has eight digits and letters, without I, L, O and U.");
}

function amount(name: string, given: string | undefined): Record<string, string> {
  if (given === undefined) return {};
  if (!AMOUNT.test(given)) throw new UsageError(`--${name} is an amount: 10.00.`);
  return { [name]: given };
}
