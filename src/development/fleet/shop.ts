/** Shops with many terminals, as an operator sets them up and removes them. */
import { setTimeout as delay } from "node:timers/promises";
import { PosClient } from "../../client/pos.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import { CommandError, describe, type Operator, type OperatorAnswer } from "../../command-line/operator/client.ts";
import { inParallel } from "../../bounds/parallel.ts";

export interface ShopPlan {
  posId: string;
  merchantId: string;
  name: string;
  currency: string;
  timezone: string;
  terminalIds: string[];
}

/** A shop that exists at the gateway. */
export interface Shop extends ShopPlan {
  signingKey: string;
  /** The terminals' secrets by id. */
  secrets: Record<string, string>;
}

/** An operator's calls at the same time: more would only queue at a gateway on one machine. */
export const WIDTH = 8;

/**
 * The wait between two attempts while the gateway limits the rate, and the number of attempts: two minutes in total.
 */
const RATE_WAIT = 3_000;
const RATE_ATTEMPTS = 40;

/** How often the removal of a busy terminal is retried: longer than a request lives. */
const BUSY_ATTEMPTS = 75;
const BUSY_WAIT = 2_000;

/**
 * Creates a shop's account and terminals, and binds the terminals. What already exists, such as after an interrupted
 * set-up, gets a new key or secret. Throws CommandError.
 */
export async function openShop(baseUrl: string, operator: Operator, plan: ShopPlan): Promise<Shop> {
  const { posId, merchantId, name, currency, timezone, terminalIds } = plan;
  await mustPatiently(operator, "PUT", `/shops/${merchantId}`, { name, timezone });
  const account = { posId, merchantId, name, currency, timezone };
  const created = { path: "/accounts", body: account, again: `/accounts/${posId}/signing-key` };
  const signingKey = await secretOf(operator, "signingKey", created);
  const secrets: Record<string, string> = {};
  await inParallel(terminalIds, WIDTH, async (terminalId) => {
    const body = { terminalId, isVT: 1, merchantId, name: `${name} ${terminalId.slice(-2)}` };
    const enrolled = { path: "/terminals", body, again: `/terminals/${terminalId}/secret` };
    secrets[terminalId] = await secretOf(operator, "secret", enrolled);
  });
  const pos = new PosClient({ baseUrl, posId, merchantId, signingKey });
  for (let first = 0; first < terminalIds.length; first += PREBIND_ENTRIES) {
    await pos.prebind(terminalIds.slice(first, first + PREBIND_ENTRIES));
  }
  await pos.logout();
  return { ...plan, signingKey, secrets };
}

/** Creates something that has a secret. If it already exists, the call `again` gives it a new one. */
async function secretOf(
  operator: Operator,
  secret: "secret" | "signingKey",
  { path, body, again }: { path: string; body: object; again: string },
): Promise<string> {
  const created = await callPatiently(operator, "POST", path, body);
  if (created.status === 201) return String(created.body[secret]);
  if (created.status !== 409) throw new CommandError(`POST /operator${path}: ${describe(created)}`);
  return String((await mustPatiently(operator, "POST", again, {}))[secret]);
}

/**
 * Deletes the accounts, retires the terminals and removes the shops whose ids begin with `prefix`. Does nothing if
 * there are none. Throws CommandError.
 */
export async function removeAll(operator: Operator, prefix: string): Promise<{ accounts: number; terminals: number }> {
  const accounts = [
    ...(await idsOf(operator, `/accounts?posId=${prefix}&status=active`, "posId")),
    ...(await idsOf(operator, `/accounts?posId=${prefix}&status=suspended`, "posId")),
  ];
  await inParallel(accounts, WIDTH, (id) => remove(operator, `/accounts/${id}`));
  const terminals = await idsOf(operator, `/terminals?terminalId=${prefix}&status=enrolled`, "terminalId");
  await inParallel(terminals, WIDTH, (id) => remove(operator, `/terminals/${id}`));
  const shops = await idsOf(operator, `/shops?merchantId=${prefix}`, "merchantId");
  await inParallel(shops, WIDTH, (id) => remove(operator, `/shops/${id}`));
  return { accounts: accounts.length, terminals: terminals.length };
}

async function idsOf(operator: Operator, path: string, member: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: unknown = ""; typeof cursor === "string";) {
    const page = await mustPatiently(
      operator,
      "GET",
      cursor === "" ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    );
    const rows = page["data"] as Record<string, unknown>[];
    ids.push(...rows.map((row) => String(row[member])));
    cursor = page["next"];
  }
  return ids;
}

async function remove(operator: Operator, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await callPatiently(operator, "DELETE", path);
    if (answer.status < 300 || answer.status === 404) return;
    if (answer.status !== 409 || attempt === BUSY_ATTEMPTS) {
      throw new CommandError(`DELETE /operator${path}: ${describe(answer)}`);
    }
    await delay(BUSY_WAIT);
  }
}

/**
 * An operator's call that waits while the gateway limits the rate: setting up and removing a fleet takes thousands of
 * calls.
 */
async function callPatiently(operator: Operator, method: string, path: string, body?: object): Promise<OperatorAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await operator.call(method, path, body);
    if (answer.status !== 429 || attempt === RATE_ATTEMPTS) return answer;
    await delay(RATE_WAIT);
  }
}

/** A patient call that must succeed. Throws CommandError. */
async function mustPatiently(
  operator: Operator,
  method: string,
  path: string,
  body?: object,
): Promise<OperatorAnswer["body"]> {
  const answer = await callPatiently(operator, method, path, body);
  if (answer.status >= 300) throw new CommandError(`${method} /operator${path}: ${describe(answer)}`);
  return answer.body;
}
