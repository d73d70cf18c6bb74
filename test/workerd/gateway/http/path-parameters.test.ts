import { describe, it } from "vitest";
import { callWith } from "../../../support/environment.ts";
import {
  accessToken,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  operator,
  OPERATOR_TOKEN,
} from "../../../support/gateway.ts";

/** Names that nothing can have: too long, or with characters that no id has. */
const IMPOSSIBLE = ["x".repeat(101), "a b", "💳", "a/b", "\u0000", "'; --"].map(encodeURIComponent);

/** D1 that fails. */
const DATABASE = {
  prepare: () => {
    throw new Error("D1_ERROR: network connection lost");
  },
};

/** The status, and the first wrong member or the message. */
async function resolve(id: string, requestId: string, reason: string): Promise<[number, string]> {
  const path = `/operator/terminals/${id}/transactions/${requestId}/resolve`;
  const { status, body } = await operator<ErrorBody>("POST", path, { statusCode: "11", reason });
  return [status, body.details?.[0]?.path ?? body.message];
}

describe("an impossible name in the path", () => {
  it("gets the same answer as an unknown name, without D1", async ({ expect }) => {
    const access = await accessToken(await createAccount());
    for (const [method, path, token, body] of [
      ["GET", "/api/terminals/:id", access],
      ["DELETE", "/api/terminals/:id", access],
      ["GET", "/api/events/:id", access],
      ["GET", "/api/webhooks/:id", access],
      ["POST", "/api/webhooks/:id/test", access],
      ["GET", "/operator/accounts/:id", OPERATOR_TOKEN],
      ["GET", "/operator/accounts/:id/webhooks", OPERATOR_TOKEN],
      ["PATCH", "/operator/accounts/:id", OPERATOR_TOKEN, { name: 5 }],
      ["DELETE", "/operator/accounts/:id", OPERATOR_TOKEN],
      ["POST", "/operator/accounts/:id/password", OPERATOR_TOKEN],
      ["POST", "/operator/accounts/:id/signing-key", OPERATOR_TOKEN],
      ["PATCH", "/operator/accounts/:id/webhooks/wh_1", OPERATOR_TOKEN, { enabled: true }],
      ["GET", "/operator/terminals/:id", OPERATOR_TOKEN],
      ["PATCH", "/operator/terminals/:id", OPERATOR_TOKEN, { name: 5 }],
      ["DELETE", "/operator/terminals/:id", OPERATOR_TOKEN],
      ["POST", "/operator/terminals/:id/secret", OPERATOR_TOKEN],
      ["DELETE", "/operator/terminals/:id/binding", OPERATOR_TOKEN],
      ["GET", "/operator/terminals/:id/transactions", OPERATOR_TOKEN],
      ["GET", "/operator/accounts/:id/transactions", OPERATOR_TOKEN],
      ["POST", "/operator/accounts/:id/transactions/1000000042/close", OPERATOR_TOKEN, { reason: "none" }],
      ["DELETE", "/operator/channels/:id", OPERATOR_TOKEN],
    ] as const) {
      const asked = async (id: string, changes: Partial<Record<keyof Env, unknown>>): Promise<ErrorBody> => {
        const answer = await callWith<ErrorBody>(changes, method, path.replace(":id", id), { token, body });
        return { ...answer.body, traceId: "" };
      };
      const nothing = await asked("nobody", {});
      expect([path, nothing.code]).toEqual([path, 40400]);
      // Nearly every text can be a channel's name.
      const without = path === "/operator/channels/:id" ? {} : { DATABASE };
      for (const id of IMPOSSIBLE) expect([path, id, await asked(id, without)]).toEqual([path, id, nothing]);
    }
  });

  it("is checked after the body when a transaction is completed", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    for (const number of ["0", "0000000042", "12345678901", "x"]) {
      expect(await resolve("nobody", number, "")).toEqual([400, "reason"]);
      expect(await resolve("nobody", number, "none")).toEqual([404, "There is no such terminal."]);
      expect(await resolve(terminalId, number, "none")).toEqual([404, "There is no such transaction."]);
    }
    expect(await resolve(terminalId, "1000000042", "none")).toEqual([404, "There is no such transaction."]);
  });
});
