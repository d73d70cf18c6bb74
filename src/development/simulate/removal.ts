/** Removes what a simulation has set up, by the prefix of its ids. */
import { setTimeout as delay } from "node:timers/promises";
import { inParallel } from "../../bounds/parallel.ts";
import { callPatiently, mustPatiently } from "../fleet/patient-operator.ts";
import { WIDTH } from "../fleet/shop.ts";
import { CommandError, describe } from "../../command-line/operator/client.ts";
import type { Operator } from "../../command-line/operator/client.ts";

export interface Removed {
  accounts: number;
  terminals: number;
}

/** How often the removal of a busy terminal is retried: longer than a request lives. */
const BUSY_ATTEMPTS = 75;
const BUSY_WAIT = 2_000;

/**
 * Deletes the accounts, retires the terminals and removes the shops whose ids begin with `prefix`. Does nothing if
 * there are none. Throws CommandError.
 */
export async function removeAll(operator: Operator, prefix: string): Promise<Removed> {
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
