/** A terminal with a person in front of it: what it asks for, and what the answers lead to. */
import { describe, it } from "vitest";
import type { RequestControls, TransactionRequest } from "../../../../src/sdk/client/terminal.ts";
import { Attended } from "../../../../src/pages/terminal/attended.ts";
import type { GestureAnswer } from "../../../../src/pages/terminal/gestures.ts";
import { FIRST_SETTINGS } from "../../../../src/pages/terminal/settings.ts";
import type { TerminalSettings } from "../../../../src/pages/terminal/settings.ts";
import { Ledger } from "../../../../src/sdk/simulator/ledger.ts";
import { Payments } from "../../../../src/sdk/simulator/payments.ts";
import { BOUND, request } from "./scene.ts";

const CHIP: GestureAnswer = { kind: "card", entry: "chip" };
const TAP: GestureAnswer = { kind: "card", entry: "contactless" };
const YES: GestureAnswer = { kind: "yes" };
const WRONG: GestureAnswer = { kind: "wrong-pin" };
const CANCELS: GestureAnswer = { kind: "cancels" };

/** Answers the prompts in turn, and records everything. */
async function played(of: TransactionRequest, answers: GestureAnswer[], changes: Partial<TerminalSettings> = {}) {
  const notes: string[] = [];
  const receipts: string[] = [];
  const ledger = new Ledger([], ({ kind }) => notes.push(kind));
  const payments = new Payments({
    ...new Attended({
      settings: () => ({ ...FIRST_SETTINGS, ...changes }),
      isStaged: () => false,
      show: ({ prompt }) => notes.push(prompt.kind),
      ask: async (_, prompt) => {
        notes.push(prompt.kind === "present" && prompt.insert !== null ? `insert: ${prompt.insert}` : prompt.kind);
        return answers.shift() ?? { kind: "stopped" };
      },
      letThrough: async () => void notes.push("late"),
    }),
    pace: () => 0,
    powered: () => true,
    ledger,
    binding: () => BOUND,
    terminalId: "T-1",
    onReceipt: (text) => receipts.push(text),
    durable: async () => void notes.push("durable"),
  });
  const controls: RequestControls = {
    progress: () => undefined,
    signal: AbortSignal.abort("cancelled"),
    reachedHost: async () => void notes.push("at host"),
  };
  const { statusCode, responseCode, transData } = await payments.onRequest(of, controls);
  return { status: `${statusCode} ${responseCode}`, transData, notes, ledger, receipts };
}

describe("a card", () => {
  it("is charged when tapped, and the charge is durable before printing", async ({ expect }) => {
    const { status, notes, receipts, transData } = await played(request(), [TAP]);
    expect(status).toBe("00 00");
    expect(notes).toEqual(["present", "reading", "at host", "authorising", "charge", "durable"]);
    expect(transData).toMatchObject({ entryMode: "Contactless", paymentChannel: "VISA", transAmt: "12.50" });
    expect(receipts).toHaveLength(2);
  });

  it("has to be inserted if a tap is not enough", async ({ expect }) => {
    const { status, notes } = await played(request({}, { transAmt: "250.01" }), [TAP, CHIP, YES]);
    expect(status).toBe("00 00");
    expect(notes.slice(0, 2)).toEqual(["present", "insert: limit"]);
  });

  it("never reaches the bank if the customer cancels", async ({ expect }) => {
    for (const answers of [[CANCELS], [CHIP, CANCELS]]) {
      const { status, notes } = await played(request(), answers);
      expect(status).toBe("11 17");
      expect(notes).not.toContain("at host");
    }
  });

  it("never reaches the bank if the terminal is switched off first", async ({ expect }) => {
    const { status, notes } = await played(request(), [{ kind: "switched-off" }]);
    expect(status).toBe("11 TERMINAL_STOPPED");
    expect(notes).not.toContain("at host");
  });

  it("is not charged if the bank declines", async ({ expect }) => {
    const { status, ledger, receipts } = await played(request(), [TAP], { bank: "insufficient-funds" });
    expect(status).toBe("11 51");
    expect(ledger.charges).toEqual([]);
    expect(receipts).toEqual([]);
  });

  it("is charged before the bank's late answer arrives", async ({ expect }) => {
    const { status, notes } = await played(request(), [TAP], { late: true });
    expect(status).toBe("00 00");
    expect(notes.slice(-3)).toEqual(["charge", "durable", "late"]);
  });
});

describe("a PIN", () => {
  it("may be wrong twice", async ({ expect }) => {
    const { status, ledger } = await played(request(), [CHIP, WRONG, WRONG, YES]);
    expect(status).toBe("00 00");
    expect(ledger.charges).toHaveLength(1);
  });

  it("ends the payment when it is wrong three times", async ({ expect }) => {
    const { status, ledger } = await played(request(), [CHIP, WRONG, WRONG, WRONG]);
    expect(status).toBe("11 75");
    expect(ledger.charges).toEqual([]);
  });

  it("allows a cancel after a mistake, at the terminal and the POS", async ({ expect }) => {
    expect((await played(request(), [CHIP, WRONG, CANCELS])).status).toBe("11 17");
    expect((await played(request(), [CHIP, WRONG])).status).toBe("11 CANCELLED");
  });
});

describe("cash", () => {
  const cashOut = request({ transType: "cashOut" }, { cashAmt: "50.00" });

  it("comes with the domestic debit card and its PIN", async ({ expect }) => {
    const { status, notes, transData } = await played(cashOut, [TAP, CHIP, YES], { card: "MyDebit" });
    expect(status).toBe("00 00");
    expect(notes.slice(0, 2)).toEqual(["present", "insert: cash"]);
    expect(transData).toMatchObject({ cashAmt: "50.00", paymentChannel: "MyDebit", cvmType: "02" });
  });

  it.for([
    [CHIP, "VISA"],
    [{ kind: "card", entry: "swipe" } as const, "MyDebit"],
  ] as const)("does not come with %o of a %s card", async ([card, name], { expect }) => {
    const { status, ledger } = await played(cashOut, [card, YES], { card: name });
    expect(status).toBe("11 57");
    expect(ledger.charges).toEqual([]);
  });
});

describe("a wallet", () => {
  it("is the one that the POS named if the customer scans", async ({ expect }) => {
    const of = request({}, { paymentMethod: "qrCustScan", paymentChannel: "Example Pay" });
    const { status, notes, transData } = await played(of, [YES]);
    expect(status).toBe("00 00");
    expect(notes[0]).toBe("customer-scans");
    expect(transData).toMatchObject({ paymentChannel: "Example Pay" });
  });

  it("is the customer's if the customer shows a code", async ({ expect }) => {
    const of = request({}, { paymentMethod: "qrMerchScan" });
    const { notes, transData } = await played(of, [YES], { wallet: "Boost" });
    expect(notes[0]).toBe("customer-shows");
    expect(transData).toMatchObject({ paymentChannel: "Boost" });
  });
});

describe("a void", () => {
  it("is declined without a payment, and cancelled without confirmation", async ({ expect }) => {
    const voiding = request({ transType: "void", transId: "1000000001" });
    expect((await played(voiding, [YES])).status).toBe("11 25");
    expect((await played(voiding, [CANCELS])).status).toBe("11 17");
  });
});
