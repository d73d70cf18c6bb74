import type { Command, Option } from "commander";
import type { ListenAddress } from "../../conformance/listen.ts";
import { AMOUNTS, BIND_KEY } from "../../conformance/terminal/kit.ts";
import { withDash } from "../../conformance/tester.ts";
import { AMOUNT } from "../../../protocol/transactions.ts";
import { commandLine, UsageError } from "../invocation.ts";
import { ENV_OPTION, like, newProgram, option, URL_OPTION } from "../program.ts";
import { fromCaller } from "../settings.ts";

/** The flags of both kits. */
export interface KitFlags {
  address: ListenAddress;
  interactive?: true;
  auto?: true;
  patient?: true;
  only: string[] | null;
  list?: true;
  json?: true;
  report?: string;
  env?: string;
  certificate?: string;
  key?: string;
  restartCommand?: string;
  showOutput?: true;
}

export interface TerminalKitFlags extends KitFlags {
  id?: string;
  bindKey: string;
  approve: string;
  wait: string;
  pending: string;
  chargesCommand?: string;
  secondCommand?: string;
}

export interface PosKitFlags extends KitFlags {
  drive?: string;
  /** The gateway's address. */
  url?: string;
}

/** What to run for each kit. Both resolve to the exit status. */
interface Kits {
  terminal: (options: TerminalKitFlags) => Promise<number>;
  pos: (options: PosKitFlags) => Promise<number>;
}

const POS_URL = "http://127.0.0.1:9001";

function amount(flag: string, does: string, usually: string): Option {
  const read = like(AMOUNT, "Use an amount such as 10.00.");
  return option(`--${flag} <AMOUNT>`, `with --auto, an amount ${does}`, read).default(usually);
}

export function conformanceProgram({ terminal, pos }: Kits): Command {
  const program = newProgram(commandLine("conformance"), "Tests your terminal or point of sale against the protocol.", {
    examples: [
      ["terminal http://127.0.0.1:9000", "then point your terminal there"],
      [`pos --drive '${commandLine("pos", { quiet: true })} $ACTION $ARGUMENTS'`, "tests the POS of this project"],
    ],
    statuses: {
      0: "every tested duty is kept",
      1: "one is broken, or could not be tested or seen",
      5: "wrong usage, or no gateway",
    },
    more: "The kit listens at URL, and says where the credentials are that it has drawn. For a terminal, it acts as the gateway. A POS it tests at a running gateway, to which it passes everything on, and makes the faults between them.",
  })
    .option("--interactive", "the kit tells you what to do at the terminal or POS")
    .option("--auto", "runs without a person (the default without a keyboard)")
    .option("--patient", "also runs the steps that take a minute or more")
    .option("--only <NAMES>", "runs only these steps, separated by commas", (given) =>
      given.split(",").map((name) => name.trim()),
    )
    .option("--list", "lists the steps")
    .option("--json", "prints one line of JSON on standard output")
    .option("--report <FILE>", "also writes the report as one HTML page, to hand over")
    .addOption(ENV_OPTION)
    .option("--certificate <FILE>", "a PEM file, required for an https URL")
    .option("--key <FILE>", "the certificate's key, a PEM file")
    .option("--restart-command <COMMAND>", "kills the tested side, and starts it again; a POS that runs beside --drive")
    .option("--show-output", "shows what your commands print, on standard error. It may contain secrets.");
  program
    .command("terminal [URL]")
    .description("tests your terminal. Its secret is TERMINAL_SECRET.")
    .option("--id <ID>", "the terminal's id (default: any)")
    .addOption(
      option("--bind-key <KEY>", "the key that binds the terminal", bindKey).default(BIND_KEY, withDash(BIND_KEY)),
    )
    .addOption(amount("approve", "at which your terminal approves", AMOUNTS.approve))
    .addOption(amount("wait", "at which your terminal waits for the customer", AMOUNTS.wait))
    .addOption(amount("pending", "at which the payment stays pending", AMOUNTS.pending))
    .option(
      "--charges-command <COMMAND>",
      "prints how often your test host has charged TRANS_ID (or REFERENCE_ID) without giving the money back: 0, 1 or more",
    )
    .option(
      "--second-command <COMMAND>",
      "starts your terminal once more, on the same store, in the foreground: it must refuse",
    )
    .addHelpText("after", `\nThe simulated terminal (${commandLine("terminal")}) does this at these amounts.`)
    .action(async (url: string | undefined, _, command: Command) => {
      const options = readOptions(command, url ?? POS_URL);
      if (url === undefined && options.list !== true) {
        const example = `${commandLine("conformance")} terminal http://127.0.0.1:9000`;
        throw new UsageError(`Pass the address to listen at, for example: ${example}`);
      }
      process.exitCode = await terminal(options);
    });
  program
    .command("pos [URL]")
    .description(`tests your POS at a running gateway. Point the POS at URL, by default ${POS_URL}.`)
    .option("--drive <COMMAND>", "a command that the kit runs for each action of the POS")
    .addOption(URL_OPTION)
    .addHelpText("after", DRIVE)
    .action(async (url: string = POS_URL, _: unknown, command: Command) => {
      process.exitCode = await pos(readOptions(command, url));
    });
  return program;
}

const DRIVE = `
The kit opens an account with a terminal at the gateway, and simulates the
terminal. For this it needs an operator's token in OPERATOR_TOKEN; for a gateway
on this machine, it takes the one in .dev.vars. Or name an account yourself:
POS_ID, MERCHANT_ID, DEVICE_ID, PASSWORD, SIGNING_KEY and TERMINAL_SECRET.

The environment of --drive's command: ACTION (sale, void, inquiry, cancel or
recover), ARGUMENTS (also as AMOUNT, TRANS_ID or REFERENCE_ID), GATEWAY_URL,
POS_ID, MERCHANT_ID, DEVICE_ID, PASSWORD and SIGNING_KEY; for one sale a NOTE.
Its exit status: 0 approved, 1 not approved, 2 unknown, 3 failed without money
moved, 4 failed with the outcome unknown, 5 action not supported. Twice, the kit
kills it in the middle of a sale (SIGKILL), and then runs it with the action
recover: the POS starts, completes what is open, and exits with the status of
that sale.`;

/** Throws UsageError. */
function readOptions(command: Command, url: string): TerminalKitFlags & PosKitFlags {
  const flags = command.optsWithGlobals<TerminalKitFlags & PosKitFlags>();
  if (flags.interactive === true && flags.auto === true) throw new UsageError("Use --interactive or --auto, not both.");
  return { ...flags, only: flags.only ?? null, address: parseAddress(url, flags) };
}

function parseAddress(url: string, { certificate, key }: Pick<KitFlags, "certificate" | "key">): ListenAddress {
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

function bindKey(given: string): string {
  const key = given.replaceAll("-", "").toUpperCase();
  return like(/^[0-9A-HJKMNP-TV-Z]{8}$/u, "Use eight digits or letters, without I, L, O and U.")(key);
}
