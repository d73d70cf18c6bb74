/** What the kit for terminals says about each message that is not as it must be. */
import { describe, it } from "vitest";
import { NONCE_LENGTH } from "../../../../src/protocol/lengths.ts";
import { CLOCK_TOLERANCE, OPEN_REQUESTS } from "../../../../src/protocol/limits.ts";
import { SUBPROTOCOL } from "../../../../src/protocol/frames.ts";
import {
  bindProblems,
  cardDataProblems,
  connectProblems,
  helloProblems,
  loginProblems,
  repeatedLogins,
  resultProblems,
  sameOutcome,
  measureSkew,
  frameStatus,
  refusedAs,
} from "../../../../src/sdk/conformance/terminal/judge.ts";
import { MANDATORY } from "../../../../src/protocol/transactions.ts";
import type { JsonObject, JsonValue } from "../../../../src/protocol/signing/json.ts";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";

const SECRET = "a secret of the kit's test";
const datetime = "20260102T030405";
const NOT_JSON = ["the body is not a JSON object that the service accepts"];

const inLogin = (changes: object, secret = SECRET) =>
  loginProblems(withSignature({ terminalId: "T-1", datetime, nonce: "n", ...changes }, secret), SECRET, "T-1");

const heard = (body: { signature: string }, signatureHolds = true) => ({
  at: 0,
  body,
  signatureHolds,
  status: 200,
  query: "",
});

const inBind = (changes: object, skew: number | null = 0, secret = SECRET) =>
  bindProblems(
    {
      at: 0,
      body: withSignature({ key: "TESTKEYS", datetime, ...changes }, secret),
      tokenHolds: true,
      skew,
      status: 200,
    },
    SECRET,
  );

const inConnection = (changes: object) =>
  connectProblems({ at: 0, query: "", protocols: [SUBPROTOCOL], token: "protocol", ...changes });

const answer = (frame: Record<string, string | number>) => ({ at: 0, connection: 1, text: "", frame });

describe("the judgement of a login", () => {
  it("is flawless if nothing is wrong", ({ expect }) => {
    expect(inLogin({})).toEqual([]);
    expect(inLogin({ nonce: null })).toEqual([]);
    expect(inLogin({ nonce: "é".repeat(NONCE_LENGTH) })).toEqual([]);
    expect(loginProblems(null, SECRET, null)).toEqual(NOT_JSON);
    expect(loginProblems(withSignature({ terminalId: "T-2", datetime }, SECRET), SECRET, null)).toEqual([]);
  });

  it.for([
    ["terminalId must be T-1", { terminalId: "T-2" }],
    ["datetime does not have the form YYYYMMDDTHHMMSS", { datetime: "2026-01-02T03:04:05" }],
    ["nonce must be a string of at most 64 characters", { nonce: 7 }],
    ["nonce must be a string of at most 64 characters", { nonce: "n".repeat(NONCE_LENGTH + 1) }],
    ["type does not belong in a login", { type: "hello" }],
  ] as const)("reports that %s", ([problem, changes], { expect }) => {
    expect(inLogin(changes)).toEqual([problem]);
  });

  it("reports a missing terminalId", ({ expect }) => {
    expect(inLogin({ terminalId: "" })).toEqual(["terminalId is missing", "terminalId must be T-1"]);
  });

  it("reports a missing or wrong signature", ({ expect }) => {
    expect(inLogin({}, "another secret")).toEqual([
      expect.stringMatching(/^the signature is wrong .*has \d+ bytes and SHA-256 [0-9a-f]{64}\)$/u),
    ]);
    expect(loginProblems({ terminalId: "T-1", datetime }, SECRET, "T-1")).toEqual(["there is no signature"]);
  });

  it("reports a repeated login, unless its signature was wrong", ({ expect }) => {
    const [one, other] = ["ab", "cd"].map((signature) => ({ signature }));
    if (one === undefined || other === undefined) throw new Error("there are two");
    expect(repeatedLogins([heard(one), heard(other)])).toBe(0);
    expect(repeatedLogins([heard(one), heard({ signature: "AB" }), heard(other), heard(one)])).toBe(2);
    expect(repeatedLogins([heard(one, false), heard(one, false)])).toBe(0);
  });

  it("reports a wrong time, apart from a missing one", ({ expect }) => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 0);
    expect(measureSkew({ datetime }, now)).toBe(5_000);
    expect([measureSkew({ datetime: "now" }, now), measureSkew(null, now)]).toEqual([null, null]);
  });
});

describe("the judgement of a bind", () => {
  it("is flawless if nothing is wrong", ({ expect }) => {
    expect(inBind({})).toEqual([]);
    expect(inBind({}, CLOCK_TOLERANCE)).toEqual([]);
    expect(inBind({}, -CLOCK_TOLERANCE)).toEqual([]);
    expect(bindProblems({ at: 0, body: null, tokenHolds: true, skew: null, status: 400 }, SECRET)).toEqual(NOT_JSON);
  });

  it("reports a wrong time, nonce, member or signature", ({ expect }) => {
    expect(inBind({}, null)).toEqual(["datetime does not have the form YYYYMMDDTHHMMSS"]);
    for (const skew of [CLOCK_TOLERANCE + 1_000, -CLOCK_TOLERANCE - 1_000]) {
      expect(inBind({}, skew)).toEqual([expect.stringMatching(/^datetime is \d+ (?:s|min) off$/u)]);
    }
    expect(inBind({ nonce: "" })).toEqual([]);
    expect(inBind({ nonce: {} })).toEqual(["nonce must be a string of at most 64 characters"]);
    expect(inBind({ key: "", datetime: "" }, null)).toEqual(["datetime does not have the form YYYYMMDDTHHMMSS"]);
    expect(inBind({ terminalId: "T-1" })).toEqual(["terminalId does not belong in a bind"]);
    expect(inBind({}, 0, "another secret")).toEqual([expect.stringContaining("the signature is wrong")]);
  });
});

describe("the judgement of a connection", () => {
  it("reports a token outside the header, a query, or another protocol", ({ expect }) => {
    expect(inConnection({})).toEqual([]);
    for (const protocols of [[""], []]) expect(inConnection({ token: "authorization", protocols })).toEqual([]);
    expect(inConnection({ token: "url", query: "?token=x" })).toEqual(["the token is in the URL"]);
    expect(inConnection({ token: "nowhere" })).toEqual(["no token from the login"]);
    expect(inConnection({ token: "authorization", query: "?a=b" })).toEqual(["the URL has a query"]);
    expect(inConnection({ protocols: ["mqtt"] })).toEqual([`Sec-WebSocket-Protocol does not offer ${SUBPROTOCOL}`]);
  });
});

describe("the judgement of a hello", () => {
  const hello = { softwareVersion: "1.0", terminalSn: "S", memory: "m", open: ["1000000001"] };
  const numbers = Array.from({ length: OPEN_REQUESTS + 1 }, (_, index) => String(1_000_000_000 + index));

  it("is flawless if nothing is wrong", ({ expect }) => {
    expect(helloProblems(hello)).toEqual([]);
    const longest = { softwareVersion: "é".repeat(40), memory: "m".repeat(128), open: numbers.slice(1) };
    expect(helloProblems({ ...hello, ...longest })).toEqual([]);
    expect(helloProblems(null)).toHaveLength(4);
  });

  it.for([
    ["softwareVersion is missing", { softwareVersion: "" }],
    ["softwareVersion is longer than 40 characters", { softwareVersion: "1".repeat(41) }],
    ["terminalSn must be a string", { terminalSn: 7 }],
    ["terminalSn is longer than 40 characters", { terminalSn: "S".repeat(41) }],
    ["memory is missing", { memory: "" }],
    ["memory is longer than 128 characters", { memory: "m".repeat(129) }],
    ["memory must be a string", { memory: 7 }],
    ["open must be an array", { open: "1000000001" }],
    ["open must contain requestIds of ten digits only", { open: ["1000000001", "7"] }],
    [`open lists more than ${OPEN_REQUESTS} requests`, { open: numbers }],
  ] as const)("reports that %s", ([problem, changes], { expect }) => {
    expect(helloProblems({ ...hello, ...changes } as JsonObject)).toEqual([problem]);
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
});

describe("the judgement of a refusal", () => {
  it("reports another reason or attempt, or something else", ({ expect }) => {
    const refused = { type: "refused", reason: "busy", attempt: 2 };
    expect(refusedAs("busy", answer(refused), 2)).toMatchObject({ kind: "kept" });
    const expected = "refused busy, attempt 1";
    expect(refusedAs("busy", answer({ ...refused, reason: "unbound" }))).toEqual({
      kind: "broken",
      expected,
      seen: "refused unbound; attempt 2",
    });
    expect(refusedAs("busy", answer({ type: "refused", reason: "busy" }))).toMatchObject({ seen: "attempt null" });
    expect(refusedAs("busy", null)).toEqual({ kind: "broken", expected: "refused busy", seen: "nothing" });
    expect(refusedAs("busy", answer({ type: "accepted" }))).toMatchObject({ seen: "accepted" });
  });
});

describe("a status", () => {
  it("is that of a result, and of no other frame", ({ expect }) => {
    const statuses = ["result", "ack", ""].map((type) => frameStatus(answer({ type, statusCode: "00" })));
    expect([...statuses, frameStatus(null)]).toEqual(["00", "", "", ""]);
  });
});

describe("a result that comes again", () => {
  const first = { statusCode: "00", responseCode: "00", transData: { invNo: "1", mid: "M", tid: "T" } };
  const again = (changes: object) =>
    sameOutcome({ ...answer({}), frame: first }, { ...answer({}), frame: { type: "result", ...first, ...changes } });

  it("is the same in any order of its details, whatever its texts", ({ expect }) => {
    for (const transData of [
      { tid: "T", mid: "M", invNo: "1" },
      { mid: "M", invNo: "1", tid: "T" },
    ]) {
      expect(again({ transData, responseText: "Approved.", signature: "another" })).toMatchObject({ kind: "kept" });
    }
    const declined = { statusCode: "11", responseCode: "05" };
    const [without, empty] = [declined, { ...declined, transData: null }].map((frame) => ({ ...answer({}), frame }));
    if (without === undefined || empty === undefined) throw new Error("there are two");
    expect(sameOutcome(without, empty)).toMatchObject({ kind: "kept" });
  });

  it.for<[string, Record<string, JsonValue>]>([
    ["result 11 00", { statusCode: "11" }],
    ["result 00 08", { responseCode: "08" }],
    ["result 00 00", { transData: { invNo: "2", mid: "M", tid: "T" } }],
    ["result 00 00", { transData: { invNo: "1", mid: "M" } }],
    ["result 00 00", { transData: null }],
  ])("is another one: %s %j", ([seen, changes], { expect }) => {
    expect(again(changes)).toEqual({
      kind: "broken",
      expected: "the same result: a frame without a type 00 00",
      seen: `another result: ${seen}, with other details`,
    });
  });
});
