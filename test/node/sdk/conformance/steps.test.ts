/** What the steps of the kits say about a POS or a terminal that breaks the duty: one line for each thing they can see. */
import { describe, it } from "vitest";
import type { Driver, Shown } from "../../../../src/sdk/conformance/pos/drive.ts";
import { POS_STEPS } from "../../../../src/sdk/conformance/pos/kit.ts";
import type { KitAccount } from "../../../../src/sdk/conformance/pos/judge.ts";
import { FaultProxy } from "../../../../src/sdk/conformance/pos/proxy.ts";
import { PosScene } from "../../../../src/sdk/conformance/pos/scene.ts";
import { cardDataProblems, type Heard, resultProblems } from "../../../../src/sdk/conformance/terminal/judge.ts";
import { TERMINAL_STEPS } from "../../../../src/sdk/conformance/terminal/kit.ts";
import type { TerminalScene } from "../../../../src/sdk/conformance/terminal/scene.ts";
import type { Step, Verdict } from "../../../../src/sdk/conformance/step.ts";
import type { Charge } from "../../../../src/sdk/simulator/ledger.ts";
import { SimulatedTerminal } from "../../../../src/sdk/simulator/simulated-terminal.ts";
import { MANDATORY } from "../../../../src/protocol/transactions.ts";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";

const ACCOUNT: KitAccount = {
  posId: "POS-1",
  merchantId: "M-1",
  deviceId: "T-1",
  password: "a password of the kit's test",
  signingKey: "a signing key of the kit's test",
};

const KEPT: Verdict = { kind: "kept" };
const BROKEN: Verdict = { kind: "broken", expected: "a sale", seen: "none" };

async function run<Scene>(steps: readonly Step<Scene>[], name: string, scene: object): Promise<Verdict> {
  const step = steps.find((one) => one.name === name);
  if (step === undefined) throw new Error(`there is no step ${name}`);
  const verdict = await step.run(scene as Scene);
  if (verdict.kind === "broken" && verdict.expected === "") throw new Error(`${name} does not say what is expected`);
  return verdict;
}

/** A message of a POS that the gateway has answered, changed. */
const sent = (referenceId: string, changes: object = {}, more: object = {}) => ({
  at: 0,
  receivedAt: Date.UTC(2026, 0, 2),
  path: "/api/transfer",
  signatureHolds: true,
  drive: 1,
  statusCode: "00",
  refusal: null,
  method: "POST",
  isJson: true,
  secretInUrl: false,
  token: "access" as const,
  status: 200,
  body: { transType: "sale", referenceId, ...changes },
  ...more,
});
const inquiry = (about: string) => sent("Q", { transType: "inquiry", transData: { referenceId: about } });
const voided = (referenceId: string, transId: string) =>
  sent(referenceId, { transType: "void", transData: { transId } });

interface Behaviour {
  /** What arrives during each sale, the last one again. */
  sales?: object[][];
  /** What arrives during another action. */
  driven?: object[];
  shown?: string;
  /** Calls during each sale. */
  logins?: object[];
  refreshes?: object[];
  /** All calls. */
  calls?: object[];
}

/** A scene in which a POS does what is given. */
function posWith({ sales = [[sent("A")]], driven = [], shown = "approved", ...heard }: Behaviour) {
  const calls: object[] = [...(heard.calls ?? [])];
  const left = [...sales];
  return {
    options: {
      patient: true,
      proxy: {
        account: ACCOUNT,
        calls: { items: calls },
        messages: { items: sales.flat() },
        tokens: { endInUse: () => undefined, acceptAgain: () => undefined },
      },
      terminal: { ledger: { charges: [{ referenceId: "A", transId: "1000000001" }] } },
    },
    noSales: null,
    newAmount: () => "1.00",
    sale: async () => {
      calls.push(...(heard.logins ?? []).map((call) => ({ path: "/auth/login", ...call })));
      calls.push(...(heard.refreshes ?? []).map((call) => ({ path: "/auth/refresh", ...call })));
      return { messages: left.length > 1 ? left.shift() : left[0], shown };
    },
    drive: async () => ({ messages: driven, shown }),
    recover: async () => null,
    tidy: async () => undefined,
    crash: async () => ({ messages: left[0], shown }),
  } satisfies Partial<Record<keyof PosScene, unknown>>;
}

const accepted = { status: 200, refusal: null, isJson: true };
const refusal = { status: 401, code: "40100", message: "posId or password is wrong.", details: [] };
const invalid = (path: string) => ({
  refusal: { status: 400, code: "40000", message: "Fix it.", details: [{ path, message: "Fix this." }] },
});
const twice = [sent("A"), sent("A")];
const complete = {
  posId: "POS-1",
  merchantId: "M-1",
  deviceId: "T-1",
  apiVersion: "v1",
  datetime: "20260102T000000",
  transData: { transAmt: "1.00", paymentMethod: "bankCard" },
  signature: "0".repeat(64),
};

const cancelling = (changes: object = {}) =>
  sent(
    "A",
    {},
    {
      path: "/api/transfer/cancel",
      body: {
        posId: "POS-1",
        deviceId: "T-1",
        referenceId: "A",
        datetime: "20260102T000000",
        signature: "0".repeat(64),
        ...changes,
      },
    },
  );

async function approves(): Promise<Shown> {
  return "approved";
}

/** A scene without a gateway. */
function sceneWith(driver: Driver) {
  const proxy = new FaultProxy({ url: new URL("http://127.0.0.1"), tls: null }, "http://127.0.0.1", ACCOUNT);
  const terminal = new SimulatedTerminal({ baseUrl: "http://127.0.0.1", terminalId: "T-1", secret: SECRET });
  const settled: string[] = [];
  const settle = async (referenceId: string): Promise<void> => void settled.push(referenceId);
  const scene = new PosScene({ proxy, terminal, settle, driver, patient: false, within: 7 });
  return { scene, proxy, terminal, settled };
}

async function loginVerdict(...logins: object[]): Promise<Verdict> {
  const scene = posWith({ logins });
  await scene.sale();
  return run(POS_STEPS, "login", scene);
}

describe("a step of the kit for a POS", () => {
  it.for<[string, string | null, Behaviour]>([
    ["sale", null, {}],
    ["sale", "0 other calls", { sales: [[]] }],
    [
      "sale",
      "POST /auth/login: the gateway refused it with 401",
      { sales: [[]], logins: [{ method: "POST", refusal }] },
    ],
    ["sale", "with 400: Fix it. transData.note: Fix this.", { sales: [[sent("A", {}, invalid("transData.note"))]] }],
    ["sale", "it sent the sale again after a signed 00", { sales: [twice] }],
    ["sale", "2 messages", { sales: [twice] }],
    ["sale", "the POS showed nothing: its command does not exist", { shown: "crashed" }],
    ["refresh", null, { refreshes: [{ token: "refresh" }] }],
    ["refresh", "no call of /auth/refresh", {}],
    ["refresh", "a refresh with a replaced token", { refreshes: [{ token: "stale" }, { token: "refresh" }] }],
    ["refresh", "a refresh with the access token", { refreshes: [{ token: "access" }] }],
    ["refresh", "a refresh with no token", { refreshes: [{ token: "none" }] }],
    ["refresh", "2 different referenceIds", { refreshes: [{ token: "refresh" }], sales: [[sent("A"), sent("B")]] }],
    ["refresh", "the POS showed a failure, no money moved", { refreshes: [{ token: "refresh" }], shown: "failed" }],
    ["login-again", null, { logins: [accepted, accepted] }],
    ["login-again", "no login", {}],
    ["login-again", "3 logins", { logins: [accepted, accepted, accepted] }],
    ["login-again", "the POS showed an unknown outcome", { logins: [accepted], shown: "unknown" }],
    ["void", null, { driven: [voided("V", "1000000001")] }],
    ["void", "no void arrived", {}],
    ["void", "the sale's own referenceId", { driven: [voided("A", "1000000001")] }],
    ["void", "another transId", { driven: [voided("V", "1000000002")] }],
    ["inquiry", null, { driven: [inquiry("A")] }],
    ["inquiry", "no message arrived", {}],
    ["inquiry", "a new transaction", { driven: [sent("B")] }],
    ["cancel", null, { driven: [sent("A", {}, { path: "/api/transfer/cancel" })] }],
    ["cancel", "no call", {}],
    ["cancel", "the POS showed not approved", { driven: [sent("A")], shown: "not-approved" }],
    ["dropped", null, { sales: [twice] }],
    ["dropped", "no transaction arrived", { sales: [[inquiry("A")]] }],
    ["dropped", "2 different referenceIds: A, B", { sales: [[sent("A"), sent("B")]] }],
    ["dropped", "it was not sent again", {}],
    ["dropped", "it was not sent again", { sales: [[sent("A"), sent("A", {}, { path: "/api/transfer/cancel" })]] }],
    ["dropped", "the same referenceId and other terms", { sales: [[sent("A"), sent("A", { deviceId: "T-2" })]] }],
    ["dropped", "the same referenceId and other terms", { sales: [[sent("A"), voided("A", "1000000001")]] }],
    ...["transAmt", "cashAmt", "paymentMethod", "paymentChannel", "transId"].map(
      (name): [string, string, Behaviour] => [
        "dropped",
        "the same referenceId and other terms",
        { sales: [[sent("A"), sent("A", { transData: { [name]: "x" } })]] },
      ],
    ),
    ["dropped", null, { sales: [[sent("A"), sent("A", { transData: { metadata: "x" }, datetime: "now" })]] }],
    ["time-out", "it was not sent again", {}],
    ["pending", null, { sales: [[sent("A"), inquiry("A"), inquiry("A")]] }],
    ["pending", "a new transaction under B while A was not completed", { sales: [[sent("A"), sent("B")]] }],
    ["pending", "1 further questions instead of 2", { sales: [twice] }],
    ["pending", "it asked about another transaction", { sales: [[sent("A"), inquiry("A"), inquiry("B")]] }],
    ["pending-declined", "the POS showed approved", { sales: [twice] }],
    ...["approved", "failed-unknown", "unknown"].map((shown): [string, null, Behaviour] => [
      "used-before",
      null,
      { sales: [twice], shown },
    ]),
    ["used-before", "the POS showed not approved", { sales: [twice], shown: "not-approved" }],
    ["new-attempt", "the second attempt sent no message", { sales: [[sent("A")], []], shown: "not-approved" }],
    ["new-attempt", "A used again", { shown: "not-approved" }],
    ["new-attempt", "the POS showed approved", { sales: [[sent("A")], [sent("B")]] }],
    ["new-attempt", "the POS showed not approved", { sales: [[sent("A")], [sent("B")]], shown: "not-approved" }],
    ["rate-limited", null, { sales: [[sent("A"), sent("A", {}, { at: 3_000 })]] }],
    ["rate-limited", null, { sales: [[sent("A"), sent("A", {}, { at: 2_900 })]] }],
    ["rate-limited", "it came after 2899 ms", { sales: [[sent("A"), sent("A", {}, { at: 2_899 })]] }],
    ["rate-limited", "it came after 0 ms", { sales: [twice] }],
    ["forbidden", "3 messages", { sales: [[...twice, sent("A")]], shown: "failed" }],
    ...["not-approved", "failed", "failed-unknown", "unknown"].map((shown): [string, null, Behaviour] => [
      "forbidden",
      null,
      { sales: [twice], shown },
    ]),
    ["forbidden", "the POS showed approved", {}],
    ...["not-approved", "failed-unknown", "unknown"].map((shown): [string, null, Behaviour] => [
      "forged",
      null,
      { shown },
    ]),
    ["forged", "the POS showed a failure, no money moved", { shown: "failed" }],
    ["forged", "the POS showed approved", {}],
    ["unsigned", "a new transaction under B", { sales: [[sent("A"), sent("B")]], shown: "unknown" }],
    ["replayed", "the POS showed an unknown outcome", { shown: "unknown" }],
    ...["refused-later", "invalid-later"].flatMap((name): [string, string | null, Behaviour][] => [
      [name, null, { sales: [twice], shown: "failed-unknown" }],
      [name, "the POS showed a failure, no money moved", { sales: [twice], shown: "failed" }],
      [name, "the POS showed approved", { sales: [twice] }],
    ]),
    ["second-process", null, { sales: [[sent("A"), sent("B"), inquiry("A")]] }],
    ["second-process", "it did not ask", { sales: [[sent("A"), sent("B")]] }],
    ["request-texts", "another note than the one given", { sales: [[sent("A", { transData: { note: "?" } })]] }],
    ["crash", null, { sales: [[sent("A"), inquiry("A")]] }],
    ["crash", "it did not ask", {}],
    ["signature", "1 of 1 are not signed correctly", { sales: [[sent("A", {}, { signatureHolds: false })]] }],
    ["datetime", null, { sales: [[sent("A", complete)]] }],
    ["datetime", "“now” does not have the form", { sales: [[sent("A", { datetime: "now" })]] }],
    ["datetime", null, { sales: [[sent("A", { datetime: "20260101T234500" })]] }],
    ["datetime", "20260102T001501 is 15 min off", { sales: [[sent("A", { datetime: "20260102T001501" })]] }],
    ["datetime", "20260102T080000 is", { sales: [[sent("A", { datetime: "20260102T080000" })]] }],
    ["fields", null, { sales: [[sent("A", complete)]] }],
    ["fields", "sale: merchantId must be M-1", { sales: [[sent("A", { ...complete, merchantId: "M-2" })]] }],
    ["fields", null, { sales: [[cancelling()]] }],
    ["fields", null, { sales: [[sent("A", complete, invalid("datetime"))]] }],
    ["fields", "cancel: posId must be POS-1", { sales: [[cancelling({ posId: "POS-2" })]] }],
    ["fields", "cancel: deviceId must be T-1", { sales: [[cancelling({ deviceId: "T-2" })]] }],
    ["fields", "transfer: transType: ", { sales: [[sent("A", { ...complete, transType: "" }, invalid("transType"))]] }],
    ["fields", "sale: transData.note: Fix this.", { sales: [[sent("A", complete, invalid("transData.note"))]] }],
    ["unique-reference", null, { sales: [twice] }],
    ["urls", "GET /api/events", { calls: [{ secretInUrl: true, method: "GET", path: "/api/events" }] }],
    [
      "urls",
      "GET /0; GET /1; GET /2; GET /3; GET /4",
      { calls: [0, 0, 1, 2, 3, 4, 5, 6].map((path) => ({ secretInUrl: true, method: "GET", path: `/${path}` })) },
    ],
    ["urls", null, { calls: [{ secretInUrl: false, method: "GET", path: "/" }] }],
    [
      "bearer",
      null,
      {
        calls: [
          { path: "/auth/login", token: "none" },
          { path: "/auth/refresh", token: "refresh" },
          { path: "/api/transfer", token: "access" },
        ],
      },
    ],
    ["bearer", null, { calls: [{ path: "/api/transfer", token: "stale" }] }],
    ["bearer", "/api/transfer with no token", { calls: [{ path: "/api/transfer", token: "none" }] }],
    ["bearer", "/api/transfer with the refresh token", { calls: [{ path: "/api/transfer", token: "refresh" }] }],
  ])("%s sees what is wrong, or nothing: %s", async ([name, seen, does], { expect }) => {
    const verdict = await run(POS_STEPS, name, posWith(does));
    expect(verdict).toEqual(
      seen === null ? KEPT : { kind: "broken", expected: expect.any(String), seen: expect.stringContaining(seen) },
    );
    // Five of them are enough for a person.
    if (verdict.kind === "broken" && name === "urls") expect(verdict.seen).toBe(seen);
  });

  it("waits minutes for an unanswered message with --patient only", async ({ expect }) => {
    const begun: unknown[] = [];
    const patient = {
      ...posWith({ sales: [twice] }),
      sale: async (...given: unknown[]) => (begun.push(given), { messages: twice, shown: "approved" }),
    };
    expect(await run(POS_STEPS, "time-out", patient)).toEqual(KEPT);
    expect(begun).toEqual([[expect.anything(), {}, 240_000]]);
    const hasty = { ...patient, options: { ...patient.options, patient: false } };
    expect(await run(POS_STEPS, "time-out", hasty)).toMatchObject({ kind: "left-out" });
  });

  it("kills the POS after its message, and hears the recovery", async ({ expect }) => {
    const { scene, proxy } = sceneWith({
      drive: approves,
      crash: async ({ kind, about }, { within }) => {
        begun.push([kind, about, within]);
        // What the POS sends late belongs to an earlier action.
        for (const drive of [proxy.drive, proxy.drive - 1]) proxy.messages.put({ ...sent("A"), drive });
        return "unknown";
      },
    });
    expect(await scene.crash({ beside: false })).toMatchObject({ messages: [{ drive: 1 }], shown: "unknown" });
    expect(begun.at(-1)).toEqual(["sale", "1.01", 7]);
    for (const name of ["crash", "second-process"]) {
      expect(await run(POS_STEPS, name, sceneWith({ drive: approves }).scene)).toMatchObject({ kind: "left-out" });
    }
  });

  it.for<[string, number, Shown, string | null]>([
    ["one charge", 1, "approved", null],
    ["two charges", 2, "approved", "the POS showed approved; the terminal charged the customer 2 times"],
    ["no charge", 0, "approved", "the POS showed approved; the terminal charged nothing"],
    ["a charge that is denied", 1, "not-approved", "the POS showed not approved; the terminal charged the customer"],
    ["no charge, and none shown", 0, "failed", null],
  ])("compares what the POS shows with what the terminal charged: %s", async ([, charges, shown, seen], { expect }) => {
    const { scene, proxy, terminal } = sceneWith({
      drive: async ({ about: transAmt }) => {
        proxy.messages.put({ ...sent("A"), drive: proxy.drive });
        terminal.ledger.charges.push(
          ...Array.from({ length: charges }, () => ({ transAmt, voidedBy: null }) as Charge),
        );
        return shown;
      },
    });
    const step = { name: "", title: "", duty: "", harm: "", fix: "", run: async () => (await scene.sale(), KEPT) };
    const expected = seen === null ? KEPT : { kind: "broken", seen, expected: expect.stringContaining("at most one") };
    expect(await scene.judge(step)).toEqual(expected);
  });

  it("settles what a step has left open at the gateway", async ({ expect }) => {
    const { scene, proxy, settled } = sceneWith({ drive: approves });
    for (const [reference, ...statusCodes] of [
      ["A", "22", "00"],
      ["B", "22"],
      ["C", ""],
    ] as const) {
      for (const statusCode of statusCodes) proxy.messages.put({ ...sent(reference), statusCode });
    }
    await scene.tidy();
    expect(settled).toEqual(["B"]);
  });

  it.for<[string, Verdict, Verdict["kind"][]]>([
    ["at the first step after it", KEPT, ["kept", "broken", "blocked"]],
    ["at its own step", { kind: "broken", expected: "one sale", seen: "two" }, ["broken", "blocked", "blocked"]],
  ])("names a POS that sends an older sale first once: %s", async ([, first, kinds], { expect }) => {
    const { scene, proxy } = sceneWith({
      drive: async () => {
        proxy.messages.put({ ...sent("A"), drive: proxy.drive });
        return "unknown";
      },
    });
    const verdicts: Verdict[] = [];
    for (const [title, verdict] of [
      ["One", first],
      ...["Two", "Three"].map((one) => [one, BROKEN] as const),
    ] as const) {
      const judged = async () => (await scene.sale(), verdict);
      verdicts.push(await scene.judge({ name: "", title, duty: "", harm: "", fix: "", run: judged }));
    }
    expect(verdicts.map(({ kind }) => kind)).toEqual(kinds);
    expect(JSON.stringify(verdicts[1])).toContain("the POS first sent an older reference, A of “One”");
  });

  it("judges the logins: one must be accepted, and all must be JSON", async ({ expect }) => {
    const wrong = { status: 401, refusal, isJson: true };
    expect(await loginVerdict(wrong, accepted)).toEqual(KEPT);
    expect(await loginVerdict(wrong)).toMatchObject({ seen: expect.stringContaining("posId or password is wrong.") });
    expect(await loginVerdict({ ...accepted, isJson: false })).toMatchObject({
      seen: "the Content-Type is not application/json",
    });
    expect(await loginVerdict()).toMatchObject({ kind: "blocked" });
  });

  it("is not judged without messages, and skipped for an unknown action", async ({ expect }) => {
    const needing = ["dropped", "pending", "new-attempt", "forged", "void", "crash", "refused-later", "request-texts"];
    for (const name of [...needing, "signature", "datetime", "fields", "bearer", "urls"]) {
      expect(await run(POS_STEPS, name, posWith({ sales: [[]] })), name).toMatchObject({ kind: "blocked" });
    }
    for (const name of ["void", "inquiry", "cancel", "crash"]) {
      expect(await run(POS_STEPS, name, posWith({ shown: "unsupported" })), name).toMatchObject({ kind: "left-out" });
    }
  });
});

const SECRET = "a secret of the kit's test";
const frame = (members: JsonObject, connection = 1) => ({ at: 0, connection, text: "", frame: members });
const result = (statusCode: string) => frame({ type: "result", requestId: "1", statusCode });

const overallVerdict = (name: string, ...items: object[]) =>
  run(TERMINAL_STEPS, name, { options: { counterpart: { secret: SECRET, heard: { items } } } });

function loginsVerdict(...signatures: string[]): Promise<Verdict> {
  const items = signatures.map((signature) => ({ body: { signature }, signatureHolds: true }));
  return run(TERMINAL_STEPS, "logins-anew", { options: { counterpart: { logins: { items } } } });
}

/** What the kit has asked terminals for. */
const begun: unknown[] = [];

const receiptVerdict = (right: boolean | null, { present = true, isEnded = true } = {}) =>
  run(TERMINAL_STEPS, "receipt", {
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
  const told = (stage: string, requestId = "1") => frame({ type: "progress", requestId, stage });

  it.for<[string, string | null, Heard[]]>([
    ["frames", null, [hello("m", 1), hello("m", 2), frame({ type: "accepted", requestId: "1000000001", attempt: 1 })]],
    ["frames", "a second hello on one connection", [hello("m", 1), hello("m", 1)]],
    ["frames", "weather: type is invalid", [frame({ type: "weather" })]],
    ["frames", null, [told("waiting")]],
    [
      "frames",
      "accepted: requestId is invalid; accepted: attempt is invalid",
      [frame({ type: "accepted", requestId: "1" })],
    ],
    ["frames", "a text that is not a JSON object the service accepts", [{ ...frame({}), frame: null, text: "{" }]],
    ["frames", null, ["ping", "pong"].map((text) => ({ ...frame({}), frame: null, text }))],
    ["progress", null, [taken, told("pin"), hello("m", 2, "2"), told("scan", "2")]],
    ["progress", "stage “waiting”", [taken, told("waiting")]],
    ["progress", "stage pin for a request that was not accepted", [frame({ type: "ack", open: ["1"] }), told("pin")]],
    ["progress", "stage pin for a finished request", [taken, result("11"), told("pin")]],
    ["result-signature", "1 of 1 are not signed correctly: there is no signature", [result("00")]],
    ["one-memory", null, [hello("m", 1), hello("m", 2)]],
    ["one-memory", "2 different ones", [hello("m", 1), hello("n", 2)]],
    ["final", null, [result("22"), result("22"), result("00"), result("00")]],
    ["final", "00, then 22", [result("00"), result("22")]],
    ["final", "11, then 00", [result("11"), result("00")]],
    ["final", null, [result("11"), frame({ type: "result", requestId: "2", statusCode: "00" }), told("pin")]],
    ["card-data", null, [result("00"), { ...frame({}), frame: null, text: "ping" }]],
    ["card-data", "cardNo shows more", [frame({ type: "result", transData: { cardNo: "4111111111111111" } })]],
  ])("finds in %s what is wrong, or nothing: %s", async ([name, seen, items], { expect }) => {
    const verdict = await overallVerdict(name, ...items);
    expect(verdict).toEqual(
      seen === null ? KEPT : { kind: "broken", expected: expect.any(String), seen: expect.stringContaining(seen) },
    );
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
    const verdict = await run(TERMINAL_STEPS, "replaced", {
      options: { counterpart: { logins: log, connects: log }, tester: {}, patience: { reconnect: 7 }, patient: true },
      line: async () => ({ close: () => undefined }),
    } satisfies Partial<Record<keyof TerminalScene, unknown>>);
    expect(verdict).toMatchObject({ kind: "broken", seen: "none" });
    expect(waits).toEqual([
      { from: 2, within: 60_007 },
      { from: 2, within: 60_007 },
    ]);
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

describe("the judgement of a result", () => {
  const request = { transType: "sale", currency: "MYR", transId: "1", transData: { transAmt: "1.00" } };
  const details = Object.fromEntries(MANDATORY.map((name) => [name, "x"]));
  const approved = { statusCode: "00", responseCode: "00", softwareVersion: "1", terminalSn: "S", transData: details };

  it("is flawless if nothing is wrong", ({ expect }) => {
    expect(resultProblems(approved, request)).toEqual([]);
    const reversed = { ...approved, transData: { ...details, transAmt: "1.00", currency: "MYR" } };
    expect(resultProblems(reversed, { ...request, transType: "void", transData: {} })).toEqual([]);
    expect(cardDataProblems({ transData: { cardNo: "xxxxxxxxxxxx1111" } })).toEqual([]);
  });

  it.for<[string, JsonObject]>([
    ["statusCode “33” must be 00, 11 or 22", { statusCode: "33" }],
    ["responseCode is missing", { responseCode: "" }],
    ["terminalSn must be a string", { terminalSn: 7 }],
    ["softwareVersion is longer than 40 characters", { softwareVersion: "v".repeat(41) }],
    ["transData must be an object", { statusCode: "11", transData: [] }],
    ["transData.invNo is missing", { transData: { ...details, invNo: null } }],
    ["transData.cvmType is longer than 2 characters", { transData: { ...details, cvmType: "001" } }],
    [
      "transData.transDateTime must have the form yyyy-MM-ddTHH:mm:ss",
      { transData: { ...details, transDateTime: "now" } },
    ],
    ["transData.transAmt is 2.00, but the request has 1.00", { transData: { ...details, transAmt: "2.00" } }],
    ["transData.transAmt is 2, but the request has 1.00", { transData: { ...details, transAmt: 2 } }],
    ["transData.cashAmt is 2.00, but the request has none", { transData: { ...details, cashAmt: "2.00" } }],
    ["transData.currency is USD, but the request has MYR", { transData: { ...details, currency: "USD" } }],
  ])("reports that %s", ([problem, changes], { expect }) => {
    expect(resultProblems({ ...approved, ...changes }, request)).toEqual([problem]);
  });

  it.for<[string, JsonObject]>([
    ["cardNo shows more than the last four digits", { transData: { cardNo: "xxxxxxxxxxx51111" } }],
    ["metadata contains a card number", { transData: { metadata: "4111 1111 1111 1111" } }],
    ["transData.track2 is track data, a PIN or a verification code", { transData: { track2: "x" } }],
  ])("reports card data: %s", ([problem, result_], { expect }) => {
    expect(cardDataProblems(result_)).toEqual([problem]);
  });

  it.for(["responseText", "cardLabel", "cardHoldersName", "paymentChannel", "metadata", "terminalSn"])(
    "reports a card number in %s, at either place",
    (name, { expect }) => {
      const text = { [name]: "4111 1111 1111 1111" };
      for (const members of [text, { transData: text }]) {
        expect(cardDataProblems(members)).toEqual([`${name} contains a card number`]);
      }
    },
  );

  it("reports a wrong signature", async ({ expect }) => {
    const items = [frame(withSignature({ type: "result" }, SECRET))];
    expect(await overallVerdict("result-signature", ...items)).toEqual(KEPT);
  });
});
