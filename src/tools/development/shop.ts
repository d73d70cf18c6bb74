/**
 * Shops as an operator sets them up and removes them: for the demo, for the test sale of a deploy, and for simulations.
 */
import { setTimeout as delay } from "node:timers/promises";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { newReferenceId, PosClient, type PosClientOptions } from "../../sdk/client/pos.ts";
import {
  CommandError,
  Operator,
  type OperatorAnswer,
  type Query,
  refused,
} from "../../sdk/command-line/operator-client.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import type { SimulatedTerminal } from "../../sdk/simulator/simulated-terminal.ts";
import { SECOND } from "../../protocol/time/units.ts";

export interface ShopPlan {
  posId: string;
  merchantId: string;
  name: string;
  currency: string;
  timezone: string;
  terminalIds: string[];
}

export interface Shop extends ShopPlan {
  signingKey: string;
  password: string;
  /** By terminal id. */
  secrets: Record<string, string>;
}

/** An operator's concurrent calls: more would only queue at a gateway on one machine. */
export const WIDTH = 8;

/** Milliseconds. Together longer than a rate limit lasts, and than a request lives. */
const WAIT = 3 * SECOND;
const ATTEMPTS = 50;

/** Waits while the gateway limits the rate, and while an object to delete is busy: a fleet takes thousands of calls. */
export class PatientOperator extends Operator {
  override async call(method: string, path: string, body?: object): Promise<OperatorAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await super.call(method, path, body);
      const isLater = answer.status === 429 || (answer.status === 409 && method === "DELETE");
      if (!isLater || attempt === ATTEMPTS) return answer;
      await delay(WAIT);
    }
  }
}

/**
 * Creates the account and terminals, and binds the terminals. An account or terminal that exists, such as after an
 * interrupted set-up, gets a new key, password or secret. Throws CommandError.
 */
export async function openShop(baseUrl: string, operator: Operator, plan: ShopPlan): Promise<Shop> {
  const { posId, merchantId, name, currency, timezone, terminalIds } = plan;
  await operator.must("PUT", `/shops/${merchantId}`, { name, timezone });
  const account = await created(operator, "/accounts", { posId, merchantId, name, currency, timezone });
  const [signingKey, password] =
    account === null
      ? [
          await operator.must("POST", `/accounts/${posId}/signing-key`, { revokePrevious: true }, "signingKey"),
          await operator.must("POST", `/accounts/${posId}/password`, {}, "password"),
        ]
      : [String(account["signingKey"]), String(account["password"])];
  const secrets: Record<string, string> = {};
  await mapConcurrently(terminalIds, WIDTH, async (terminalId) => {
    const terminal = { terminalId, isVT: 1, merchantId, name: `${name} ${terminalId.slice(-2)}` };
    const enrolled = await created(operator, "/terminals", terminal);
    secrets[terminalId] =
      enrolled === null
        ? await operator.must("POST", `/terminals/${terminalId}/secret`, {}, "secret")
        : String(enrolled["secret"]);
  });
  const shop = { ...plan, signingKey, password, secrets };
  const pos = tillOf(baseUrl, shop);
  for (let first = 0; first < terminalIds.length; first += PREBIND_ENTRIES) {
    await pos.prebind(terminalIds.slice(first, first + PREBIND_ENTRIES));
  }
  await pos.logout();
  return shop;
}

/** The answer, with the secrets; null if the object exists already. */
async function created(operator: Operator, path: string, body: object): Promise<OperatorAnswer["body"] | null> {
  const answer = await operator.call("POST", path, body);
  if (answer.status === 409) return null;
  if (answer.status >= 300) throw refused(answer, `POST /operator${path}: `);
  return answer.body;
}

/** Deletes the accounts, terminals and shops whose ids begin with `prefix`. Throws CommandError. */
export async function removeAll(operator: PatientOperator, prefix: string) {
  const remove = async (path: string, query: Query, id: string): Promise<number> => {
    const rows = await operator.rows(path, query, Infinity);
    await mapConcurrently(
      rows,
      WIDTH,
      async (row) => void (await operator.must("DELETE", `${path}/${String(row[id])}`)),
    );
    return rows.length;
  };
  const accounts = await remove("/accounts", { posId: prefix, status: "active" }, "posId");
  const terminals = await remove("/terminals", { terminalId: prefix, status: "enrolled" }, "terminalId");
  await remove("/shops", { merchantId: prefix }, "merchantId");
  return { accounts, terminals };
}

export function tillOf(baseUrl: string, shop: Shop, more: Pick<PosClientOptions, "fetch"> = {}): PosClient {
  const { posId, merchantId, password, signingKey } = shop;
  return new PosClient({ baseUrl, posId, merchantId, password, signingKey, ...more });
}

/** Switches the terminal on, and binds it to the shop's account if it is not bound yet. Throws CommandError. */
export async function connect(terminal: SimulatedTerminal, pos: PosClient, { posId }: ShopPlan): Promise<void> {
  await terminal.start();
  if (terminal.client.binding.posId === posId) return;
  const bound = await terminal.bind((await pos.bindKey()).key);
  if (!bound.ok) throw new CommandError(`A terminal of ${posId} could not be bound: ${JSON.stringify(bound.error)}`);
}

export function cardSale(deviceId: string, transAmt: string) {
  return { deviceId, referenceId: newReferenceId(), transAmt, paymentMethod: "bankCard" } as const;
}
