import { describe, it } from "vitest";
import { cashOutPayment, question, salePayment, voiding } from "../../../../src/gateway/http/pos/transfer/messages.ts";

const SALE = { transAmt: "12.50", paymentMethod: "bankCard" };

/** Where a payment's data are wrong. */
function wrong(schema: typeof salePayment | typeof cashOutPayment | typeof voiding | typeof question, data: object) {
  return schema.safeParse(data).error?.issues.map(({ path }) => path.join(".")) ?? [];
}

describe("a member of a payment", () => {
  it.for([
    [
      "transAmt",
      ["0.01", "0.10", "1.00", "999999999.99"],
      ["0.00", "00.01", ".50", "1.5", "1.000", "1,00", " 1.00", "-1.00", "1000000000.00", "١٢.٥٠", "12.50\n"],
    ],
    [
      "cashAmt",
      ["0", "0.0", "0.00", "000000000.00", "", null, undefined],
      ["0000000000", "0.000", "0.", "0.01", "1", "0 "],
    ],
    ["productIndex", ["1", "9", "01", "09", "10", "", null], ["0", "00", "010", "11", "1 ", "100", "A", 1]],
    ["printCount", [0, 1, 2, "0", "1", "2", null], [3, "3", true, 1.5]],
  ] as const)("is, as %s, one of %j and none of %j", ([member, right, refused], { expect }) => {
    for (const value of right) expect([value, wrong(salePayment, { ...SALE, [member]: value })]).toEqual([value, []]);
    for (const value of refused) {
      expect([value, wrong(salePayment, { ...SALE, [member]: value })]).toEqual([value, [member]]);
    }
  });

  it("is the amount cashAmt only in a cashOut by bank card", ({ expect }) => {
    expect(wrong(cashOutPayment, { ...SALE, cashAmt: "10.00" })).toEqual([]);
    expect(wrong(cashOutPayment, { ...SALE, cashAmt: "0.00" })).toEqual(["cashAmt"]);
    expect(wrong(cashOutPayment, { ...SALE, cashAmt: "10.00", paymentMethod: "qrMerchScan" })).toEqual([
      "paymentMethod",
    ]);
  });

  it("is ten digits as transId, as text or number", ({ expect }) => {
    for (const transId of ["1000000000", "9999999999", 1_000_000_000, 9_999_999_999]) {
      expect(voiding.safeParse({ transId }).data?.transId).toBe(String(transId));
    }
    for (const transId of [999_999_999, 10_000_000_000, "999999999", "0123456789", 1_000_000_000.5]) {
      expect([transId, wrong(voiding, { transId })]).toEqual([transId, ["transId"]]);
    }
  });

  it("names the transaction of a question at most once", ({ expect }) => {
    const [transId, referenceId] = ["1000000000", "R-1"];
    for (const data of [{}, { transId }, { referenceId }, { transId, referenceId: "" }]) {
      expect(wrong(question, data)).toEqual([]);
    }
    expect(wrong(question, { transId, referenceId })).toEqual([""]);
  });
});
