/** The gateway as the kit for tills plays it: what a till is answered about transactions that have not come. */
import { afterEach, beforeEach, describe, it } from "vitest";
import { PosClient, PosError, newReferenceId } from "../../../src/client/pos.ts";
import { PosCounterpart } from "../../../src/conformance/pos/counterpart.ts";
import { NO_TRANSACTION } from "../../../src/protocol/refusals.ts";
import { ACCOUNT, CREDENTIALS } from "./account.ts";

const { deviceId } = ACCOUNT;

let counterpart: PosCounterpart;
let baseUrl: string;
let pos: PosClient;
/** Of the last call. */
let authorization: string | null;

beforeEach(async () => {
  authorization = null;
  counterpart = new PosCounterpart({ url: new URL("http://127.0.0.1:0"), tls: null }, ACCOUNT);
  baseUrl = await counterpart.open();
  pos = new PosClient({
    baseUrl,
    ...CREDENTIALS,
    fetch: (request) => {
      authorization = request.headers.get("Authorization");
      return fetch(request);
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

function sell(referenceId = newReferenceId()) {
  return pos.sale({ deviceId, referenceId, transAmt: "1.00", paymentMethod: "bankCard" });
}

describe("a question about a transaction that has not come", () => {
  it("is 40004 if it names no reference, and the answer explains how to name one", async ({ expect }) => {
    await sell();
    const nothing = await refusal(pos.inquiry({ deviceId, referenceId: newReferenceId() }));
    expect(nothing).toMatchObject({ code: 40004, details: [{ path: "referenceId" }] });
    expect(nothing.details?.[0]?.message).toMatch(/transData\.referenceId or transData\.transId/u);
    const number = await refusal(
      pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { transId: "9876543210" } }),
    );
    expect(number).toMatchObject({ code: 40004, details: [{ path: "transData.transId" }] });
  });

  it("completes the reference that it names, or cancels, and the sale that comes later gets that answer", async ({
    expect,
  }) => {
    const [asked, cancelled] = [newReferenceId(), newReferenceId()];
    const answer = await pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { referenceId: asked } });
    expect(answer).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(answer).not.toHaveProperty("originalReferenceId");
    expect(await pos.cancel({ deviceId, referenceId: cancelled })).toMatchObject({ statusCode: "11" });
    for (const referenceId of [asked, cancelled]) {
      expect(await sell(referenceId)).toMatchObject({ statusCode: "11", responseCode: "CANCELLED", referenceId });
    }
  });

  it("is 40004 for getLast, which does not count a reference that was only asked about", async ({ expect }) => {
    await pos.cancel({ deviceId, referenceId: newReferenceId() });
    const none = await refusal(pos.getLast({ deviceId, referenceId: newReferenceId() }));
    expect(none).toMatchObject({ code: 40004, details: [NO_TRANSACTION] });
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

describe("a till's other calls", () => {
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
    const expiresAt = expect.stringMatching(/\+08:00$/u);
    expect(await fetched("GET", "/api/bind-terminal-key")).toEqual([200, { key: "TESTKEYS", expiresAt }]);
    const problem = expect.objectContaining({ code: 40400, message: "The kit does not serve this path." });
    expect(await fetched("GET", "/api/bind-terminal-key?option=image")).toEqual([404, problem]);
    expect(await fetched("GET", "/api/other")).toEqual([404, problem]);
  });

  it("are refused without a token, after the logout, and if a transfer is no JSON object", async ({ expect }) => {
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
