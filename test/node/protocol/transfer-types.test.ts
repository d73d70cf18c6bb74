/** What each `transType` is. */
import { describe, it } from "vitest";
import {
  canBeVoided,
  handsOutCash,
  isQuestion,
  isTransactionType,
  isTransferType,
  needsTarget,
  QUESTION_TYPES,
  TRANSACTION_TYPES,
  TRANSFER_TYPES,
  turnoverFactor,
} from "../../../src/protocol/transfer-types.ts";

describe("a type of transfer", () => {
  it("moves money or asks about a transaction", ({ expect }) => {
    expect(TRANSFER_TYPES).toEqual(["sale", "cashOut", "void", "inquiry", "getLast"]);
    expect(TRANSACTION_TYPES).toEqual(["sale", "cashOut", "void"]);
    expect(QUESTION_TYPES).toEqual(["inquiry", "getLast"]);
    expect(TRANSFER_TYPES.map(isQuestion)).toEqual([false, false, false, true, true]);
  });

  it("can be voided if a payment, and has a target if void", ({ expect }) => {
    expect(TRANSFER_TYPES.map(canBeVoided)).toEqual([true, true, false, false, false]);
    expect(canBeVoided(null)).toBe(false);
    expect(TRANSFER_TYPES.map(needsTarget)).toEqual([false, false, true, false, false]);
    expect(TRANSFER_TYPES.map(handsOutCash)).toEqual([false, true, false, false, false]);
    expect(TRANSFER_TYPES.map(turnoverFactor)).toEqual([1, 1, -1, 0, 0]);
  });

  it("is neither a name that every object has nor another value", ({ expect }) => {
    for (const value of ["refund", "toString", "", null, 1, ["sale"]]) {
      expect(isTransferType(value)).toBe(false);
      expect(isTransactionType(value)).toBe(false);
    }
    expect(isTransactionType("inquiry")).toBe(false);
  });
});
