import { describe, it } from "vitest";
import type { Input } from "../../../../src/pages/terminal/model.ts";
import { amounts, announcement, instruction, method, verdict } from "../../../../src/pages/terminal/words.ts";
import {
  APPROVED,
  DECLINED,
  IDLE,
  PENDING,
  PRESENT,
  after,
  concludes,
  held,
  memory,
  prompt,
  request,
} from "./scene.ts";

const cashOut = request({ transType: "cashOut" }, { cashAmt: "50.00" });
const voiding = request({ transType: "void", transId: "1000000001" }, {});

function asked(insert: "cash" | "limit" | null, of = request()): string {
  return instruction({ request: of, prompt: { kind: "present", insert }, automatic: false });
}

/** What is read out after an approved sale, then what the terminal was told, then the loss of its line. */
function cutOff(...told: Input[]): string {
  return announcement(after(IDLE, prompt(PRESENT), concludes(request(), APPROVED), told, { kind: "line-cut" }));
}

describe("what is read out", () => {
  it("is the amount, once, and then the request to the customer", ({ expect }) => {
    expect(announcement(after(IDLE, prompt(PRESENT)))).toBe("Sale MYR 12.50. Tap, insert or swipe your card.");
    expect(announcement(after(IDLE, prompt({ kind: "pin", digits: 3, wrong: 1 })))).toBe("Wrong PIN, 2 tries left.");
    expect(announcement(after(IDLE, prompt({ kind: "authorising" })))).toBe("Authorising.");
  });

  it.for([
    [APPROVED, "Approved. Sale MYR 12.50."],
    [DECLINED, "Declined. Sale MYR 12.50. Declined."],
    [PENDING, "Not known yet. Sale MYR 12.50. Ask again."],
  ] as const)("is the outcome: %s", ([result, words], { expect }) => {
    expect(announcement(after(IDLE, prompt(PRESENT), concludes(request(), result)))).toBe(words);
  });

  it("does not change with each digit of a PIN", ({ expect }) => {
    const digit: Input = { kind: "pin-digit" };
    const [before, typed] = [[], [digit, digit]].map((digits) =>
      announcement(after(IDLE, prompt({ kind: "pin", digits: 0, wrong: 0 }), digits)),
    );
    expect(typed).toBe(before);
  });

  it("includes a lost connection", ({ expect }) => {
    expect(announcement(after(IDLE, { kind: "line-cut" }))).toBe("Ready for POS-1. Offline.");
  });

  it("promises the gateway the result on reconnection until it is delivered", ({ expect }) => {
    const promise = "The gateway gets the result when the connection is back.";
    expect(cutOff()).toBe(`Approved. Sale MYR 12.50. ${promise} Offline.`);
    expect(cutOff({ kind: "memory-kept", memory: memory() })).toBe("Approved. Sale MYR 12.50. Offline.");
    const known = memory({ ...held(request(), APPROVED), acknowledged: true });
    expect(cutOff({ kind: "memory-kept", memory: known })).toBe("Approved. Sale MYR 12.50. Offline.");
  });
});

describe("the screen", () => {
  it("lists both amounts of a cash out, and none of a void", ({ expect }) => {
    expect(amounts(cashOut).map(({ label, amount }) => `${label} ${amount}`)).toEqual([
      "Purchase 12.50",
      "Cash out 50.00",
    ]);
    expect(amounts(voiding)).toEqual([]);
    expect(method(voiding)).toBe("Void of 1000000001");
  });

  it("asks for the card only in a way that can work", ({ expect }) => {
    expect(asked(null)).toBe("Tap, insert or swipe your card");
    expect(asked("limit")).toBe("Amount too high to tap: insert your card");
    expect(asked(null, cashOut)).toBe("Insert your card");
  });

  it.for([
    ["00", "00", "Approved", "good"],
    ["11", "05", "Declined", "bad"],
    ["11", "17", "Cancelled", "bad"],
    ["11", "CUSTOMER_TIMEOUT", "Timed out", "bad"],
    ["11", "RESTARTED", "Interrupted", "bad"],
    ["22", "HOST_PENDING", "Not known yet", "open"],
  ] as const)("shows for %s %s: %s", ([statusCode, responseCode, heading, tone], { expect }) => {
    expect(verdict({ request: request(), statusCode, responseCode, text: "" })).toEqual({ heading, tone });
  });
});
