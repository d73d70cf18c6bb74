/**
 * Checks a gateway that was just deployed: it answers, and makes a sale through the public interface. The sale creates
 * an account and a simulated terminal and removes them afterwards. Both stay listed as deleted and retired.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PosError } from "../../client/pos.ts";
import { CommandError } from "../../command-line/operator/client.ts";
import { type Result, err, ok } from "../../outcomes/result.ts";
import { SimulatedTerminal } from "../../simulator/simulated-terminal.ts";
import { cardSale, connect, openShop, PatientOperator, removeAll, tillOf } from "../shop.ts";

/** Only the ids of trials begin with it. */
export const TRIAL_PREFIX = "DEPLOY-TRIAL-";

const TERMS = { currency: "MYR", timezone: "Asia/Kuala_Lumpur", name: "Test sale of a deploy" };
const AMOUNT = "12.50";

export interface Trial {
  transId: string;
  /** Milliseconds from the till's request to its answer. */
  took: number;
}

/** Also removes what it created, and leftovers of earlier trials. The error is a sentence. */
export async function makeTestSale(baseUrl: string, operatorToken: string): Promise<Result<Trial, string>> {
  const operator = new PatientOperator(baseUrl, operatorToken);
  try {
    await removeAll(operator, TRIAL_PREFIX);
    try {
      return await sell(baseUrl, operator);
    } finally {
      await removeAll(operator, TRIAL_PREFIX);
    }
  } catch (error) {
    if (error instanceof CommandError || error instanceof PosError) return err(error.message);
    throw error;
  }
}

async function sell(baseUrl: string, operator: PatientOperator): Promise<Result<Trial, string>> {
  const id = `${TRIAL_PREFIX}${randomBytes(4).toString("hex").toUpperCase()}`;
  // With the trial's own merchant, no other account can bind the terminal.
  const shop = await openShop(baseUrl, operator, { posId: id, merchantId: id, ...TERMS, terminalIds: [id] });
  const pos = tillOf(baseUrl, shop);
  const terminal = new SimulatedTerminal({ baseUrl, terminalId: id, secret: shop.secrets[id] ?? "" });
  try {
    await connect(terminal, pos, shop);
    const from = performance.now();
    const answer = await pos.sale(cardSale(id, AMOUNT));
    const took = Math.round(performance.now() - from);
    const { statusCode, responseCode, responseText = "", transData } = answer;
    if (statusCode === "00") return ok({ transId: transData?.transId ?? "", took });
    return err(`The sale ended with ${statusCode} ${responseCode}: ${responseText}`);
  } finally {
    await terminal.stop();
  }
}
/** Milliseconds. The name and certificate of a new address take some time to be known everywhere. */
const WITHIN = 180_000;
const BETWEEN = 2_000;

/** Null once the gateway can serve, or a sentence if it cannot in time. */
export async function waitForHealth(baseUrl: string, within = WITHIN, between = BETWEEN): Promise<string | null> {
  const until = performance.now() + within;
  for (;;) {
    const last = await health(baseUrl);
    if (last === null) return null;
    if (performance.now() >= until) return `${baseUrl}/healthz does not return 200: ${last}`;
    await delay(between);
  }
}

/** Null if the gateway can serve; otherwise what it answered. */
async function health(baseUrl: string): Promise<string | null> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(10_000) });
    // Any Worker may answer 200, even the empty one that wrangler creates to hold secrets.
    if (response.status === 200 && (await response.text()).includes('"ok"')) return null;
    return `it answered ${response.status}.`;
  } catch (error) {
    // Node says only "fetch failed"; the reason is in the cause.
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `${why instanceof Error ? why.message : String(why)}.`;
  }
}
