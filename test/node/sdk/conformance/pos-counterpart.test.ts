/** The gateway as the kit for tills plays it: what a till is answered about transactions that have not come. */
import { afterEach, beforeEach, describe, it } from "vitest";
import { PosClient, PosError, newReferenceId } from "../../../../src/sdk/client/pos.ts";
import { PosCounterpart } from "../../../../src/sdk/conformance/pos/counterpart.ts";
import { loginProblems } from "../../../../src/sdk/conformance/pos/judge.ts";
import { approvedAfter, declinedAfter, type Reply } from "../../../../src/sdk/conformance/pos/ledger.ts";
import { BIND_KEY_LIFE } from "../../../../src/protocol/limits/keys.ts";
import { NO_TRANSACTION } from "../../../../src/protocol/refusals.ts";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../../../src/protocol/time/datetime.ts";
import { DAY, MINUTE } from "../../../../src/protocol/time/units.ts";
import { ACCOUNT, CREDENTIALS } from "../../../support/sdk/conformance/account.ts";

const { deviceId } = ACCOUNT;

let counterpart: PosCounterpart;
let baseUrl: string;
let pos: PosClient;
/** Of the last call. */
let authorization: string | null;
let answered: Headers;

beforeEach(async () => {
  authorization = null;
  counterpart = new PosCounterpart({ url: new URL("http://127.0.0.1:0"), tls: null }, ACCOUNT);
  baseUrl = await counterpart.open();
  pos = new PosClient({
    baseUrl,
    ...CREDENTIALS,
    random: () => 0,
    fetch: async (request) => {
      authorization = request.headers.get("Authorization");
      const response = await fetch(request);
      answered = response.headers;
      return response;
    },
  });
});

afterEach(() => counterpart.close());

/** What the gateway's 400 says. */
async function refusal(call: Promise<unknown>): Promise<PosError["problem"]> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PosError) return error.problem;
  throw new Error("the call was not refused");
}

function sell(referenceId = newReferenceId(), more: { metadata?: string; within?: number } = {}) {
  const { within, ...members } = more;
  return pos.sale({ deviceId, referenceId, transAmt: "1.00", paymentMethod: "bankCard", ...members }, { within });
}

const FIXED = {
  posId: "POS-1",
  deviceId,
  softwareVersion: "conformance kit",
  terminalSn: "KIT-1",
  apiVersion: "v1",
};

const REFUSED = { message: "The request is invalid. Fix every field listed in details." };

describe("the answer", () => {
  it("is complete for each message, and names its transaction", async ({ expect }) => {
    const signature = expect.stringMatching(/^[0-9a-f]{64}$/u);
    const transDateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/u);
    const approved = { ...FIXED, signature, statusCode: "00", responseCode: "00", responseText: "Approved." };
    const card = (transId: string) => ({
      transId,
      transAmt: "1.00",
      currency: "MYR",
      transDateTime,
      paymentChannel: "VISA",
      cardNo: "xxxxxxxxxxxx1111",
      invNo: transId.slice(-6),
      batchNo: "",
      tid: "KIT-T",
      mid: "KIT-M",
      entryMode: "Contactless",
      cvmType: "00",
      cardLabel: "VISA CREDIT",
    });
    const [first, second, third, fourth] = [newReferenceId(), newReferenceId(), newReferenceId(), newReferenceId()];
    const sold = await sell(first, { metadata: "table 4" });
    const transId = sold.transData?.transId ?? "";
    expect(transId).toMatch(/^\d{10}$/u);
    const sale = { ...card(transId), metadata: "table 4" };
    expect(sold).toEqual({ ...approved, transType: "sale", referenceId: first, transData: sale });
    const amounts = { transAmt: "1.00", cashAmt: "2.00" };
    const cashOut = await pos.cashOut({ deviceId, referenceId: second, ...amounts });
    const next = String(Number(transId) + 1);
    expect(cashOut).toEqual({
      ...approved,
      transType: "cashOut",
      referenceId: second,
      transData: { ...card(next), ...amounts },
    });
    const voided = await pos.void({ deviceId, referenceId: third, transId });
    expect(voided).toEqual({ ...approved, transType: "void", referenceId: third, transData: card(transId) });
    const original = { originalTransType: "sale", originalReferenceId: first };
    for (const about of [{ transId }, { referenceId: first }]) {
      const inquiry = await pos.inquiry({ deviceId, referenceId: fourth, about });
      expect(inquiry).toEqual({ ...approved, ...original, transType: "inquiry", referenceId: fourth, transData: sale });
    }
    expect(await pos.inquiry({ deviceId, referenceId: first })).toMatchObject({ ...original, transData: sale });
    expect(await pos.getLast({ deviceId, referenceId: fourth })).toMatchObject({
      transType: "getLast",
      originalTransType: "void",
      originalReferenceId: third,
    });
    const cancelled = await pos.cancel({ deviceId, referenceId: first });
    expect(cancelled).toEqual({ ...approved, transType: "cancel", referenceId: first, transData: sale });
  });

  it("has the number for 11 and 22, and none for voids", async ({ expect }) => {
    counterpart.ledger.follow(declinedAfter({ kind: "pending", responseCode: "09" }));
    const pending = await sell("R-1", { within: 1 });
    const open = { transId: pending.transData?.transId, transAmt: "1.00" };
    expect(pending).toMatchObject({
      statusCode: "22",
      responseCode: "09",
      responseText: "Outcome not known yet. Ask again.",
    });
    expect(pending.transData).toMatchObject({ ...open, currency: "MYR" });
    expect(pending.transData).not.toHaveProperty("cardNo");
    const declined = await sell("R-1");
    expect(declined).toMatchObject({ statusCode: "11", responseCode: "05", responseText: "Declined by the issuer." });
    expect(declined.transData).toMatchObject({ ...open, tid: "", mid: "", invNo: "", paymentChannel: "" });
    counterpart.ledger.follow(declinedAfter());
    const voided = await pos.void({ deviceId, referenceId: "R-2", transId: "1000000001" });
    expect([voided.statusCode, "transData" in voided]).toEqual(["11", false]);
  });

  it("is marked as replayed from the second time, or by its script", async ({ expect }) => {
    const marks: unknown[] = [];
    for (const script of [
      approvedAfter(),
      { ...approvedAfter(), replayed: true },
      approvedAfter({ kind: "pending", responseCode: "09" }),
      approvedAfter({ kind: "drop" }),
    ]) {
      const referenceId = newReferenceId();
      counterpart.ledger.follow(script);
      await sell(referenceId);
      marks.push(answered.get("Idempotent-Replayed"));
      await pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { referenceId } });
      marks.push(answered.get("Idempotent-Replayed"));
      await sell(referenceId);
      marks.push(answered.get("Idempotent-Replayed"));
    }
    expect(marks).toEqual([null, null, "true", "true", null, "true", null, null, "true", "true", null, "true"]);
  });

  it("can have an unknown member, or another transaction's contents", async ({ expect }) => {
    counterpart.ledger.follow({ ...approvedAfter(), unknownMember: true });
    expect(await sell()).toMatchObject({ statusCode: "00", loyaltyPoints: { earned: 3, name: "Käfer" } });
    for (const how of ["other-key", "unsigned", "other-reference"] as const) {
      counterpart.ledger.follow(declinedAfter({ kind: "forged", how }));
      const before = counterpart.messages.items.length;
      // The client believes nobody else, and asks again.
      expect(await sell()).toMatchObject({ statusCode: "11" });
      expect(counterpart.messages.items.length).toBe(before + 2);
    }
  });

  it.for<[Reply, object]>([
    [
      { kind: "status", status: 400 },
      { ...REFUSED, kind: "invalid_request", details: [{ path: "transData.note", message: "Send a shorter text." }] },
    ],
    [
      { kind: "status", status: 403 },
      { kind: "forbidden", message: "The account is suspended." },
    ],
    [
      { kind: "status", status: 429, retryAfterSeconds: 3 },
      { kind: "rate_limited", message: "Too many requests." },
    ],
    [
      { kind: "status", status: 502 },
      { kind: "unreachable", message: "The service failed." },
    ],
    [{ kind: "used" }, { ...REFUSED, code: 40_009 }],
  ])("can be an error: %j", async ([reply, problem], { expect }) => {
    counterpart.ledger.follow(approvedAfter(reply));
    const referenceId = newReferenceId();
    const { details, ...said } = await refusal(sell(referenceId, { within: 1 }));
    expect({ details, ...said }).toMatchObject(problem);
    expect(answered.get("Retry-After")).toBe("retryAfterSeconds" in reply ? "3" : null);
    if (reply.kind !== "used") {
      if (!("details" in problem)) expect(details).toBeUndefined();
      return;
    }
    const [first] = details ?? [];
    expect(first?.path).toBe("referenceId");
    // Midnight may pass during the call.
    expect([daysAgo(3), daysAgo(4)]).toContain(/on (\S+) \(UTC\)/u.exec(first?.message ?? "")?.[1]);
    // A question about it gets its outcome.
    counterpart.ledger.follow(approvedAfter());
    expect(await pos.inquiry({ deviceId, referenceId })).toMatchObject({ statusCode: "00" });
  });

  it("repeats the last reply of its script until a cancel, if asked", async ({ expect }) => {
    counterpart.ledger.follow({
      ...approvedAfter({ kind: "pending", responseCode: "A" }, { kind: "pending", responseCode: "B" }),
      repeatsLast: true,
    });
    const codes: unknown[] = [];
    for (let times = 0; times < 4; times++) codes.push((await sell("R-1", { within: 1 })).responseCode);
    expect(codes).toEqual(["A", "B", "B", "B"]);
    expect((await pos.cancel({ deviceId, referenceId: "R-1" })).responseCode).toBe("CANCELLED");
    expect((await sell("R-1")).statusCode).toBe("11");
  });
});

describe("a POS's tokens", () => {
  it("are distinguished, and end in use if a step requires it", async ({ expect }) => {
    await sell();
    const { access, refresh } = JSON.parse(await loggedIn()) as Record<string, { token: string; expiresAt: string }>;
    for (const [minutes, token] of [
      [15, access],
      [30, refresh],
    ] as const) {
      expect(Math.abs(Date.parse(token?.expiresAt ?? "") - Date.now() - minutes * MINUTE)).toBeLessThan(MINUTE);
    }
    authorization = `Bearer ${access?.token ?? ""}`;
    expect((await fetched("GET", "/api/terminals"))[0]).toBe(200);
    counterpart.tokens.endInUse("access");
    expect((await fetched("GET", "/api/terminals"))[0]).toBe(200);
    expect((await fetched("POST", "/api/transfer", "[]"))[0]).toBe(401);
    counterpart.tokens.takesEarlier = true;
    expect((await fetched("GET", "/api/terminals"))[0]).toBe(200);
    counterpart.tokens.takesEarlier = false;
    authorization = `Bearer ${refresh?.token ?? ""}`;
    // Another step tells them apart.
    expect((await fetched("GET", "/api/terminals"))[0]).toBe(200);
    expect((await fetched("POST", "/auth/refresh"))[0]).toBe(200);
    expect((await fetched("POST", "/auth/refresh"))[0]).toBe(401);
    authorization = "Bearer other";
    counterpart.tokens.takesEarlier = true;
    expect((await fetched("GET", "/api/terminals"))[0]).toBe(401);
    authorization = null;
    expect((await fetched("GET", `/api/terminals?a=${access?.token ?? ""}`))[0]).toBe(401);
    await fetched("GET", `/api/terminals?a=${encodeURIComponent(ACCOUNT.password)}`);
    await fetched("GET", "/api/terminals?a=%");
    const noted = counterpart.calls.items.map(({ method, path, token, secretInUrl, status }) => [
      method,
      path,
      token,
      secretInUrl,
      status,
    ]);
    expect(noted.slice(3)).toEqual([
      ["GET", "/api/terminals", "access", false, 200],
      ["GET", "/api/terminals", "access", false, 200],
      ["POST", "/api/transfer", "stale", false, 401],
      ["GET", "/api/terminals", "access", false, 200],
      ["GET", "/api/terminals", "refresh", false, 200],
      ["POST", "/auth/refresh", "refresh", false, 200],
      ["POST", "/auth/refresh", "stale", false, 401],
      ["GET", "/api/terminals", "stale", false, 401],
      ["GET", "/api/terminals", "none", true, 401],
      ["GET", "/api/terminals", "none", true, 401],
      ["GET", "/api/terminals", "none", false, 401],
    ]);
    expect(counterpart.refreshes.items.map(({ token }) => token)).toEqual(["refresh", "stale"]);
  });

  it("come from a password or freshly signed login of the account", async ({ expect }) => {
    const { posId, password, signingKey } = ACCOUNT;
    const signedLogin = (members: object, key = signingKey) =>
      withSignature({ posId, datetime: at(0), nonce: newReferenceId(), ...members }, key);
    const once = signedLogin({});
    for (const [body, problem] of [
      [{ posId, password }, []],
      [once, []],
      [signedLogin({ datetime: at(-14 * MINUTE) }), []],
      [{ posId, password: "other" }, ["password was wrong"]],
      [{ posId: "POS-2", password }, ["posId was wrong"]],
      [once, ["a signed login was sent twice; each needs a new nonce"]],
      [{ ...once, signature: once.signature.toUpperCase() }, ["a signed login was sent twice; each needs a new nonce"]],
      [signedLogin({}, "another key"), ["the signature is wrong"]],
      [signedLogin({ datetime: at(-16 * MINUTE) }), ["datetime is 16 min off"]],
    ] as const) {
      const [status] = await fetched("POST", "/auth/login", JSON.stringify(body));
      const { problems, isJson } = counterpart.logins.items.at(-1) ?? {};
      expect([status, problems, isJson]).toEqual([problem.length === 0 ? 200 : 401, problem, false]);
    }
    await fetched("POST", "/auth/login", "{}");
    expect(counterpart.logins.items.at(-1)?.problems).toContainEqual(expect.stringMatching(/^posId: /u));
    const signed = signedLogin({ datetime: "20260102T030405" });
    for (const off of [900_000, -900_000]) {
      const now = Date.UTC(2026, 0, 2, 3, 4, 5) - off;
      expect(loginProblems(signed, ACCOUNT, new Set(), now)).toEqual([]);
      expect(loginProblems(signed, ACCOUNT, new Set(), now - Math.sign(off))).toEqual(["datetime is 15 min off"]);
    }
  });
});

const at = (offset: number): string => formatDatetime(Date.now() + offset);
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

async function loggedIn(): Promise<string> {
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  const body = JSON.stringify({ posId: ACCOUNT.posId, password: ACCOUNT.password });
  const response = await fetch(`${baseUrl}/auth/login`, { method: "POST", headers, body });
  if (counterpart.logins.items.at(-1)?.isJson !== true) throw new Error("the kit does not see that it is JSON");
  return response.text();
}

describe("an inquiry about a transaction that has not arrived", () => {
  it("gets 40004 without a reference, and an explanation", async ({ expect }) => {
    await sell();
    const nothing = await refusal(pos.inquiry({ deviceId, referenceId: newReferenceId() }));
    expect(nothing).toMatchObject({ code: 40004, details: [{ path: "referenceId" }] });
    expect(nothing.details?.[0]?.message).toMatch(/transData\.referenceId or transData\.transId/u);
    const number = await refusal(
      pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { transId: "9876543210" } }),
    );
    expect(number).toMatchObject({ code: 40004, details: [{ path: "transData.transId" }] });
  });

  it("completes its reference, so that the later sale gets that answer", async ({ expect }) => {
    const [asked, cancelled] = [newReferenceId(), newReferenceId()];
    const answer = await pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { referenceId: asked } });
    expect(answer).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(answer).not.toHaveProperty("originalReferenceId");
    for (const replayed of [null, "true"]) {
      expect(await pos.cancel({ deviceId, referenceId: cancelled })).toMatchObject({ statusCode: "11" });
      expect(answered.get("Idempotent-Replayed")).toBe(replayed);
    }
    for (const referenceId of [asked, cancelled]) {
      expect(await sell(referenceId)).toMatchObject({ statusCode: "11", responseCode: "CANCELLED", referenceId });
    }
  });

  it("gets 40004 for getLast, which ignores references without a transaction", async ({ expect }) => {
    await pos.cancel({ deviceId, referenceId: newReferenceId() });
    const none = await refusal(pos.getLast({ deviceId, referenceId: newReferenceId() }));
    expect(none).toMatchObject({ status: 400, code: 40004, details: [NO_TRANSACTION] });
    const { referenceId } = await sell();
    await pos.cancel({ deviceId, referenceId: newReferenceId() });
    const last = await pos.getLast({ deviceId, referenceId: newReferenceId() });
    expect(last).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
  });
});

async function fetched(method: string, path: string, body?: string): Promise<[status: number, body: unknown]> {
  const headers = authorization === null ? {} : { Authorization: authorization };
  const response = await fetch(`${baseUrl}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  return [response.status, await response.json()];
}

describe("a POS's other calls", () => {
  const terminal = { terminalId: deviceId, connected: true, isVT: 1 };
  const done = { code: 20_000, message: "Done." };

  it.for<[call: string, body: object]>([
    ["GET /api/terminals", { data: [terminal] }],
    [`GET /api/terminals/${deviceId}`, terminal],
    ["GET /api/ewallet-channels", { data: [] }],
    ["GET /api/prebind-terminals", { data: [] }],
    ["POST /api/prebind-terminals", done],
  ])("get an answer: %s", async ([name, body], { expect }) => {
    await sell();
    const [method = "", path = ""] = name.split(" ");
    expect(await fetched(method, path)).toEqual([200, body]);
  });

  it("get a key, but no picture of it", async ({ expect }) => {
    await sell();
    const [status, body] = await fetched("GET", "/api/bind-terminal-key");
    const { expiresAt, ...key } = body as { expiresAt: string };
    expect([status, key, expiresAt]).toEqual([200, { key: "TESTKEYS" }, expect.stringMatching(/\+08:00$/u)]);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - BIND_KEY_LIFE)).toBeLessThan(MINUTE);
    const problem = expect.objectContaining({ code: 40400, message: "The kit does not serve this path." });
    expect(await fetched("GET", "/api/bind-terminal-key?option=image")).toEqual([404, problem]);
    expect(await fetched("GET", "/api/other")).toEqual([404, problem]);
  });

  it("are refused without a token, after logout, or without an object", async ({ expect }) => {
    const missing = [401, expect.objectContaining({ message: "The access token is missing, invalid or expired." })];
    expect(await fetched("GET", "/api/terminals")).toEqual(missing);
    await sell();
    const message = "Send a JSON object.";
    for (const body of ["[]", "no JSON"]) {
      const problem = expect.objectContaining({ code: 40000, message, details: [{ path: "", message }] });
      expect(await fetched("POST", "/api/transfer", body)).toEqual([400, problem]);
    }
    expect(await fetched("POST", "/auth/logout")).toEqual([200, done]);
    expect(await fetched("GET", "/api/terminals")).toEqual(missing);
  });
});
