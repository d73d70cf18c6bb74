/** An account's terminals get its terms, its suspension and its deletion, until each of them has them. */
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { TARGETS_AT_ONCE } from "../../../../src/gateway/durable/outbox-dispatcher.ts";
import { Terminal } from "../../../../src/gateway/terminal/terminal.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { type Books, openBooks, terminalsThat } from "../../../support/gateway/account/books.ts";

useFakeClock();

afterEach(() => {
  vi.restoreAllMocks();
});

const DONE = { kind: "done" } as const;

/** Binds this many terminals, and answers their names. */
async function bindMany({ object }: Books, many: number): Promise<string[]> {
  const names = Array.from({ length: many }, (_, index) => `T-${100 + index}`);
  for (const terminalId of names) await object.deviceChanged({ terminalId, bindingVersion: 1, bound: true });
  return names;
}

describe("the terminals of an account", () => {
  it("receive each change once, even if they are many", async ({ expect }) => {
    const books = await openBooks();
    const { posId } = books;
    const names = ["T-1", "T-2", ...(await bindMany(books, TARGETS_AT_ONCE))];
    const told = terminalsThat(async () => DONE);
    await books.object.change({ currency: "SGD" }, "tester");
    expect(told).toHaveBeenCalledTimes(names.length);
    const terms = {
      posId,
      merchantId: "M-1",
      currency: "SGD",
      timezone: "Asia/Kuala_Lumpur",
      version: expect.any(Number),
    };
    expect(told.mock.calls[0]).toEqual([posId, { kind: "terms", status: "active", terms }]);
  });

  it("are in the feed once each when the account loses them", async ({ expect }) => {
    const books = await openBooks();
    const { object } = books;
    terminalsThat(async () => DONE);
    const unbound = (terminalId: string, bindingVersion: number) =>
      object.deviceChanged({ terminalId, bindingVersion, bound: false, unboundBy: "operator" });
    // Old news, a terminal that was never here, the loss, and the same again.
    await unbound("T-1", 1);
    await unbound("T-9", 1);
    await unbound("T-1", 2);
    await unbound("T-1", 3);
    await object.remove("tester");
    await unbound("T-2", 2);
    expect((await books.feed()).map(({ type, data }) => ({ type, ...data }))).toEqual([
      { type: "terminal.unbound", terminalId: "T-1", unboundBy: "operator" },
    ]);
  });

  it("are free for a waiting account once they have processed the deletion", async ({ expect }) => {
    const [books, heir] = [await openBooks(), await openBooks()];
    const { posId, object } = books;
    await object.deviceChanged({ terminalId: "T-2", bindingVersion: 2, bound: false });
    const { DATABASE } = env;
    await DATABASE.batch([
      DATABASE.prepare(
        `INSERT INTO terminals (terminal_id, status, is_vt, merchant_id, created_at, sealed_under)
         VALUES ('T-1', 'enrolled', 0, 'M-1', 0, '')`,
      ),
      DATABASE.prepare("INSERT INTO prebound_terminals VALUES (?, 'T-1', 0)").bind(heir.posId),
    ]);
    const bind = vi.spyOn(Terminal.prototype, "bind").mockResolvedValue({ kind: "bound" });
    const told = terminalsThat(async () => DONE);
    await object.change({ currency: "SGD" }, "tester");
    expect(bind).not.toHaveBeenCalled();
    await object.remove("tester");
    expect(told.mock.calls.at(-1)).toEqual([posId, { kind: "deleted", version: expect.any(Number), actor: "tester" }]);
    const terms = { posId: heir.posId, merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
    expect(bind.mock.calls).toEqual([[terms, "only-unbound"]]);
  });
});
