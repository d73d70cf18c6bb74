/** What the steps of the kit say about a POS that breaks the duty: one line for each thing they can see. */
import { describe, it } from "vitest";
import type { Driver, PosAnswer } from "../../../../src/sdk/conformance/pos/drive.ts";
import { POS_STEPS } from "../../../../src/sdk/conformance/pos/kit.ts";
import type { KitAccount } from "../../../../src/sdk/conformance/pos/judge.ts";
import { FaultProxy } from "../../../../src/sdk/conformance/pos/proxy.ts";
import { PosScene } from "../../../../src/sdk/conformance/pos/scene.ts";
import type { StepVerdict } from "../../../../src/sdk/conformance/step.ts";
import type { Charge } from "../../../../src/sdk/simulator/ledger.ts";
import { SimulatedTerminal } from "../../../../src/sdk/simulator/simulated-terminal.ts";
import { runStep } from "./run-step.ts";

const ACCOUNT: KitAccount = {
  posId: "POS-1",
  merchantId: "M-1",
  deviceId: "T-1",
  password: "a password of the kit's test",
  signingKey: "a signing key of the kit's test",
};

const KEPT: StepVerdict = { kind: "kept" };
const BROKEN: StepVerdict = { kind: "broken", expected: "a sale", seen: "none" };

function run(name: string, scene: object): Promise<StepVerdict> {
  return runStep(POS_STEPS, name, scene);
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

async function approves(): Promise<PosAnswer> {
  return "approved";
}

/** A scene without a gateway. */
function sceneWith(driver: Driver) {
  const proxy = new FaultProxy({ url: new URL("http://127.0.0.1"), tls: null }, "http://127.0.0.1", ACCOUNT);
  const terminal = new SimulatedTerminal({
    baseUrl: "http://127.0.0.1",
    terminalId: "T-1",
    secret: "a secret of the kit's test",
  });
  const settled: string[] = [];
  const settle = async (referenceId: string): Promise<void> => void settled.push(referenceId);
  const scene = new PosScene({ proxy, terminal, settle, driver, patient: false, within: 7 });
  return { scene, proxy, terminal, settled };
}

async function loginVerdict(...logins: object[]): Promise<StepVerdict> {
  const scene = posWith({ logins });
  await scene.sale();
  return run("login", scene);
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
    const verdict = await run(name, posWith(does));
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
    expect(await run("time-out", patient)).toEqual(KEPT);
    expect(begun).toEqual([[expect.anything(), {}, 240_000]]);
    const hasty = { ...patient, options: { ...patient.options, patient: false } };
    expect(await run("time-out", hasty)).toMatchObject({ kind: "left-out" });
  });

  it("kills the POS after its message, and hears the recovery", async ({ expect }) => {
    const begun: unknown[] = [];
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
      expect(await run(name, sceneWith({ drive: approves }).scene)).toMatchObject({ kind: "left-out" });
    }
  });

  it.for<[string, number, PosAnswer, string | null]>([
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

  it.for<[string, StepVerdict, StepVerdict["kind"][]]>([
    ["at the first step after it", KEPT, ["kept", "broken", "blocked"]],
    ["at its own step", { kind: "broken", expected: "one sale", seen: "two" }, ["broken", "blocked", "blocked"]],
  ])("names a POS that sends an older sale first once: %s", async ([, first, kinds], { expect }) => {
    const { scene, proxy } = sceneWith({
      drive: async () => {
        proxy.messages.put({ ...sent("A"), drive: proxy.drive });
        return "unknown";
      },
    });
    const verdicts: StepVerdict[] = [];
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
      expect(await run(name, posWith({ sales: [[]] })), name).toMatchObject({ kind: "blocked" });
    }
    for (const name of ["void", "inquiry", "cancel", "crash"]) {
      expect(await run(name, posWith({ shown: "unsupported" })), name).toMatchObject({ kind: "left-out" });
    }
  });
});
