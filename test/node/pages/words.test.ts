import { describe, it } from "vitest";
import type { PosError, PosProblem, StageMessage, TransferAnswer } from "../../../src/sdk/client/pos.ts";
import { TRANSFER_TYPES } from "../../../src/protocol/transfer-types.ts";
import type { PageTransfer } from "../../../src/pages/pos/call.ts";
import {
  approvedNumber,
  isTransactionOpen,
  type PageTransaction,
  type PageTransactionState,
} from "../../../src/pages/pos/pos-model.ts";
import type { SignedExchange } from "../../../src/pages/pos/messages.ts";
import { outcomeTextFor } from "../../../src/pages/pos/words.ts";

const PAYMENTS = ["sale", "cashOut", "void"];

function transaction(transType: PageTransfer["transType"], state: PageTransactionState): PageTransaction {
  const request = { deviceId: "T-1", referenceId: "R-1", transAmt: "1.00", cashAmt: "1.00", transId: "1000000000" };
  const call = { transType, request } as PageTransfer;
  return { number: 1, call, wait: undefined, begun: 0, state, stages: [], cancelling: null, messages: [] };
}

function answered(statusCode: "00" | "11" | "22", changes: object = {}): PageTransactionState {
  const answer = { statusCode, responseCode: "X", responseText: "Said.", ...changes } as TransferAnswer;
  return { kind: "answered", answer, at: 1 };
}

function failed(next: PosError["next"], problem: Partial<PosProblem> = {}): PageTransactionState {
  return { kind: "failed", problem: { kind: "unreachable", message: "No answer.", ...problem }, next, at: 1 };
}

function at(second: number): string {
  return `2026-11-20T12:02:${second}.000+08:00`;
}

const TIME_ZONE = "Asia/Kuala_Lumpur";

describe("the words about a sale that is in progress", () => {
  const progress = { state: "asking", attempt: 1, elapsed: 0, left: 1, pending: null, problem: null } as const;

  function sentence(stages: StageMessage[], isConnected: boolean | null = true, changes: object = {}): string {
    const state = { kind: "running", progress: { ...progress, stages, ...changes } } as const;
    const sent = { ...transaction("sale", state), stages, messages: [{} as SignedExchange] };
    return outcomeTextFor(sent, { isConnected, requestLife: 90_000, timeZone: TIME_ZONE }).sentence;
  }

  const RECEIVED = { stage: "received", at: at(40) } as const;
  const QUEUED = { stage: "queued", at: at(41) } as const;
  const PIN = { stage: "pin", at: at(45) } as const;

  it("are those of the newest stage", ({ expect }) => {
    expect(sentence([])).toBe("Waiting for the gateway.");
    expect(sentence([RECEIVED, QUEUED])).toBe("Waiting for the terminal to be free, or to reconnect.");
    expect(sentence([RECEIVED, PIN])).toBe("Customer is entering the PIN.");
    expect(sentence([RECEIVED, PIN], null)).toBe("Customer is entering the PIN.");
  });

  it("ask nobody to pay for a void: the terminal waits for OK", ({ expect }) => {
    const state = { kind: "running", progress: { ...progress, stages: [] } } as const;
    const sent = { ...transaction("void", state), messages: [{} as SignedExchange] };
    const stages = [RECEIVED, { stage: "present", at: at(42) } as const];
    expect(outcomeTextFor({ ...sent, stages }).sentence).toBe("Waiting for OK at the terminal.");
    expect(sentence(stages)).toBe("Waiting for the customer's card or phone.");
  });

  it("show how long the gateway waits for a disconnected terminal", ({ expect }) => {
    const words = "Terminal lost its connection; waiting until";
    expect(sentence([RECEIVED, PIN], false)).toBe(`${words} 12:04:10.`);
    expect(sentence([RECEIVED, QUEUED], false)).toBe(`${words} 12:02:51.`);
  });

  it("begin with the mistake in the POS's own message", ({ expect }) => {
    const problem = { kind: "unreachable", message: "No answer." };
    expect(sentence([RECEIVED, PIN], true, { problem })).toBe("No answer. Sending it again.");
  });
});

describe.for(TRANSFER_TYPES)("the words about a %s", (transType) => {
  const standing = (state: PageTransactionState) => outcomeTextFor(transaction(transType, state));

  it("call unknown outcomes neither good nor bad, and warn of new references", ({ expect }) => {
    expect(standing(answered("22"))).toMatchObject({
      tone: "pending",
      sentence: expect.stringContaining("Send the same request again."),
    });
    expect(standing(failed("again"))).toMatchObject({
      tone: "pending",
      sentence: expect.stringContaining("Send the same request again."),
    });
    expect(standing(failed("inquiry"))).toMatchObject({
      tone: "pending",
      sentence: expect.stringContaining("Choose Inquire for its outcome."),
    });
    expect(standing(answered("22", { responseCode: "UNCONFIRMED" })).sentence).toContain("Only the operator");
  });

  it("call a 00 good, and an 11 or a refusal bad", ({ expect }) => {
    expect(standing(answered("00")).tone).toBe("good");
    expect(standing(answered("11"))).toMatchObject({ tone: "bad", sentence: expect.stringContaining("No money") });
    expect(standing(failed("none"))).toMatchObject({ tone: "bad", sentence: expect.stringContaining("no money") });
  });

  it("name every field that the gateway names", ({ expect }) => {
    const details = [
      { path: "signature", message: "Wrong." },
      { path: "posId", message: "is another one" },
    ];
    expect(standing(failed("none", { details })).sentence).toMatch(/^signature: Wrong\. posId: is another one\. /u);
  });

  it("offer only what is possible: cancel while open, void after approval", ({ expect }) => {
    const pays = PAYMENTS.includes(transType);
    const open = [{ kind: "running", progress: null } as const, answered("22"), failed("again")];
    expect(open.map((state) => isTransactionOpen(transaction(transType, state)))).toEqual([pays, pays, pays]);
    const closed = [answered("00"), answered("11"), failed("none")];
    expect(closed.some((state) => isTransactionOpen(transaction(transType, state)))).toBe(false);
    const number = { transData: { transId: "1000000007" } };
    const approved = approvedNumber(transaction(transType, answered("00", number)));
    expect(approved).toBe(transType === "sale" || transType === "cashOut" ? "1000000007" : null);
    expect(approvedNumber(transaction(transType, answered("22", number)))).toBeNull();
  });
});
