import { describe, it } from "vitest";
import type { PosProblem, TransferAnswer } from "../../src/client/pos.ts";
import { TRANSFER_TYPES } from "../../src/protocol/transfer-types.ts";
import type { Call } from "../../src/console/pos/call.ts";
import { approvedNumber, isOpen } from "../../src/console/pos/till.ts";
import type { Transaction, TransactionState } from "../../src/console/pos/till.ts";
import { standingOf } from "../../src/console/pos/words.ts";

const PAYMENTS = ["sale", "cashOut", "void"];

function transaction(transType: Call["transType"], state: TransactionState): Transaction {
  const request = { deviceId: "T-1", referenceId: "R-1", transAmt: "1.00", cashAmt: "1.00", transId: "1000000000" };
  const call = { transType, request } as Call;
  return { number: 1, call, wait: undefined, begun: 0, state, cancelling: null, messages: [] };
}

function answered(statusCode: "00" | "11" | "22", changes: Partial<TransferAnswer> = {}): TransactionState {
  const answer = { statusCode, responseCode: "X", responseText: "Said.", ...changes } as TransferAnswer;
  return { kind: "answered", answer, at: 1 };
}

function failed(outcomeUnknown: boolean, problem: Partial<PosProblem> = {}): TransactionState {
  return { kind: "failed", problem: { kind: "unreachable", message: "No answer.", ...problem }, outcomeUnknown, at: 1 };
}

describe.for(TRANSFER_TYPES)("the words about a %s", (transType) => {
  const standing = (state: TransactionState) => standingOf(transaction(transType, state));

  it("call a 22 and an unknown outcome neither good nor bad, and warn of a new reference", ({ expect }) => {
    expect(standing(answered("22"))).toMatchObject({
      tone: "pending",
      sentence: expect.stringContaining("same again"),
    });
    expect(standing(failed(true))).toMatchObject({ tone: "pending", sentence: expect.stringContaining("same again") });
    expect(standing(answered("22", { responseCode: "UNCONFIRMED" })).sentence).toContain("Only the operator");
  });

  it("call a 00 good, and an 11 or a refusal bad, without money", ({ expect }) => {
    expect(standing(answered("00")).tone).toBe("good");
    expect(standing(answered("11"))).toMatchObject({ tone: "bad", sentence: expect.stringContaining("No money") });
    expect(standing(failed(false))).toMatchObject({ tone: "bad", sentence: expect.stringContaining("no money") });
  });

  it("name every field that the gateway names", ({ expect }) => {
    const details = [
      { path: "signature", message: "Wrong." },
      { path: "posId", message: "is another one" },
    ];
    expect(standing(failed(false, { details })).sentence).toMatch(/^signature: Wrong\. posId: is another one\. /u);
  });

  it("go with what can be done: cancel what is open, take back what was approved", ({ expect }) => {
    const pays = PAYMENTS.includes(transType);
    const open = [{ kind: "running", progress: null } as const, answered("22"), failed(true)];
    expect(open.map((state) => isOpen(transaction(transType, state)))).toEqual([pays, pays, pays]);
    const closed = [answered("00"), answered("11"), failed(false)];
    expect(closed.some((state) => isOpen(transaction(transType, state)))).toBe(false);
    const number = { transData: { transId: "1000000007" } };
    const approved = approvedNumber(transaction(transType, answered("00", number)));
    expect(approved).toBe(transType === "sale" || transType === "cashOut" ? "1000000007" : null);
    expect(approvedNumber(transaction(transType, answered("22", number)))).toBeNull();
  });
});
