import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { PosClient, PosError } from "../../client/pos.ts";
import { OperatorClient, operatorTokenFor } from "../operator-client.ts";
import { openShop } from "../operator-shop.ts";
import { readVars, Settings, varsText } from "../settings.ts";
import { writePrivate } from "../private-file.ts";

/**
 * The secret that the kit shares with the tested terminal: from the environment, the file given with `--env`, the file of
 * an earlier run, or drawn now, in the form that the gateway issues. Only the owner can read the file; give it to the
 * terminal.
 *
 * @returns the path of the file, or null for a secret that the caller has given
 */
export async function readTerminalSecret(
  url: URL,
  env: string | undefined,
): Promise<{ secret: string; path: string | null }> {
  const settings = await Settings.read(env);
  const given = givenBy(env, settings)("TERMINAL_SECRET");
  if (given !== undefined) return { secret: given, path: null };
  const path = join(settings.folder("conformance", url.href), "terminal.env");
  const secret = (await readVars(path)).get("TERMINAL_SECRET") ?? randomBytes(32).toString("base64url");
  await keep(path, { TERMINAL_SECRET: secret }, url);
  return { secret, path };
}

/**
 * Writes them into a file for the tested side.
 *
 * @param url where the kit listens, which is its gateway
 */
async function keep(path: string, values: Record<string, string>, url: URL): Promise<void> {
  await writePrivate(path, varsText({ ...values, GATEWAY_URL: url.href.replace(/\/+$/u, "") }));
}

const SHOP = ["POS_ID", "MERCHANT_ID", "DEVICE_ID", "PASSWORD", "SIGNING_KEY", "TERMINAL_SECRET"] as const;

/** The credentials of an account at a gateway, and of its terminal. */
type ShopValues = Record<(typeof SHOP)[number], string>;

/**
 * The account and terminal with which the POS kit works at a gateway: those that the caller names with POS_ID, those of an
 * earlier run if the gateway still accepts them, or new ones, for which it needs an operator's token. Throws UsageError,
 * CommandError and PosError.
 *
 * @param url where the kit listens
 */
export async function shopAt(
  gateway: string,
  url: URL,
  env: string | undefined,
): Promise<{ values: ShopValues; path: string | null }> {
  const settings = await Settings.read(env);
  const given = givenBy(env, settings);
  if (given("POS_ID") !== undefined) return { values: valuesBy((name) => settings.must(name)), path: null };
  const path = join(settings.folder("conformance", url.href), "pos.env");
  const kept = await readVars(path);
  const known = valuesBy((name) => kept.get(name) ?? "");
  if (await isAccepted(gateway, known)) return { values: known, path };
  const operator = new OperatorClient(gateway, await operatorTokenFor(settings, gateway));
  const id = known.POS_ID || `KIT-${randomBytes(4).toString("hex").toUpperCase()}`;
  const plan = { posId: id, merchantId: id, name: "Conformance kit", ...TERMS, terminalIds: [id] };
  const { password, signingKey, secrets } = await openShop(gateway, operator, plan);
  const ids = { POS_ID: id, MERCHANT_ID: id, DEVICE_ID: id };
  const values = { ...ids, PASSWORD: password, SIGNING_KEY: signingKey, TERMINAL_SECRET: secrets[id] ?? "" };
  await keep(path, values, url);
  return { values, path };
}

const TERMS = { currency: "MYR", timezone: "Asia/Kuala_Lumpur" };

function valuesBy(read: (name: keyof ShopValues) => string): ShopValues {
  return Object.fromEntries(SHOP.map((name) => [name, read(name)])) as ShopValues;
}

/** False for those of a gateway whose data is gone. */
async function isAccepted(baseUrl: string, values: ShopValues): Promise<boolean> {
  if (SHOP.some((name) => values[name] === "")) return false;
  const { POS_ID: posId, MERCHANT_ID: merchantId, PASSWORD: password, SIGNING_KEY: signingKey } = values;
  try {
    await new PosClient({ baseUrl, posId, merchantId, password, signingKey }).login();
    return true;
  } catch (error) {
    if (error instanceof PosError && (error.kind === "unauthorized" || error.kind === "forbidden")) return false;
    throw error;
  }
}

/** Ignores the demo of `npm start`: the kit is another gateway. */
function givenBy(env: string | undefined, settings: Settings): (name: string) => string | undefined {
  if (env !== undefined) return (name) => settings.get(name);
  return (name) => process.env[name as keyof NodeJS.ProcessEnv] || undefined;
}
