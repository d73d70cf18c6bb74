/** What the POS conformance kit needs at the gateway of the tests from outside. */
import { inject } from "vitest";
import { openShop } from "../../src/sdk/command-line/operator-shop.ts";
import { alterAnswer } from "../../src/sdk/conformance/pos/faults.ts";
import type { PosKitOptions } from "../../src/sdk/conformance/pos/kit.ts";
import type { KitAccount } from "../../src/sdk/conformance/pos/judge.ts";
import { NOBODY } from "../../src/sdk/conformance/tester.ts";
import { operator } from "./fresh-project.ts";
import { TEST_PATIENCE } from "./patience.ts";

export const ADDRESS = { url: new URL("http://127.0.0.1:0"), tls: null };

/** Milliseconds for a whole run, which starts a hundred processes of the POS, on the busiest machine. */
export const KIT_PATIENCE = 5 * TEST_PATIENCE;

export interface KitShop {
  gateway: string;
  account: KitAccount;
  terminalSecret: string;
}

/** Opens an account with one terminal, both new. */
export async function kitShop(): Promise<KitShop> {
  const { baseUrl: gateway } = inject("gateway");
  const id = `KIT-${crypto.randomUUID().slice(0, 8)}`;
  const terms = { currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
  const plan = { posId: id, merchantId: id, name: "Kit", ...terms, terminalIds: [id] };
  const { password, signingKey, secrets } = await openShop(gateway, operator(), plan);
  const account = { posId: id, merchantId: id, deviceId: id, password, signingKey };
  return { gateway, account, terminalSecret: secrets[id] ?? "" };
}

/** Runs all steps, without a person. */
export function kitOptions(shop: KitShop): Omit<PosKitOptions, "driver"> {
  return { ...shop, address: ADDRESS, tester: NOBODY, only: null, patient: false };
}

/** A 22 that only the operator can resolve. */
export const UNCONFIRMED = alterAnswer((answer) => ({ ...answer, statusCode: "22", responseCode: "UNCONFIRMED" }));
