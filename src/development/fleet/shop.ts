/** Shops with many terminals, as an operator sets them up. */
import { PosClient } from "../../client/pos.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import { CommandError, describe } from "../../command-line/operator/client.ts";
import type { Operator } from "../../command-line/operator/client.ts";
import { inParallel } from "../../bounds/parallel.ts";
import { callPatiently, mustPatiently } from "./patient-operator.ts";

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
 * Creates a shop's account and terminals, and binds the terminals. What already exists, such as after an interrupted
 * set-up, gets a new key or secret. Throws CommandError.
 */
export async function openShop(baseUrl: string, operator: Operator, plan: ShopPlan): Promise<Shop> {
  const { posId, merchantId, name, currency, timezone, terminalIds } = plan;
  await mustPatiently(operator, "PUT", `/shops/${merchantId}`, { name, timezone });
  const account = { posId, merchantId, name, currency, timezone };
  const signingKey = await made(operator, "/accounts", account, "signingKey", `/accounts/${posId}/signing-key`);
  const secrets: Record<string, string> = {};
  await inParallel(terminalIds, WIDTH, async (terminalId) => {
    const terminal = { terminalId, isVT: 1, merchantId, name: `${name} ${terminalId.slice(-2)}` };
    secrets[terminalId] = await made(operator, "/terminals", terminal, "secret", `/terminals/${terminalId}/secret`);
  });
  const pos = new PosClient({ baseUrl, posId, merchantId, signingKey });
  for (let first = 0; first < terminalIds.length; first += PREBIND_ENTRIES) {
    await pos.prebind(terminalIds.slice(first, first + PREBIND_ENTRIES));
  }
  await pos.logout();
  return { ...plan, signingKey, secrets };
}

/** Creates something that has a secret. If it already exists, the call `again` gives it a new one. */
async function made(
  operator: Operator,
  path: string,
  body: object,
  secret: "secret" | "signingKey",
  again: string,
): Promise<string> {
  const created = await callPatiently(operator, "POST", path, body);
  if (created.status === 201) return String(created.body[secret]);
  if (created.status !== 409) throw new CommandError(`POST /operator${path}: ${describe(created)}`);
  return String((await mustPatiently(operator, "POST", again, {}))[secret]);
}
