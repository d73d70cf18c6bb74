import { vi } from "vitest";
import type { TermsNews } from "../../src/rpc/account.ts";
import { Terminal } from "../../src/terminal/terminal.ts";

/** What an operator has set for the account of the tests on Node. */
export const DETAILS = {
  posId: "pos-1",
  merchantId: "M-1",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Counter",
  region: "apac",
} as const;

/** What terminals receive from now on; `answer` decides how each responds. */
export function terminalsThat(answer: (news: TermsNews) => Promise<{ kind: "done" } | { kind: "busy" }>) {
  return vi.spyOn(Terminal.prototype, "accountNews").mockImplementation((_posId, news) => answer(news));
}
