import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "vitest";
import { openLedger } from "../../src/simulator/ledger-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ledger-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function sale(requestId: string): Parameters<ReturnType<typeof openLedger>["charge"]>[0] {
  return {
    posId: "POS-1",
    referenceId: `R-${requestId}`,
    requestId,
    transId: requestId,
    transType: "sale",
    currency: "MYR",
    transAmt: "12.50",
    cashAmt: null,
    transDateTime: "2026-11-20T10:00:00",
    details: { invNo: "000001" },
  };
}

describe("a ledger in a file", () => {
  it("is available to the next process", ({ expect }) => {
    const path = join(folder, "deeper", "ledger.jsonl");
    const ledger = openLedger(path);
    ledger.charge(sale("1000000001"));
    ledger.reverse("1000000002");
    const again = openLedger(path);
    expect(again.charges).toEqual(ledger.charges);
    expect(again.charge(sale("1000000002"))).toBeNull();
  });

  it("does not count an entry that was cut off, and continues after it", async ({ expect }) => {
    const path = join(folder, "ledger.jsonl");
    openLedger(path).charge(sale("1000000001"));
    await appendFile(path, '{"kind":"charge","posId":"POS-1","transAm');
    const ledger = openLedger(path);
    expect(ledger.charges.map(({ requestId }) => requestId)).toEqual(["1000000001"]);
    ledger.charge(sale("1000000003"));
    expect(openLedger(path).charges).toHaveLength(2);
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(3);
  });

  it("is never treated as empty when it cannot be read", async ({ expect }) => {
    const path = join(folder, "ledger.jsonl");
    await appendFile(path, "not JSON\n");
    expect(() => openLedger(path)).toThrow(SyntaxError);
  });
});
