/** Shops for the demo, for the test sale of a deploy, and for simulations. */
import { setTimeout as delay } from "node:timers/promises";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { newReferenceId, type PosClient } from "../../sdk/client/pos.ts";
import {
  CommandError,
  OperatorClient,
  type OperatorAnswer,
  type OperatorQuery,
} from "../../sdk/command-line/operator-client.ts";
import { type ShopPlan, WIDTH } from "../../sdk/command-line/operator-shop.ts";
import type { SimulatedTerminal } from "../../sdk/simulator/simulated-terminal.ts";
import { SECOND, type Milliseconds } from "../../protocol/time/units.ts";

/** Together longer than a rate limit lasts, and than a request lives. */
const WAIT: Milliseconds = 3 * SECOND;
const ATTEMPTS = 50;

/** Waits while the gateway limits the rate, and while an object to delete is busy: a fleet takes thousands of calls. */
export class PatientOperator extends OperatorClient {
  override async call(method: string, path: string, body?: object): Promise<OperatorAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await super.call(method, path, body);
      const isLater = answer.status === 429 || (answer.status === 409 && method === "DELETE");
      if (!isLater || attempt === ATTEMPTS) return answer;
      await delay(WAIT);
    }
  }
}

/** Deletes the accounts, terminals and shops whose ids begin with `prefix`. Throws CommandError. */
export async function removeAll(operator: PatientOperator, prefix: string) {
  const remove = async (path: string, query: OperatorQuery, id: string, how = ""): Promise<number> => {
    const rows = await operator.rows(path, query, Infinity);
    await mapConcurrently(
      rows,
      WIDTH,
      async (row) => void (await operator.must("DELETE", `${path}/${String(row[id])}${how}`)),
    );
    return rows.length;
  };
  // A killed run's terminals have lost their memory: a payment that one of them had accepted stays pending for ever.
  const accounts = await remove("/accounts", { posId: prefix, status: "active" }, "posId", "?force=true");
  const terminals = await remove("/terminals", { terminalId: prefix, status: "enrolled" }, "terminalId");
  await remove("/shops", { merchantId: prefix }, "merchantId");
  return { accounts, terminals };
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
