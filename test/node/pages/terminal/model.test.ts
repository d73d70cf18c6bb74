import * as fc from "fast-check";
import { describe, it } from "vitest";
import { possible } from "../../../../src/pages/terminal/gestures.ts";
import {
  FIRST_STATE,
  nextState,
  PIN_DIGITS,
  VIRTUAL_TERMINAL_RECEIPTS,
  VIRTUAL_TERMINAL_LOG,
} from "../../../../src/pages/terminal/model.ts";
import type { Binding } from "../../../../src/sdk/client/terminal.ts";
import type { Input } from "../../../../src/pages/terminal/model.ts";
import { announcement } from "../../../../src/pages/terminal/words.ts";
import {
  APPROVED,
  BOUND,
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

const sale = request();
const later = request({ requestId: "1000000008" });

function printed(text: string, { requestId } = sale): Input {
  return { kind: "printed", requestId, text };
}

function told(kind: "binding" | "connected", binding: Binding): Input {
  return { kind: "client", event: { kind, binding }, at: 0 };
}

function refused(reason: string, requestId: string): Input {
  return { kind: "client", event: { kind: "refused", requestId, reason }, at: 0 };
}

describe("signing in", () => {
  it("shows whose terminal it is once the gateway has confirmed the connection", ({ expect }) => {
    expect(after(IDLE[0] ?? []).access).toEqual({ kind: "signing-in", terminalId: "T-1" });
    expect(after(IDLE)).toMatchObject({ access: { kind: "signed-in", terminalId: "T-1" }, line: "up", binding: BOUND });
  });

  it("keeps what was entered if it fails, and explains why", ({ expect }) => {
    const { access } = after(IDLE[0] ?? [], { kind: "signed-out", problem: "The gateway cannot be reached." });
    expect(access).toEqual({ kind: "signed-out", terminalId: "T-1", problem: "The gateway cannot be reached." });
  });

  it("keeps customer and bank settings when repeated, not the previous payment", ({ expect }) => {
    const state = after(IDLE, { kind: "set", settings: { bank: "declined" } }, prompt(PRESENT), IDLE);
    expect(state).toMatchObject({ settings: { bank: "declined" }, payment: null, outcome: null });
  });
});

describe("a payment", () => {
  it("takes the screen from its first prompt to its outcome", ({ expect }) => {
    const shown = after(IDLE, prompt(PRESENT));
    expect(shown.payment).toMatchObject({ request: sale, prompt: PRESENT });
    const ended = after(IDLE, prompt(PRESENT), concludes(sale, DECLINED));
    expect(ended.payment).toBeNull();
    expect(ended.outcome).toEqual({ request: sale, statusCode: "11", responseCode: "05", text: "Declined." });
  });

  it("clears the previous outcome", ({ expect }) => {
    const state = after(IDLE, prompt(PRESENT), concludes(sale, APPROVED), prompt(PRESENT, later));
    expect(state).toMatchObject({ payment: { request: later }, outcome: null });
  });

  it("shows an unbinding in place of the outcome", ({ expect }) => {
    const unbound = { posId: null, merchantId: null, currency: null, timezone: null };
    const sold = [...IDLE, prompt(PRESENT), ...concludes(sale, APPROVED)];
    for (const kind of ["binding", "connected"] as const) {
      expect(after(sold, told(kind, unbound)), kind).toMatchObject({ outcome: null, binding: unbound });
      expect(after(sold, told(kind, BOUND)).outcome, kind).not.toBeNull();
    }
  });

  it("is shown again when its unknown outcome arrives", ({ expect }) => {
    const pending = after(IDLE, prompt(PRESENT), concludes(sale, PENDING));
    expect(pending.outcome).toMatchObject({ statusCode: "22" });
    const completed = concludes(sale, APPROVED).reduce(nextState, pending);
    expect(completed.outcome).toMatchObject({ statusCode: "00" });
  });

  it("does not interrupt the current payment if it ends late", ({ expect }) => {
    const state = after(
      IDLE,
      prompt(PRESENT),
      concludes(sale, PENDING),
      prompt(PRESENT, later),
      concludes(sale, APPROVED),
    );
    expect(state).toMatchObject({ payment: { request: later }, outcome: null });
  });

  it("does not return to the screen once it has ended", ({ expect }) => {
    const state = after(IDLE, prompt(PRESENT), concludes(sale, PENDING), prompt({ kind: "authorising" }));
    expect(state.payment).toBeNull();
  });
});

describe("a PIN", () => {
  it("is shown as a number of digits, and never as the digits", ({ expect }) => {
    const typed: Input[] = Array.from({ length: 20 }, () => ({ kind: "pin-digit" }));
    const state = after(IDLE, prompt({ kind: "pin", digits: 0, wrong: 0 }), typed);
    expect(state.payment?.prompt).toEqual({ kind: "pin", digits: PIN_DIGITS.most, wrong: 0 });
    expect(nextState(state, { kind: "pin-cleared" }).payment?.prompt).toMatchObject({ digits: 0 });
  });

  it("ignores digits when no PIN is asked for", ({ expect }) => {
    const state = after(IDLE, prompt(PRESENT));
    expect(nextState(state, { kind: "pin-digit" })).toBe(state);
  });
});

describe("a reloaded page", () => {
  it("shows that a payment which never reached the bank has ended", ({ expect }) => {
    const state = after(IDLE[0] ?? [], { kind: "memory-found", memory: memory(held(sale)) });
    expect(state.outcome).toMatchObject({ request: sale, statusCode: "11", responseCode: "RESTARTED" });
  });

  it("shows a payment at the bank only once its outcome arrives", ({ expect }) => {
    const found: Input = { kind: "memory-found", memory: memory(held(sale, null, "at-host")) };
    expect(after(IDLE[0] ?? [], found)).toMatchObject({ outcome: null, held: [{ stage: "at-host" }] });
    expect(after(IDLE[0] ?? [], found, concludes(sale, APPROVED)).outcome).toMatchObject({ statusCode: "00" });
  });

  it("hides a payment that ended before and only lacks an acknowledgement", ({ expect }) => {
    const state = after(IDLE[0] ?? [], { kind: "memory-found", memory: memory(held(sale, APPROVED, "at-host")) });
    expect(state).toMatchObject({ outcome: null, held: [{ result: APPROVED }] });
  });
});

describe("the line", () => {
  it("stays cut until restored by a person, even if the client reconnects", ({ expect }) => {
    const lost: Input = {
      kind: "client",
      event: { kind: "disconnected", code: 1006, reason: "", reconnectInMs: 1 },
      at: 0,
    };
    const cut = after(IDLE, { kind: "line-cut" }, lost);
    expect(cut.line).toBe("cut");
    const restored = nextState(cut, { kind: "line-restored" });
    expect(restored.line).toBe("connecting");
    expect(nextState(restored, lost).line).toBe("lost");
  });

  it("leaves the payment on the screen if it breaks", ({ expect }) => {
    expect(after(IDLE, prompt(PRESENT), { kind: "line-cut" }).payment).toMatchObject({ request: sale });
  });
});

describe("receipts", () => {
  it("are shown once each, and stay behind the next payment's", ({ expect }) => {
    const copies = ["merchant", "customer"];
    const twice = after(IDLE, printed("merchant"), printed("customer"), printed("merchant"));
    const first = { requestId: sale.requestId, copies };
    expect(nextState(twice, prompt(PRESENT, later)).receipts).toEqual([first]);
    const both = nextState(twice, printed("merchant", later));
    expect(both.receipts).toEqual([{ requestId: later.requestId, copies: ["merchant"] }, first]);
    const many = Array.from({ length: VIRTUAL_TERMINAL_RECEIPTS }, (_, at) =>
      printed("merchant", request({ requestId: String(at) })),
    );
    expect(many.reduce(nextState, both).receipts).not.toContainEqual(first);
  });
});

describe("a number lower than one that was accepted before", () => {
  it("means that the memory is another gateway's", ({ expect }) => {
    const state = after(IDLE, { kind: "memory-kept", memory: memory(held(later)) });
    expect(nextState(state, refused("expired", "1000000001")).foreignMemory).toBe(true);
    expect(nextState(state, refused("busy", "1000000001")).foreignMemory).toBe(false);
    expect(nextState(state, refused("expired", "1000000009")).foreignMemory).toBe(false);
  });
});

describe("the log", () => {
  it("has the newest line first, and forgets the oldest", ({ expect }) => {
    const lines: Input[] = Array.from({ length: VIRTUAL_TERMINAL_LOG + 5 }, (_, at) => ({
      kind: "client",
      event: { kind: "accepted", requestId: String(at) },
      at,
    }));
    const { log } = after(lines);
    expect(log).toHaveLength(VIRTUAL_TERMINAL_LOG);
    expect(log[0]).toMatchObject({ at: VIRTUAL_TERMINAL_LOG + 4 });
    expect(new Set(log.map(({ number }) => number)).size).toBe(VIRTUAL_TERMINAL_LOG);
  });
});

const inputs: fc.Arbitrary<Input[]> = fc
  .array(
    fc.constantFrom<(Input | readonly Input[])[]>(
      IDLE,
      { kind: "signed-out", problem: null },
      [
        { kind: "signing-in", terminalId: "T-1" },
        { kind: "memory-found", memory: memory(held(sale), held(later, null, "at-host")) },
      ],
      prompt(PRESENT),
      prompt({ kind: "pin", digits: 0, wrong: 1 }, later),
      prompt({ kind: "authorising" }),
      { kind: "prompt", request: later, prompt: PRESENT, automatic: true },
      concludes(sale, PENDING),
      concludes(sale, APPROVED),
      concludes(later, DECLINED),
      { kind: "pin-digit" },
      { kind: "put-away" },
      { kind: "answer-held", requestId: sale.requestId },
      { kind: "answer-let-through", requestId: sale.requestId },
      { kind: "line-cut" },
      { kind: "line-restored" },
    ),
  )
  .map((steps) => steps.flat());

describe("the screen in any order of events", () => {
  it("shows one thing, reads it out, and asks only what makes sense", ({ expect }) => {
    fc.assert(
      fc.property(inputs, (all) => {
        let state = FIRST_STATE;
        for (const input of all) {
          state = nextState(state, input);
          expect(state.payment === null || state.outcome === null).toBe(true);
          const gestures = possible(state);
          if (state.payment?.automatic === true) expect(gestures.has("tap")).toBe(false);
          if (state.payment === null) expect(gestures.has("cancel")).toBe(false);
          expect(gestures.has("ok") && state.payment?.prompt.kind === "present").toBe(false);
          if (state.access.kind === "signed-in") expect(announcement(state)).not.toBe("");
        }
      }),
    );
  });
});
