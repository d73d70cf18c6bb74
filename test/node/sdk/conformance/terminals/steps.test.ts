/** What the steps of the kit say about all that a terminal has sent, and when they wait or ask. */
import { describe, it } from "vitest";
import type { Heard } from "../../../../../src/sdk/conformance/terminal/judge.ts";
import type { TerminalScene } from "../../../../../src/sdk/conformance/terminal/scene.ts";
import type { StepVerdict } from "../../../../../src/sdk/conformance/step.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import { withSignature } from "../../../../../src/protocol/signing/signature.ts";
import { ok } from "../../../../../src/protocol/result.ts";
import { exchange, KEPT, PATIENCE, run, SECRET } from "./played.ts";

const frame = (members: JsonObject, connection = 1) => ({ at: 0, connection, text: "", frame: members });
const result = (statusCode: string) => frame({ type: "result", requestId: "1", statusCode });

const overallVerdict = (name: string, ...items: object[]) =>
  run(name, { options: { counterpart: { secret: SECRET, heard: { items } } } });

function loginsVerdict(...signatures: string[]): Promise<StepVerdict> {
  const items = signatures.map((signature) => ({ body: { signature }, signatureHolds: true }));
  return run("logins-anew", { options: { counterpart: { logins: { items } } } });
}

const countNone = async () => ok(0);

/** What the kit has asked terminals for. */
const begun: unknown[] = [];

const receiptVerdict = (right: boolean | null, { present = true, isEnded = true } = {}) =>
  run("receipt", {
    options: { tester: { present, confirm: async () => right }, amounts: { approve: "1.00" }, patience: {} },
    line: async () => ({}),
    begin: (_: unknown, wish: unknown, changes: unknown) => {
      begun.push(wish, changes);
      return { outcome: async () => (isEnded ? result("00") : null), request: { referenceId: "R-1" } };
    },
  } satisfies Partial<Record<keyof TerminalScene, unknown>>);

describe("a step of the kit for terminals", () => {
  const hello = (memory: string, connection: number, ...open: string[]) =>
    frame({ type: "hello", memory, open }, connection);
  const taken = frame({ type: "accepted", requestId: "1", attempt: 1 });
  const approved = frame({
    type: "result",
    requestId: "1",
    statusCode: "00",
    transData: { cardNo: "xxxxxxxxxxxx1234" },
  });
  const progress = (stage: string, requestId = "1") => frame({ type: "progress", requestId, stage });

  it.for<[string, string | null, Heard[]]>([
    ["frames", null, [hello("m", 1), hello("m", 2), frame({ type: "accepted", requestId: "1000000001", attempt: 1 })]],
    ["frames", "a second hello on one connection", [hello("m", 1), hello("m", 1)]],
    ["frames", "weather: type is invalid", [frame({ type: "weather" })]],
    ["frames", null, [progress("waiting")]],
    [
      "frames",
      "accepted: requestId is invalid; accepted: attempt is invalid",
      [frame({ type: "accepted", requestId: "1" })],
    ],
    ["frames", "a text that is not a JSON object the service accepts", [{ ...frame({}), frame: null, text: "{" }]],
    ["frames", null, ["ping", "pong"].map((text) => ({ ...frame({}), frame: null, text }))],
    ["progress", null, [taken, progress("pin"), hello("m", 2, "2"), progress("scan", "2")]],
    ["progress", "stage “waiting”", [taken, progress("waiting")]],
    [
      "progress",
      "stage pin for a request that was not accepted",
      [frame({ type: "ack", open: ["1"] }), progress("pin")],
    ],
    ["progress", "stage pin for a finished request", [taken, result("11"), progress("pin")]],
    ["result-signature", "1 of 1 are not signed correctly: there is no signature", [result("00")]],
    ["one-memory", null, [hello("m", 1), hello("m", 2)]],
    ["one-memory", "2 different ones", [hello("m", 1), hello("n", 2)]],
    ["final", null, [result("22"), result("22"), result("00"), result("00")]],
    ["final", "00, then 22", [result("00"), result("22")]],
    ["final", "11, then 00", [result("11"), result("00")]],
    ["final", null, [result("11"), frame({ type: "result", requestId: "2", statusCode: "00" }), progress("pin")]],
    ["card-data", null, [approved, { ...frame({}), frame: null, text: "ping" }]],
    ["card-data", "cardNo shows more", [frame({ type: "result", transData: { cardNo: "4111111111111111" } })]],
  ])("finds in %s what is wrong, or nothing: %s", async ([name, seen, items], { expect }) => {
    const verdict = await overallVerdict(name, ...items);
    expect(verdict).toEqual(
      seen === null ? KEPT : { kind: "broken", expected: expect.any(String), seen: expect.stringContaining(seen) },
    );
  });

  it("accepts a result that is signed correctly", async ({ expect }) => {
    const items = [frame(withSignature({ type: "result" }, SECRET))];
    expect(await overallVerdict("result-signature", ...items)).toEqual(KEPT);
  });

  it("is not judged if nothing has come that it is about", async ({ expect }) => {
    for (const name of ["frames", "progress", "result-signature", "card-data", "one-memory", "final"]) {
      expect(await overallVerdict(name), name).toEqual({ kind: "blocked", why: "nothing was received" });
    }
    expect(await overallVerdict("progress", taken)).toEqual({
      kind: "left-out",
      why: "it sent none, which is allowed",
    });
    expect(await overallVerdict("result-signature", taken)).toEqual({ kind: "blocked", why: "there was no result" });
    const unpaid = await overallVerdict("card-data", taken, result("11"), result("00"));
    expect(unpaid).toEqual({ kind: "blocked", why: "there was no 00 with transData" });
    const unsent = await run("charges", { exchanges: [{ attempt: 0 }], options: { countCharges: countNone } });
    expect(unsent).toEqual({ kind: "blocked", why: "no request was sent" });
    const pending = await overallVerdict("final", result("22"));
    expect(pending).toEqual({ kind: "blocked", why: "there was no 00 or 11" });
  });

  it("finds logins that repeat an earlier one", async ({ expect }) => {
    expect(await loginsVerdict()).toMatchObject({ kind: "blocked", why: "the terminal did not log in (see “login”)" });
    expect(await loginsVerdict("ab")).toEqual({ kind: "left-out", why: "it logged in only once" });
    expect(await loginsVerdict("ab", "cd")).toEqual(KEPT);
    expect(await loginsVerdict("ab", "cd", "ab")).toMatchObject({
      kind: "broken",
      seen: "1 of 3 repeat an earlier one",
    });
  });

  it("waits a minute, or a terminal's reconnection, after a replacement", async ({ expect }) => {
    const waits: unknown[] = [];
    const log = { items: [{}, {}], next: async (query: object) => (waits.push(query), null) };
    const verdict = await run("replaced", {
      options: { counterpart: { logins: log, connects: log }, tester: {}, patience: { reconnect: 7 }, patient: true },
      line: async () => ({ close: () => undefined }),
    } satisfies Partial<Record<keyof TerminalScene, unknown>>);
    expect(verdict).toMatchObject({ kind: "broken", seen: "none" });
    expect(waits).toEqual([
      { from: 2, within: 60_007 },
      { from: 2, within: 60_007 },
    ]);
  });

  it("judges a forged request only once the terminal has handled it", async ({ expect }) => {
    const handled = Promise.withResolvers<void>();
    const request = exchange("1000000001", null);
    const judged = run("unsigned", {
      options: { patience: PATIENCE },
      line: async () => ({}),
      draft: () => request,
      completed: () => handled.promise,
    });
    await expect.poll(() => request.did).toHaveLength(1);
    expect(request.waits).toEqual([]);
    handled.resolve();
    expect(await judged).toEqual(KEPT);
    expect(request.waits).toHaveLength(1);
  });

  it("asks a person for the receipt", async ({ expect }) => {
    expect([await receiptVerdict(true), await receiptVerdict(null)]).toEqual([KEPT, KEPT]);
    expect(await receiptVerdict(false)).toMatchObject({ expected: "one receipt with “Table 4” and R-1" });
    const transData = { transAmt: "1.00", paymentMethod: "bankCard", printCount: 1 };
    expect(begun.slice(-2)).toEqual(["approve", { referenceLabel: "Table 4", transData }]);
    expect(await receiptVerdict(true, { present: false })).toMatchObject({ kind: "left-out" });
    expect(await receiptVerdict(true, { isEnded: false })).toMatchObject({ kind: "blocked" });
  });
});
