/** Shops as an operator sets them up: for the demo, for simulations, and for the POS conformance kit. */
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import { PosClient, type PosClientOptions } from "../client/pos.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits.ts";
import { type OperatorClient, type OperatorAnswer, refusalError } from "./operator-client.ts";

export interface ShopPlan {
  posId: string;
  merchantId: string;
  name: string;
  currency: string;
  timezone: string;
  terminalIds: string[];
}

export interface OpenedShop extends ShopPlan {
  signingKey: string;
  password: string;
  /** The secrets by terminal id. */
  secrets: Record<string, string>;
}

/** An operator's concurrent calls: more would only queue at a gateway on one machine. */
export const WIDTH = 8;

/**
 * Creates the account and terminals, and binds the terminals. An account or terminal that exists, such as after an
 * interrupted set-up, gets a new key, password or secret. Throws CommandError.
 */
export async function openShop(baseUrl: string, operator: OperatorClient, plan: ShopPlan): Promise<OpenedShop> {
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
  const pos = createShopPos(baseUrl, shop);
  for (let first = 0; first < terminalIds.length; first += PREBIND_ENTRIES) {
    await pos.prebind(terminalIds.slice(first, first + PREBIND_ENTRIES));
  }
  await pos.logout();
  return shop;
}

/** The answer, with the secrets; null if the object exists already. */
async function created(operator: OperatorClient, path: string, body: object): Promise<OperatorAnswer["body"] | null> {
  const answer = await operator.call("POST", path, body);
  if (answer.status === 409) return null;
  if (answer.status >= 300) throw refusalError(answer, `POST /operator${path}: `);
  return answer.body;
}

export function createShopPos(
  baseUrl: string,
  shop: OpenedShop,
  more: Pick<PosClientOptions, "fetch"> = {},
): PosClient {
  const { posId, merchantId, password, signingKey } = shop;
  return new PosClient({ baseUrl, posId, merchantId, password, signingKey, ...more });
}
