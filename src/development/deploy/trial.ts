/**
 * A sale at a gateway that was just deployed, through the public interface. It creates an account and a simulated
 * terminal and removes them afterwards. Both stay listed as deleted and retired, as all do.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { PosError } from "../../client/pos.ts";
import { type Result, err, ok } from "../../outcomes/result.ts";
import { Counter } from "../counter.ts";
import { CommandError, Operator, describe } from "../../command-line/operator/client.ts";

/** Only the ids of trials begin with it. */
export const TRIAL_PREFIX = "DEPLOY-TRIAL-";

const TERMS = { currency: "MYR", timezone: "Asia/Kuala_Lumpur", name: "Test sale of a deploy" };
const AMOUNT = "12.50";

/** How often the removal of a busy terminal is retried, and after how many milliseconds. */
const REMOVALS = 10;
const BETWEEN_REMOVALS = 1_000;

export interface Trial {
  /** The transaction's number. */
  transId: string;
  /** Milliseconds from the till's request to its answer. */
  took: number;
}

/** Makes a sale, and removes what it created as well as leftovers of earlier trials. The error is a sentence. */
export async function makeTestSale(baseUrl: string, operatorToken: string): Promise<Result<Trial, string>> {
  const operator = new Operator(baseUrl, operatorToken);
  try {
    await removeTrials(operator);
    try {
      return await sell(baseUrl, operator);
    } finally {
      await removeTrials(operator);
    }
  } catch (error) {
    if (error instanceof CommandError || error instanceof PosError) return err(error.message);
    throw error;
  }
}

async function sell(baseUrl: string, operator: Operator): Promise<Result<Trial, string>> {
  const id = `${TRIAL_PREFIX}${randomBytes(4).toString("hex").toUpperCase()}`;
  const created = await operator.call("POST", "/accounts", { posId: id, merchantId: id, ...TERMS });
  if (created.status !== 201) return err(`The account of the test sale could not be created: ${describe(created)}`);
  const { password, signingKey } = created.body;
  // With the trial's own merchant, no other account can bind it.
  const enrolled = { terminalId: id, isVT: 1, merchantId: id, name: TERMS.name };
  const secret = await operator.must("POST", "/terminals", enrolled, "secret");
  const counter = new Counter({
    baseUrl,
    account: { posId: id, merchantId: id, password: String(password), signingKey: String(signingKey) },
    terminal: { terminalId: id, secret },
  });
  try {
    await counter.connect();
    const from = performance.now();
    const { answer } = await counter.sale(AMOUNT);
    const took = Math.round(performance.now() - from);
    const { statusCode, responseCode, responseText = "", transData } = answer;
    if (statusCode === "00") return ok({ transId: transData?.transId ?? "", took });
    return err(`The sale ended with ${statusCode} ${responseCode}: ${responseText}`);
  } finally {
    await counter.terminal.stop();
  }
}

/** Retires the terminals and deletes the accounts of all trials. */
async function removeTrials(operator: Operator): Promise<void> {
  for (const terminal of await rowsOf(operator, "/terminals")) {
    if (terminal["status"] === "retired") continue;
    await remove(operator, `/terminals/${String(terminal["terminalId"])}`);
  }
  for (const account of await rowsOf(operator, "/accounts")) {
    if (account["status"] === "deleted") continue;
    await remove(operator, `/accounts/${String(account["posId"])}`);
  }
}

/**
 * The rows of a list whose ids begin with the trial's prefix. Lists are in the order of their ids, after the cursor.
 */
async function rowsOf(operator: Operator, path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let cursor: unknown = TRIAL_PREFIX; typeof cursor === "string" && cursor.startsWith(TRIAL_PREFIX);) {
    const { status, body } = await operator.call("GET", `${path}?cursor=${encodeURIComponent(cursor)}`);
    if (status !== 200) throw new CommandError(`GET /operator${path}: ${describe({ status, body })}`);
    rows.push(...(body["data"] as Record<string, unknown>[]));
    cursor = body["next"];
  }
  return rows.filter((row) => String(row["terminalId"] ?? row["posId"]).startsWith(TRIAL_PREFIX));
}

async function remove(operator: Operator, path: string): Promise<void> {
  for (let count = 1; ; count++) {
    const answer = await operator.call("DELETE", path);
    if (answer.status === 200) return;
    // 409 while a payment is still in progress.
    if (answer.status !== 409 || count === REMOVALS) throw new CommandError(`DELETE ${path}: ${describe(answer)}`);
    await delay(BETWEEN_REMOVALS);
  }
}
