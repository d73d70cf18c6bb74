import { it } from "vitest";
import { DurableMemory, type TerminalMemory } from "../../../../../src/sdk/client/terminal/memory.ts";
import { OWNER } from "../../../../support/scripted-gateway.ts";

const next = (before: TerminalMemory) => ({
  memory: { ...before, highestAccepted: String(Number(before.highestAccepted) + 1) },
});

it("changes one step at a time, and closes after the last", async ({ expect }) => {
  const did: string[] = [];
  const memory = await DurableMemory.open(
    {
      load: async () => ({ ...OWNER, memory: "memory-1", highestAccepted: "1", held: [] }),
      save: async ({ highestAccepted }) => {
        await Promise.resolve();
        did.push(`saved ${highestAccepted}`);
      },
      close: async () => void did.push("closed"),
    },
    OWNER,
  );
  void memory.change(next);
  void memory.change(next);
  const saved = memory.saved().then(() => did.push("saved all"));
  await memory.close();
  await saved;
  expect(did.slice(0, 2)).toEqual(["saved 2", "saved 3"]);
  expect(did.slice(2).toSorted()).toEqual(["closed", "saved all"]);
});
