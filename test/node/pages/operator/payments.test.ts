import { describe, it } from "vitest";
import type { AuditAnswer, TransactionAnswer } from "../../../../src/pages/operator/answers.ts";
import { changeWords } from "../../../../src/pages/operator/part/change.ts";
import { canResolve, paymentStanding, formatTitle } from "../../../../src/pages/operator/payments/standing.ts";
import { listSteps } from "../../../../src/pages/operator/payments/time-line.ts";
import { openWords, progressWithSecret, progressWords } from "../../../../src/pages/operator/terminals/effects.ts";

const NOW = Date.UTC(2026, 10, 20, 12);

function at(milliseconds: number): string {
  return new Date(NOW + milliseconds).toISOString();
}

function payment(changes: Partial<TransactionAnswer>): TransactionAnswer {
  const outcome = { statusCode: "00", responseCode: "00", softwareVersion: "1", terminalSn: "S" } as const;
  return {
    requestId: "1000000001",
    posId: "POS-1",
    referenceId: "R-1",
    transType: "sale",
    transAmt: "12.50",
    cashAmt: null,
    currency: "MYR",
    timezone: "Asia/Kuala_Lumpur",
    state: "completed",
    pendingReason: null,
    attempt: 1,
    cancelled: false,
    endsAt: at(90_000),
    stages: [],
    conflicts: [],
    evidence: [],
    outcome,
    completedBy: "terminal",
    resolvedBy: null,
    receivedAt: at(0),
    completedAt: at(5_000),
    ...changes,
  };
}

const open = { outcome: null, completedBy: null, completedAt: null };

describe("the state of a payment", () => {
  it("comes with the reason why its outcome is not known", ({ expect }) => {
    for (const [pendingReason, words] of [
      ["reported", "does not know"],
      ["other-memory", "another memory"],
      ["forgotten", "no longer has it"],
      ["mismatch", "another amount"],
    ] as const) {
      const standing = paymentStanding(payment({ ...open, state: "pending", pendingReason }), NOW);
      expect([standing.title, standing.sentence]).toEqual(["Pending", expect.stringContaining(words)]);
    }
  });

  it("names who resolved it", ({ expect }) => {
    expect(paymentStanding(payment({ completedBy: "operator", resolvedBy: "anna" }), NOW).sentence).toBe(
      "Resolved by anna.",
    );
    const outcome = { statusCode: "11", responseCode: "05", softwareVersion: "1", terminalSn: "S" } as const;
    expect(paymentStanding(payment({ outcome }), NOW)).toMatchObject({
      tone: "bad",
      sentence: "05 do not honour. Completed by the terminal.",
    });
  });

  it("can be resolved only if pending or past its end", ({ expect }) => {
    expect(canResolve(payment({ ...open, state: "pending", pendingReason: "reported" }), NOW)).toBe(true);
    const accepted = payment({ ...open, state: "accepted" });
    expect([canResolve(accepted, NOW), canResolve(accepted, NOW + 90_001)]).toEqual([false, true]);
    expect(canResolve(payment({}), NOW + 1e9)).toBe(false);
  });

  it("has a title with both amounts, and also without an amount", ({ expect }) => {
    expect(formatTitle(payment({ transType: "cashOut", cashAmt: "50.00" }))).toBe("cashOut MYR 12.50 + 50.00 cash");
    expect(formatTitle(payment({ transType: null, transAmt: null }))).toBe("Cancelled before it arrived");
  });
});

describe("a payment's timeline", () => {
  it("has a bar per stage, as long as the next one takes", ({ expect }) => {
    const stages = [
      { stage: "received", at: at(0) },
      { stage: "sent", at: at(100) },
      { stage: "accepted", at: at(250) },
      { stage: "unheard-of", at: at(500) },
      { stage: "completed", at: at(1_000) },
    ];
    const steps = listSteps(stages.toReversed());
    expect(steps.map(({ stage, offset, took }) => [stage, offset, took])).toEqual([
      ["received", 0, 100],
      ["sent", 100, 150],
      ["accepted", 250, 250],
      ["unheard-of", 500, 500],
      ["completed", 1_000, null],
    ]);
    expect(steps.map(({ begin, length }) => [begin, length])).toEqual([
      [0, 10],
      [10, 15],
      [25, 25],
      [50, 50],
      [100, 0],
    ]);
    expect(steps.map(({ part }) => part)).toEqual(["gateway", "delivery", "customer", "customer", "end"]);
  });

  it("is empty without stages, and finite if all happened at once", ({ expect }) => {
    expect(listSteps([])).toEqual([]);
    const steps = listSteps([
      { stage: "received", at: at(0) },
      { stage: "completed", at: at(0) },
    ]);
    expect(steps.every(({ begin, length }) => Number.isFinite(begin) && Number.isFinite(length))).toBe(true);
  });
});

describe("the effect of a change of a terminal", () => {
  it("includes whether a payment is in progress", ({ expect }) => {
    expect(progressWords(null, NOW)).toContain("not known yet");
    expect(progressWords([payment({})], NOW)).toBe("No payment in progress.");
    const running = [payment({ ...open, state: "sent" })];
    expect(progressWords(running, NOW)).toContain("1000000001 is in progress");
    expect(progressWords(running, NOW + 90_001)).toBe("No payment in progress.");
  });

  it("warns that a new secret leaves the current payment to the operator", ({ expect }) => {
    expect(progressWithSecret([payment({})], NOW)).toBe("No payment in progress.");
    expect(progressWithSecret([payment({ ...open, state: "sent" })], NOW)).toBe(
      "Payment 1000000001 is in progress: its outcome would become 22 UNCONFIRMED, which you must resolve. Wait until it has ended.",
    );
  });

  it("names the payments that stay open", ({ expect }) => {
    const pending = payment({ ...open, state: "pending" });
    expect([openWords([payment({})]), openWords([pending]), openWords([pending, pending])]).toEqual([
      null,
      expect.stringContaining("One payment is"),
      expect.stringContaining("2 payments are"),
    ]);
  });
});

function row(changes: Partial<AuditAnswer>): string {
  return changeWords({ details: {}, before: null, after: null, ...changes });
}

describe("a row of the audit log", () => {
  it("shows the values before and after the change", ({ expect }) => {
    expect(row({ before: { name: null, merchantId: "M-1" }, after: { name: "Counter 3", merchantId: "M-2" } })).toBe(
      "name none → Counter 3, merchantId M-1 → M-2",
    );
    expect(row({ after: { currency: ["MYR", "SGD"], status: 1 } })).toBe("currency MYR SGD, status 1");
    expect(row({ before: { posId: "POS-1" } })).toBe("posId POS-1");
    expect(row({ details: { withdrawn: true } })).toBe("withdrawn true");
  });
});
