/** The terminals of accounts, in the hands of a test. */
import { vi } from "vitest";
import type { TermsNews } from "../../src/rpc/account.ts";
import { Terminal } from "../../src/terminal/terminal.ts";

/** What terminals receive from now on; `answer` decides how each responds. */
export function terminalsThat(answer: (news: TermsNews) => Promise<{ kind: "done" } | { kind: "busy" }>) {
  return vi.spyOn(Terminal.prototype, "accountNews").mockImplementation((_posId, news) => answer(news));
}
