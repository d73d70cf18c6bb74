/** What the scenes of a file share at the operator's page: a browser, a shop that has sold, and the page, signed in. */
import { expect, inject } from "vitest";
import { newReferenceId } from "../../src/sdk/client/pos.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";
import { connect } from "./chromium.ts";
import { boundTerminal, createAccount, operator, posOf } from "./fresh-project.ts";
import { openOperatorPage, signIn } from "./operator-page.ts";
import type { OperatorPage } from "./operator-page.ts";

export type OperatorShop = Awaited<ReturnType<typeof openOperatorShop>>;

/** Opens a shop of this name, with an approved sale of 12.50 and a declined one of 10.05. */
export async function openOperatorShop(name: string) {
  const browser = await connect();
  const account = await createAccount();
  const terminal = await boundTerminal(account);
  const simulated = new SimulatedTerminal({ baseUrl: inject("gateway").baseUrl, ...terminal });
  await simulated.start();
  await operator().must("PUT", `/shops/${account.merchantId}`, { name, timezone: "Asia/Kuala_Lumpur" });
  const saleOf = (transAmt: string) =>
    ({ deviceId: terminal.terminalId, referenceId: newReferenceId(), paymentMethod: "bankCard", transAmt }) as const;
  const sell = async (amount: string): Promise<void> => void (await posOf(account).sale(saleOf(amount)));
  await sell("12.50");
  await sell("10.05");
  /** Signed in. */
  const desk = await openOperatorPage(browser);
  await signIn(desk);
  await desk.page.getByRole("navigation", { name: "Sections" }).waitFor();
  const close = async (): Promise<void> => {
    await simulated.stop();
    await browser.close();
  };
  return { browser, account, terminal, desk, saleOf, sell, close };
}

/** Checks that a page has called only its own origin, and never violated its policy. */
export function expectPolicyKept({ origins, complaints }: OperatorPage): void {
  expect([...origins].filter((origin) => origin !== "null")).toEqual([inject("gateway").baseUrl]);
  expect(complaints).toEqual([]);
}
