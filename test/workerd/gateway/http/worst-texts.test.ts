/**
 * What the longest texts cost, wherever they arrive: of 64 KiB of digits, only what a field may hold is searched for
 * card numbers. The search itself is bounded in `test/workerd/gateway/terminal/card-data`.
 */
import { afterEach, describe, it, vi } from "vitest";
import * as cardNumbers from "../../../../src/protocol/card-data/card-numbers.ts";
import { BODY_BYTES } from "../../../../src/protocol/limits/messages.ts";
import { accessToken, call, createAccount, OPERATOR_TOKEN } from "../../../support/gateway.ts";
import { Pos } from "../../../support/pos.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

const LONG = "4-".repeat(32_768);

/** How many characters were searched for card numbers since the last call. */
function searched(): number {
  const texts = search.mock.calls.map(([text]) => text.length);
  search.mockClear();
  return texts.reduce((sum, length) => sum + length, 0);
}

let search = vi.spyOn(cardNumbers, "maskCardNumbers");

afterEach(() => {
  vi.restoreAllMocks();
  search = vi.spyOn(cardNumbers, "maskCardNumbers");
});

describe("64 KiB of digits", () => {
  it("are not searched in a header", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    searched();
    for (const name of ["Accept", "Content-Type", "Origin", "Prefer", "Sec-WebSocket-Protocol", "X-Request-Id"]) {
      await call("GET", "/api/terminals", { token, headers: { [name]: LONG } });
      await call("POST", "/auth/login", { headers: { [name]: LONG }, body: {} });
    }
    await call("GET", "/api/terminals", { token: LONG });
    expect(searched()).toBe(0);
  });

  it("are not searched in a query or a path", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    searched();
    for (const query of [`${LONG}=1`, `a=${LONG}`, `currency=${LONG}`, "4-=&".repeat(16_384)]) {
      expect((await call("POST", `/auth/login?${query}`, { body: {} })).status).toBe(400);
      expect((await call("POST", `/terminal/login?${query}`, { body: {} })).status).toBe(400);
      expect((await call("GET", `/api/transactions?${query}`, { token })).status).toBe(400);
      expect((await call("GET", `/operator/accounts?${query}`, { token: OPERATOR_TOKEN })).status).toBe(400);
    }
    await call("GET", `/api/terminals/${LONG}`, { token });
    await call("GET", `/operator/accounts/${LONG}`, { token: OPERATOR_TOKEN });
    await call("GET", `/${LONG}`);
    expect(searched()).toBe(0);
  });

  it("are refused in a body of the longest allowed length", async ({ expect }) => {
    const pos = await Pos.create();
    const long = LONG.slice(0, BODY_BYTES - 2_000);
    searched();
    for (const member of ["note", "metadata"]) {
      const body = pos.sign(
        pos.saleBody({ transData: { transAmt: "1.00", paymentMethod: "bankCard", [member]: long } }),
      );
      const { status, body: answer } = await call<{ details: { path: string }[] }>("POST", "/api/transfer", {
        token: pos.token,
        body,
      });
      expect([status, answer.details.map(({ path }) => path)]).toEqual([400, [`transData.${member}`]]);
    }
    for (const body of [{ [long]: long }, { posId: long, password: long }, LONG]) {
      expect((await call("POST", "/auth/login", { body })).status).toBe(400);
    }
    expect(searched()).toBe(0);
  });

  it("are refused in an operator's text", async ({ expect }) => {
    const { posId } = await createAccount();
    const long = LONG.slice(0, BODY_BYTES - 2_000);
    searched();
    for (const [method, path, body] of [
      ["PATCH", `/operator/accounts/${posId}`, { name: long }],
      ["PUT", "/operator/shops/M-1", { name: long, timezone: "UTC" }],
      ["POST", `/operator/terminals/T-1/transactions/1000000000/resolve`, { statusCode: "00", reason: long }],
    ] as const) {
      expect([path, (await call(method, path, { token: OPERATOR_TOKEN, body })).status]).toEqual([path, 400]);
    }
    expect(searched()).toBe(0);
  });

  it("are cut in a terminal's frame before they are searched", async ({ expect }) => {
    const pos = await Pos.create();
    const connection = await ScriptedTerminal.connect(pos.terminal);
    const answer = pos.sale();
    const request = await connection.acceptNext();
    searched();
    const part = LONG.slice(0, 6_500);
    const texts = { responseText: part, softwareVersion: part, terminalSn: part };
    const details = { cardLabel: part, cardHoldersName: part, paymentChannel: part, aid: part, apprCode: part };
    connection.result(request, "00", { ...texts, responseCode: part, transData: details });
    expect((await answer).body.statusCode).toBe("00");
    // Nine texts of at most 128 characters, and what may be a number that begins in them.
    expect(searched()).toBeLessThanOrEqual(9 * 2 * (128 + cardNumbers.NUMBER_UNITS));
  });
});
