/** Shops with terminals, as an operator sets them up and removes them: for the demo, and for the test sale of a deploy. */
import { setTimeout as delay } from "node:timers/promises";
import { inParallel } from "../bounds/parallel.ts";
import { newReferenceId, PosClient, type PosClientOptions } from "../client/pos.ts";
import { CommandError, describe, type Operator, type OperatorAnswer } from "../command-line/operator/client.ts";
import type { SimulatedTerminal } from "../simulator/simulated-terminal.ts";
import { SECOND } from "../time/units.ts";

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
  password: string;
  /** The terminals' secrets by id. */
  secrets: Record<string, string>;
}

/** An operator's calls at the same time: more would only queue at a gateway on one machine. */
const WIDTH = 8;

/** The wait until a call is repeated, and how often: longer than a rate is limited, and than a request lives. */
const WAIT = 3 * SECOND;
const ATTEMPTS = 50;

/**
 * Creates a shop's account and terminals. What already exists, such as after an interrupted set-up, gets a new key, password
 * or secret. Throws CommandError.
 */
export async function openShop(operator: Operator, plan: ShopPlan): Promise<Shop> {
  const { posId, merchantId, name, currency, timezone, terminalIds } = plan;
  await must(operator, "PUT", `/shops/${merchantId}`, { name, timezone });
  const account = { posId, merchantId, name, currency, timezone };
  const { signingKey, password } = await created(operator, "/accounts", account, async () => ({
    ...(await must(operator, "POST", `/accounts/${posId}/signing-key`, { revokePrevious: true })),
    ...(await must(operator, "POST", `/accounts/${posId}/password`)),
  }));
  const secrets: Record<string, string> = {};
  await inParallel(terminalIds, WIDTH, async (terminalId) => {
    const terminal = { terminalId, isVT: 1, merchantId, name: `${name} ${terminalId.slice(-2)}` };
    const again = () => must(operator, "POST", `/terminals/${terminalId}/secret`);
    secrets[terminalId] = String((await created(operator, "/terminals", terminal, again))["secret"]);
  });
  return { ...plan, signingKey: String(signingKey), password: String(password), secrets };
}

type Body = OperatorAnswer["body"];

/** What is created, with its secrets; if it exists already, what `again` gives it. */
async function created(operator: Operator, path: string, body: object, again: () => Promise<Body>): Promise<Body> {
  const answer = await patiently(operator, "POST", path, body);
  return answer.status === 409 ? again() : mustBeDone("POST", path, answer);
}

/** Deletes accounts, terminals and shops whose ids begin with `prefix`, a busy terminal when it is free. Throws CommandError. */
export async function removeAll(operator: Operator, prefix: string): Promise<void> {
  const lists = [
    ["/accounts", { posId: prefix, status: "active" }, "posId"],
    ["/terminals", { terminalId: prefix, status: "enrolled" }, "terminalId"],
    ["/shops", { merchantId: prefix }, "merchantId"],
  ] as const;
  for (const [path, query, id] of lists) {
    for (const row of await operator.rows(path, query, Infinity)) {
      await must(operator, "DELETE", `${path}/${String(row[id])}`);
    }
  }
}

async function must(operator: Operator, method: string, path: string, body?: object): Promise<Body> {
  return mustBeDone(method, path, await patiently(operator, method, path, body));
}

function mustBeDone(method: string, path: string, answer: OperatorAnswer): Body {
  if (answer.status < 300) return answer.body;
  throw new CommandError(`${method} /operator${path}: ${describe(answer)}`);
}

/** An operator's call that waits while the gateway limits the rate, and while what it deletes is busy. */
async function patiently(operator: Operator, method: string, path: string, body?: object): Promise<OperatorAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await operator.call(method, path, body);
    const isLater = answer.status === 429 || (answer.status === 409 && method === "DELETE");
    if (!isLater || attempt === ATTEMPTS) return answer;
    await delay(WAIT);
  }
}

/** A till of the shop. */
export function tillOf(baseUrl: string, shop: Shop, more: Pick<PosClientOptions, "fetch"> = {}): PosClient {
  const { posId, merchantId, password, signingKey } = shop;
  return new PosClient({ baseUrl, posId, merchantId, password, signingKey, ...more });
}

/** Switches a simulated terminal on, and binds it to the shop's account if it is not bound yet. Throws CommandError. */
export async function connect(terminal: SimulatedTerminal, pos: PosClient, { posId }: ShopPlan): Promise<void> {
  await terminal.start();
  if (terminal.client.binding.posId === posId) return;
  const bound = await terminal.bind((await pos.bindKey()).key);
  if (!bound.ok) throw new CommandError(`A terminal of ${posId} could not be bound: ${JSON.stringify(bound.error)}`);
}

export function cardSale(deviceId: string, transAmt: string) {
  return { deviceId, referenceId: newReferenceId(), transAmt, paymentMethod: "bankCard" } as const;
}
