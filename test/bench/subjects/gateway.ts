/** The gateway: the real Worker. Accounts, terminals and tokens are made at its front door. */
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Operator } from "../../../src/command-line/operator/client.ts";
import { openShop } from "../../../src/development/shop.ts";
import type { TokenPair } from "../../../src/protocol/accounts.ts";
import { withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import type { Caller } from "../http.ts";
import { type Pair, Terminal } from "../parties.ts";
import { ROOT } from "../workerd.ts";
import type { Kind, Query } from "./subject.ts";

/** An operator's token, for the run alone. */
const OPERATOR = randomBytes(16).toString("hex");

export type Keeper = Pick<Pair, "posId" | "merchantId" | "signingKey"> & { password: string };

/** The real Worker, with secrets of its own. */
export function gatewayWorker(operatorToken: string, requestSeconds: number): Kind["worker"] {
  return {
    entry: "src/index.ts",
    objects: { ACCOUNT: "Account", KEEPER: "Keeper", TERMINAL: "Terminal" },
    variables: {
      MASTER_KEYS: `own:${randomBytes(32).toString("base64")}`,
      OPERATOR_TOKENS: `operator:${operatorToken}`,
      REQUEST_SECONDS: String(requestSeconds),
      CORS_ORIGINS: "",
    },
  };
}

export const GATEWAY: Kind = {
  name: "gateway",
  worker: gatewayWorker(OPERATOR, 90),
  prepare: migrate,

  async enrol({ url }, count, perAccount) {
    const pairs: Pair[] = [];
    while (pairs.length < count) pairs.push(...(await fleetOf(url, Math.min(perAccount, count - pairs.length))));
    return pairs;
  },

  async connect({ caller, url }, { terminalId, secret }) {
    const body = withSignature({ terminalId, datetime: formatDatetime(Date.now()) }, secret);
    const { token } = await caller.call<{ token: string }>("POST", "/terminal/login", { body });
    return Terminal.connect(`${url}/terminal/connect`, secret, token);
  },

  async login({ caller }, { posId, signingKey }) {
    const message = { posId, datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() };
    const { access } = await caller.call<TokenPair>("POST", "/auth/login", {
      body: withSignature(message, signingKey),
    });
    return access.token;
  },
};

let accounts = 0;
let terminals = 0;

/** A new account with everything that a login needs; the gateway draws its password unless one is chosen. */
export async function newAccount(caller: Caller, chosen?: string): Promise<Keeper> {
  const ordinal = ++accounts;
  const [posId, merchantId] = [`pos-${ordinal}`, `shop-${ordinal}`];
  const body = { posId, merchantId, currency: "MYR", timezone: zoneFarFromMidnight(), password: chosen };
  const secrets = await caller.call<{ signingKey: string; password?: string }>("POST", "/operator/accounts", {
    token: OPERATOR,
    body,
  });
  return { posId, merchantId, signingKey: secrets.signingKey, password: secrets.password ?? chosen ?? "" };
}

async function fleetOf(url: string, size: number): Promise<Pair[]> {
  const ordinal = ++accounts;
  const names = { posId: `pos-${ordinal}`, merchantId: `shop-${ordinal}`, name: "Shop" };
  const terminalIds = Array.from({ length: size }, () => `term-${++terminals}`);
  const plan = { ...names, currency: "MYR", timezone: zoneFarFromMidnight(), terminalIds };
  const { posId, merchantId, signingKey, secrets } = await openShop(url, new Operator(url, OPERATOR), plan);
  const account = { posId, merchantId, signingKey, accessToken: "" };
  return terminalIds.map((terminalId) => ({ ...account, terminalId, secret: secrets[terminalId] ?? "" }));
}

export async function migrate(query: Query): Promise<void> {
  const folder = join(ROOT, "migrations");
  for (const name of (await readdir(folder)).toSorted()) await query(await readFile(join(folder, name), "utf8"));
}

/** Where midnight, at which every token ends, is some hours away. */
function zoneFarFromMidnight(): string {
  const hour = new Date().getUTCHours();
  return hour >= 6 && hour < 18 ? "UTC" : "Pacific/Auckland";
}
