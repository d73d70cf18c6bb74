import fs from "node:fs";
import { appendFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { openLedger } from "../../../src/sdk/simulator/ledger-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ledger-"));
});

afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await rm(folder, { recursive: true });
});

/** Puts `work` before what the file system does from now on. */
function before(call: "writeSync" | "fsyncSync", work: (file: number) => void): void {
  const original = fs[call];
  const spy: { mockImplementation: (by: (...given: unknown[]) => unknown) => void } = vi.spyOn(fs, call);
  spy.mockImplementation((...given) => {
    work(Number(given[0]));
    return Reflect.apply(original, fs, given);
  });
  syncBuiltinESMExports();
}

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

  it("ignores an entry that was cut off, and continues after it", async ({ expect }) => {
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

  it("stores an entry before counting it, and its name before any entry", async ({ expect }) => {
    const path = join(folder, "ledger.jsonl");
    const did: string[] = [];
    let ledger: ReturnType<typeof openLedger> | null = null;
    before("writeSync", () => did.push("write"));
    before("fsyncSync", (file) => {
      did.push(
        fs.fstatSync(file).isDirectory() ? "sync the folder" : `sync the file with ${ledger?.charges.length ?? 0}`,
      );
    });
    ledger = openLedger(path);
    expect(did.splice(0)).toEqual(["sync the file with 0", "sync the folder"]);
    for (const requestId of ["1000000001", "1000000002"]) ledger.charge(sale(requestId));
    expect(did).toEqual(["write", "sync the file with 0", "write", "sync the file with 1"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("keeps nothing of a failed entry, and continues when space returns", async ({ expect }) => {
    const path = join(folder, "ledger.jsonl");
    const ledger = openLedger(path);
    ledger.charge({ ...sale("1000000001"), referenceId: "Käse" });
    const whole = await readFile(path, "utf8");
    before("fsyncSync", () => {
      throw new Error("no space left on device");
    });
    expect(() => ledger.charge(sale("1000000002"))).toThrow("no space left on device");
    expect(await readFile(path, "utf8")).toBe(whole);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    ledger.charge(sale("1000000003"));
    ledger.charge(sale("1000000004"));
    before("writeSync", () => {
      throw new Error("no space left on device");
    });
    expect(() => ledger.charge(sale("1000000005"))).toThrow("no space left on device");
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    const kept = ["1000000001", "1000000003", "1000000004"];
    expect(ledger.charges.map(({ requestId }) => requestId)).toEqual(kept);
    expect(openLedger(path).charges).toEqual(ledger.charges);
  });
});
