import { describe, it } from "vitest";
import { Ledger } from "../../../../src/sdk/simulator/ledger.ts";
import type { LedgerEntry, NewCharge } from "../../../../src/sdk/simulator/ledger.ts";

function sale(requestId: string, transDateTime = "2026-11-20T10:00:00"): NewCharge {
  return {
    posId: "POS-1",
    referenceId: `R-${requestId}`,
    requestId,
    transId: requestId,
    transType: "sale",
    currency: "MYR",
    transAmt: "12.50",
    cashAmt: null,
    transDateTime,
    details: {},
  };
}

const VOID = { transId: "1000000001", posId: "POS-1", requestId: "1000000002", at: "2026-11-20T11:00:00" };

describe("a simulated host's ledger", () => {
  it("never charges a request that was reversed", ({ expect }) => {
    const ledger = new Ledger();
    ledger.reverse("1000000001");
    expect(ledger.charge(sale("1000000001"))).toBeNull();
    expect(ledger.charge(sale("1000000003"))).toMatchObject({ requestId: "1000000003" });
    ledger.reverse("1000000004");
    expect(ledger.void({ ...VOID, transId: "1000000003", requestId: "1000000004" })).toBeNull();
    expect(ledger.charges).toHaveLength(1);
  });

  it("keeps two charges under one reference separate", ({ expect }) => {
    const ledger = new Ledger();
    ledger.charge(sale("1000000001"));
    ledger.charge({ ...sale("1000000002"), referenceId: "R-1000000001" });
    ledger.charge(sale("1000000003"));
    ledger.charge({ ...sale("1000000004"), referenceId: "R-1000000001", posId: "POS-2" });
    const charged = ledger.of("POS-1", "R-1000000001").map(({ requestId }) => requestId);
    expect(charged).toEqual(["1000000001", "1000000002"]);
  });

  it("reverses a charge once, and only for its own account", ({ expect }) => {
    const ledger = new Ledger();
    ledger.charge(sale("1000000001"));
    expect(ledger.void({ ...VOID, posId: "POS-2" })).toBeNull();
    expect(ledger.void(VOID)).toMatchObject({ voidedBy: "1000000002", voidedAt: VOID.at });
    expect(ledger.void({ ...VOID, requestId: "1000000003" })).toBeNull();
    expect(ledger.moneyMoved("1000000002")).toBe(ledger.moneyMoved("1000000001"));
  });

  it("numbers invoices consecutively, and batches by day", ({ expect }) => {
    const ledger = new Ledger();
    expect([ledger.nextInvoice(), ledger.batchAt("2026-11-20T10:00:00")]).toEqual(["000001", "000001"]);
    ledger.charge(sale("1000000001"));
    expect([ledger.nextInvoice(), ledger.batchAt("2026-11-20T23:59:59")]).toEqual(["000002", "000001"]);
    expect(ledger.batchAt("2026-11-21T00:00:00")).toBe("000002");
  });

  it("is the same when rebuilt from its entries", ({ expect }) => {
    const entries: LedgerEntry[] = [];
    const ledger = new Ledger([], (entry) => entries.push(entry));
    ledger.charge(sale("1000000001"));
    ledger.void(VOID);
    ledger.reverse("1000000003");
    ledger.reverse("1000000003");
    expect(entries.map(({ kind }) => kind)).toEqual(["charge", "void", "reversal"]);
    const again = new Ledger(JSON.parse(JSON.stringify(entries)));
    expect(again.charges).toEqual(ledger.charges);
    expect(again.charge(sale("1000000003"))).toBeNull();
  });

  it("moves no money if it cannot store the entry", ({ expect }) => {
    const ledger = new Ledger([], () => {
      throw new Error("the disk is full");
    });
    expect(() => ledger.charge(sale("1000000001"))).toThrow("the disk is full");
    expect(ledger.charges).toEqual([]);
  });
});
