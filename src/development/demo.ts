import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PosClient, PosError } from "../client/pos.ts";
import { FileStore } from "../client/file-store.ts";
import { platformFetch } from "../client/deadline.ts";
import { TerminalSession } from "../client/terminal/session.ts";
import { openLedger } from "../simulator/ledger-file.ts";
import { Counter } from "./counter.ts";
import { credentialsPath, readVars } from "../command-line/settings.ts";
import { CommandError, describe, type Operator } from "../command-line/operator/client.ts";

export const DEMO = {
  posId: "POS-DEMO",
  merchantId: "M-DEMO",
  terminalId: "T-DEMO",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  amount: "12.50",
};

const CHANNELS = [
  { name: "Touch 'n Go", status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logos/touch-n-go.png" },
  { name: "GrabPay", status: 1, currency: ["MYR", "SGD"], logoUrl3: "https://example.com/logos/grabpay.png" },
  { name: "Boost", status: 0, currency: ["MYR"], logoUrl3: "https://example.com/logos/boost.png" },
];

/** Milliseconds for each stage of the simulated payment: visible, but short. */
const PACE = 150;

/** The demo's account, channels and simulated terminal. Setting it up again on the same data is safe. */
export class Demo extends Counter {
  /** Creates what is missing, and replaces lost credentials. */
  static async setUp(baseUrl: string, operator: Operator, persistTo: string): Promise<Demo> {
    const path = credentialsPath(persistTo);
    const memoryPath = resolve(join(persistTo, "demo-terminal.json"));
    const credentials = await loadCredentials(path);
    const save = (changes: Partial<DemoCredentials>): Promise<void> =>
      saveCredentials(path, Object.assign(credentials, changes));
    const setUp = { baseUrl, operator, credentials, memoryPath, save };
    await ensureAccount(setUp);
    await ensureTerminal(setUp);
    await save({});
    for (const { name, ...channel } of CHANNELS) {
      await operator.must("PUT", `/channels/${encodeURIComponent(name)}`, channel);
    }
    const { posId, merchantId, terminalId } = DEMO;
    const { password, signingKey, terminalSecret: secret } = credentials;
    return new Demo({
      baseUrl,
      account: { posId, merchantId, password, signingKey },
      terminal: { terminalId, secret },
      store: new FileStore(memoryPath),
      ledger: openLedger(ledgerPath(memoryPath)),
      pace: PACE,
      onEvent: (event) => {
        if (event.kind === "concluded") {
          console.log(`  [${terminalId}] ${event.requestId}: ${event.statusCode} ${event.responseCode}`);
        }
      },
    });
  }
}

/** The file with the simulated host's charges, next to the terminal's memory: both must outlive the process. */
function ledgerPath(memoryPath: string): string {
  return memoryPath.replace(/json$/, "ledger.jsonl");
}

interface SetUp {
  baseUrl: string;
  operator: Operator;
  /** As they are known so far. */
  credentials: DemoCredentials;
  memoryPath: string;
  save: (changes: Partial<DemoCredentials>) => Promise<void>;
}

async function ensureAccount({ baseUrl, operator, credentials, save }: SetUp): Promise<void> {
  const { posId, merchantId, currency, timezone } = DEMO;
  const account = { posId, merchantId, currency, timezone, name: "Demo shop" };
  const created = await operator.call("POST", "/accounts", account);
  if (created.status === 201) {
    return save({ password: String(created.body["password"]), signingKey: String(created.body["signingKey"]) });
  }
  if (created.status !== 409) throw new CommandError(`Could not create the demo account: ${describe(created)}`);
  const known = await operator.call("GET", `/accounts/${posId}`);
  if (known.status !== 200 || known.body["status"] !== "active") {
    throw new CommandError(`The account ${posId} is suspended or deleted. Choose another data folder with PERSIST_TO.`);
  }
  // First, because the client for the login needs a signing key.
  if (credentials.signingKey === "") {
    const signingKey = await operator.must("POST", `/accounts/${posId}/signing-key`, {}, "signingKey");
    await save({ signingKey });
  }
  if (credentials.password === "" || !(await canLogIn(baseUrl, credentials))) {
    const password = randomBytes(18).toString("base64url");
    await operator.must("PATCH", `/accounts/${posId}`, { password });
    await save({ password });
  }
}

async function canLogIn(baseUrl: string, { password, signingKey }: DemoCredentials): Promise<boolean> {
  const { posId, merchantId } = DEMO;
  try {
    await new PosClient({ baseUrl, posId, merchantId, password, signingKey }).login();
    return true;
  } catch (error) {
    if (error instanceof PosError && error.kind === "unauthorized") return false;
    throw error;
  }
}

async function ensureTerminal({ baseUrl, operator, credentials, memoryPath, save }: SetUp): Promise<void> {
  const { terminalId } = DEMO;
  const created = await operator.call("POST", "/terminals", { terminalId, isVT: 1, name: "Simulated terminal" });
  if (created.status === 201) {
    // A memory from other data would refuse every request number as too low.
    await Promise.all([memoryPath, ledgerPath(memoryPath)].map((path) => rm(path, { force: true })));
    return save({ terminalSecret: String(created.body["secret"]) });
  }
  if (created.status !== 409) throw new CommandError(`Could not enrol the demo terminal: ${describe(created)}`);
  const session = new TerminalSession(
    { address: baseUrl, terminalId, secret: credentials.terminalSecret },
    platformFetch,
    Date.now,
  );
  const login = credentials.terminalSecret === "" ? null : await session.token();
  if (login === null || (!login.ok && login.error.kind === "login-refused")) {
    const secret = await operator.must("POST", `/terminals/${terminalId}/secret`, {}, "secret");
    await save({ terminalSecret: secret });
  }
}

/** The secrets of the demo's account and terminal. Empty if lost. */
export interface DemoCredentials {
  password: string;
  signingKey: string;
  terminalSecret: string;
}

export async function loadCredentials(path: string): Promise<DemoCredentials> {
  const vars = await readVars(path);
  return {
    password: vars.get("PASSWORD") ?? "",
    signingKey: vars.get("SIGNING_KEY") ?? "",
    terminalSecret: vars.get("DEMO_TERMINAL_SECRET") ?? "",
  };
}

/** With the values that are not secret, for the commands that read the same file. */
export async function saveCredentials(path: string, credentials: DemoCredentials): Promise<void> {
  const vars = {
    POS_ID: DEMO.posId,
    MERCHANT_ID: DEMO.merchantId,
    DEVICE_ID: DEMO.terminalId,
    PASSWORD: credentials.password,
    SIGNING_KEY: credentials.signingKey,
    DEMO_TERMINAL_SECRET: credentials.terminalSecret,
  };
  const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'\n`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, lines.join(""), { mode: 0o600 });
}
