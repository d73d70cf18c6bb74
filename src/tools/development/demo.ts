import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { platformFetch } from "../../sdk/client/deadline.ts";
import { FileStore } from "../../sdk/client/file-store.ts";
import { type PosClient, PosError, type TransferAnswer } from "../../sdk/client/pos.ts";
import { MACHINE_CLOCKS } from "../../sdk/client/terminal/clock.ts";
import { TerminalSession } from "../../sdk/client/terminal/session.ts";
import type { OperatorClient } from "../../sdk/command-line/operator-client.ts";
import { readPrivate, writePrivate } from "../../sdk/command-line/private-file.ts";
import { credentialsPath, varsIn, varsText } from "../../sdk/command-line/settings.ts";
import { DEMO as NAMED } from "../../pages/demo.ts";
import { openLedger } from "../../sdk/simulator/ledger-file.ts";
import { SimulatedTerminal } from "../../sdk/simulator/simulated-terminal.ts";
import { openShop, type OpenedShop, createShopPos } from "../../sdk/command-line/operator-shop.ts";
import { cardSale, connect } from "./shop.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

const TERMS = { currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

export const DEMO_SHOP = { ...NAMED, terminalId: NAMED.deviceId, amount: "12.50" };

const PLAN = {
  ...TERMS,
  posId: DEMO_SHOP.posId,
  merchantId: DEMO_SHOP.merchantId,
  name: "Demo shop",
  terminalIds: [DEMO_SHOP.terminalId],
};

const CHANNELS = [
  { name: "Touch 'n Go", status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logos/touch-n-go.png" },
  { name: "GrabPay", status: 1, currency: ["MYR", "SGD"], logoUrl3: "https://example.com/logos/grabpay.png" },
  { name: "Boost", status: 0, currency: ["MYR"], logoUrl3: "https://example.com/logos/boost.png" },
];

/** A stage of the simulated payment takes so long: visible, but short. */
const PACE: Milliseconds = 150;

/** The simulated terminal is connected. */
export interface Demo {
  shop: OpenedShop;
  pos: PosClient;
  terminal: SimulatedTerminal;
  sell: () => Promise<{ request: unknown; answer: TransferAnswer }>;
}

/** Creates what is missing and replaces lost credentials, so it is safe to repeat on the same data. */
export async function setUpDemo(baseUrl: string, operator: OperatorClient, persistTo: string): Promise<Demo> {
  const { terminalId } = DEMO_SHOP;
  const files = {
    memory: join(persistTo, "demo-terminal.json"),
    ledger: join(persistTo, "demo-terminal.ledger.jsonl"),
  };
  const shop = await findShop(baseUrl, operator, credentialsPath(persistTo), Object.values(files));
  for (const { name, ...channel } of CHANNELS) {
    await operator.must("PUT", `/channels/${encodeURIComponent(name)}`, channel);
  }
  let request: unknown = null;
  const recording = async (sent: Request): Promise<Response> => {
    if (new URL(sent.url).pathname === "/api/transfer") request = await sent.clone().json();
    return platformFetch(sent);
  };
  const pos = createShopPos(baseUrl, shop, { fetch: recording });
  const terminal = new SimulatedTerminal({
    baseUrl,
    terminalId,
    secret: shop.secrets[terminalId] ?? "",
    store: new FileStore(resolve(files.memory)),
    ledger: openLedger(resolve(files.ledger)),
    pace: PACE,
    onEvent: (event) => {
      if (event.kind !== "concluded") return;
      console.log(`  [${terminalId}] ${event.requestId}: ${event.statusCode} ${event.responseCode}`);
    },
  });
  await connect(terminal, pos, shop);
  const sell = async () => {
    const answer = await pos.sale(cardSale(terminalId, DEMO_SHOP.amount));
    return { request, answer };
  };
  return { shop, pos, terminal, sell };
}

/** With the credentials in the file, or with new ones if the gateway does not accept them. */
async function findShop(
  baseUrl: string,
  operator: OperatorClient,
  path: string,
  memory: string[],
): Promise<OpenedShop> {
  const { terminalSecret, ...kept } = await loadCredentials(path);
  const known: OpenedShop = { ...PLAN, ...kept, secrets: { [DEMO_SHOP.terminalId]: terminalSecret } };
  if (await isAccepted(baseUrl, known)) return known;
  const shop = await openShop(baseUrl, operator, PLAN);
  // A memory from other data would refuse every request number as too low.
  await Promise.all(memory.map((file) => rm(file, { force: true })));
  const { password, signingKey, secrets } = shop;
  await saveCredentials(path, { password, signingKey, terminalSecret: secrets[DEMO_SHOP.terminalId] ?? "" });
  return shop;
}

async function isAccepted(baseUrl: string, shop: OpenedShop): Promise<boolean> {
  const [terminalId, secret] = [DEMO_SHOP.terminalId, shop.secrets[DEMO_SHOP.terminalId] ?? ""];
  if (shop.password === "" || shop.signingKey === "" || secret === "") return false;
  try {
    await createShopPos(baseUrl, shop).login();
  } catch (error) {
    if (error instanceof PosError && error.kind === "unauthorized") return false;
    throw error;
  }
  const session = new TerminalSession({ address: baseUrl, terminalId, secret }, platformFetch, MACHINE_CLOCKS);
  const login = await session.token();
  return login.ok || login.error.kind !== "login-refused";
}

/** They are empty if lost. */
export interface DemoCredentials {
  password: string;
  signingKey: string;
  terminalSecret: string;
}
async function loadCredentials(path: string): Promise<DemoCredentials> {
  const vars = varsIn((await readPrivate(path)) ?? "");
  return {
    password: vars.get("PASSWORD") ?? "",
    signingKey: vars.get("SIGNING_KEY") ?? "",
    terminalSecret: vars.get("DEMO_TERMINAL_SECRET") ?? "",
  };
}

/** Also writes the values that are not secret, for the commands that read the same file. */
async function saveCredentials(path: string, credentials: DemoCredentials): Promise<void> {
  const vars = {
    POS_ID: DEMO_SHOP.posId,
    MERCHANT_ID: DEMO_SHOP.merchantId,
    DEVICE_ID: DEMO_SHOP.terminalId,
    PASSWORD: credentials.password,
    SIGNING_KEY: credentials.signingKey,
    DEMO_TERMINAL_SECRET: credentials.terminalSecret,
  };
  await writePrivate(path, varsText(vars));
}
