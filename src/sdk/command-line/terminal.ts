/**
 * `npm run terminal -- --id T-0001`, `npx payment-terminal-client terminal --id T-0001`: for any gateway, with ledger
 * and memory in files.
 */
import { join } from "node:path";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { FileStore } from "../client/file-store.ts";
import { PosClient, PosError } from "../client/pos.ts";
import { activateTerminal, type TerminalEvent } from "../client/terminal.ts";
import { CommandError, OperatorClient, operatorToken } from "./operator-client.ts";
import { messageOf } from "../simulator/event-text.ts";
import { openLedger } from "../simulator/ledger-file.ts";
import { SimulatedTerminal } from "../simulator/simulated-terminal.ts";
import { onEnd } from "./invocation.ts";
import { runProgram } from "./program.ts";
import { TokenFile, sessionPath } from "./pos/token-file.ts";
import { Settings, fromCaller, hostName } from "./settings.ts";
import { nameFiles, readSecrets, obtainSecret, type SecretSources } from "./terminal/secret.ts";
import { Keyboard, screenText, stageText } from "./terminal/screen.ts";
import { lock } from "./lock-file.ts";
import { terminalProgram, type TerminalOptions } from "./terminal/options.ts";

const UNUSED = "not used";

/** So many enrolments and bindings run at the same time: the gateway stays responsive. */
const AT_ONCE = 5;

interface Session {
  options: TerminalOptions;
  settings: Settings;
  url: string;
  folder: string;
  sources: SecretSources;
  end: (status: number) => void;
}

async function run(options: TerminalOptions): Promise<number> {
  const settings = await Settings.read(options.env);
  const url = settings.url(options.url);
  const ended = endOfProcess();
  const session: Session = {
    options,
    settings,
    url,
    folder:
      options.data === undefined ? settings.folder("terminals", url) : join(fromCaller(options.data), hostName(url)),
    sources: await secretSources(url, options, settings),
    end: ended.end,
  };
  const pos = options.bind === true ? bindingAccount(session) : null;
  const releases: (() => void)[] = [];
  const terminals: SimulatedTerminal[] = [];
  try {
    const switchingOn = mapConcurrently(options.terminalIds, AT_ONCE, async (terminalId) => {
      const files = nameFiles(session.folder, terminalId);
      releases.push(lock(files.lock));
      const secret = await obtainSecret(terminalId, files, session.sources);
      const terminal = simulated(session, terminalId, secret);
      terminals.push(terminal);
      await terminal.switchOn();
      await terminal.client.connected().catch((error: unknown) => {
        throw new CommandError(`${terminalId}: ${messageOf(error)}`);
      });
      if (terminal.client.binding.posId !== null) return;
      const key = pos === null ? options.bindKey : (await pos.bindKey()).key;
      if (key !== undefined) await bind(terminal, terminalId, key);
    });
    const on = switchingOn.then(() => {
      if (terminals.length > 1) console.log(`All ${terminals.length} terminals are connected. Press Ctrl-C to stop.`);
      return ended.status;
    });
    return await Promise.race([ended.status, on]);
  } finally {
    await Promise.all(terminals.map((terminal) => terminal.stop()));
    for (const release of releases) release();
  }
}

function simulated(session: Session, terminalId: string, secret: string): SimulatedTerminal {
  const { options, url, folder } = session;
  const files = nameFiles(folder, terminalId);
  const alone = options.terminalIds.length === 1;
  const say = (text: string | null): void => {
    if (text !== null) console.log(text.replaceAll(/^/gm, `[${terminalId}] `));
  };
  let wasConnected = false;
  const { behaviour, keys, latency, pace, presented } = options;
  const keyboard = keys === true ? new Keyboard(process.stdin, presented, say) : null;
  return new SimulatedTerminal({
    baseUrl: url,
    terminalId,
    secret,
    store: new FileStore(files.memory),
    ledger: openLedger(files.ledger),
    pace,
    latency,
    customer: keyboard?.customer ?? (async () => presented),
    ...(behaviour === undefined ? {} : { behaviourOf: () => behaviour }),
    onEvent: (event) => {
      say(screenText(event));
      wasConnected ||= event.kind === "connected";
      if (alone && !wasConnected && isHopeless(event)) session.end(1);
    },
    // The screens of a fleet would mix.
    onStage: (request, stage) => alone && say(stageText(request, stage)),
    onReceipt: (text) => alone && say(framed(text)),
  });
}

/** Only a person can fix it. */
function isHopeless(event: TerminalEvent): boolean {
  return event.kind === "login-failed" && event.problem.kind === "login-refused";
}

function framed(text: string): string {
  const lines = text.split("\n");
  const width = Math.max(...lines.map((line) => line.length));
  const edge = `+${"-".repeat(width + 2)}+`;
  return [edge, ...lines.map((line) => `| ${line.padEnd(width)} |`), edge].join("\n");
}

async function secretSources(url: string, options: TerminalOptions, settings: Settings): Promise<SecretSources> {
  const given =
    options.secretFile === undefined
      ? new Map<string, string>()
      : await readSecrets(options.secretFile, options.terminalIds);
  const single = settings.get("TERMINAL_SECRET");
  const [first] = options.terminalIds;
  if (single !== undefined && first !== undefined && options.terminalIds.length === 1) given.set(first, single);
  // The gateway is the developer's own, on this machine.
  const own = url.startsWith("http:") ? await operatorToken(".dev.vars") : "";
  const token = settings.get("OPERATOR_TOKEN") ?? own;
  const { activationCode } = options;
  return {
    given,
    operator: token === "" ? null : new OperatorClient(url, token),
    newSecret: options.newSecret === true,
    activate: activationCode === undefined ? null : () => activateTerminal({ baseUrl: url, activationCode }),
  };
}

/** A POS that only gets bind keys needs no merchant, and no signing key if it has a password. */
function bindingAccount({ settings, url }: Session): PosClient {
  const [posId, password] = [settings.must("POS_ID"), settings.get("PASSWORD")];
  const signingKey = password === undefined ? settings.must("SIGNING_KEY") : UNUSED;
  const tokens = new TokenFile(sessionPath(settings, url, posId), password ?? signingKey);
  return new PosClient({ baseUrl: url, posId, password, merchantId: UNUSED, signingKey, tokens });
}

async function bind(terminal: SimulatedTerminal, terminalId: string, key: string): Promise<void> {
  const bound = await terminal.bind(key);
  if (bound.ok) return;
  const { error: problem } = bound;
  throw new CommandError(`Could not bind ${terminalId}: ${"message" in problem ? problem.message : problem.kind}`);
}

function endOfProcess(): { status: Promise<number>; end: (status: number) => void } {
  let end!: (status: number) => void;
  // Node 20 has no Promise.withResolvers.
  const status = new Promise<number>((resolve) => (end = resolve));
  onEnd(() => end(0));
  return { status, end };
}

await runProgram(terminalProgram(run), (error) =>
  error instanceof CommandError || error instanceof PosError ? 1 : null,
);
process.exit();
