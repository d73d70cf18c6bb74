/** An operator who sends something wrong is told what to send, in the gateway's own words. */
import { describe, it } from "vitest";
import { accessToken, call, createAccount, enrolTerminal, type ErrorBody, operator } from "../../../support/gateway.ts";
import { signedCallBody } from "../../../support/webhooks.ts";

describe("a change without a member that can be changed", () => {
  it("is refused with the names of those that can", async ({ expect }) => {
    const [account, terminal] = await Promise.all([createAccount(), enrolTerminal()]);
    const accountMembers = "status, password, merchantId, currency, timezone, name, signedChanges";
    for (const [path, members] of [
      [`/operator/accounts/${account.posId}`, accountMembers],
      [`/operator/terminals/${terminal.terminalId}`, "merchantId, name"],
    ] as const) {
      for (const body of [{}, { unknown: 1 }]) {
        const { status, body: answer } = await operator<ErrorBody>("PATCH", path, body);
        const details = [{ path: "", message: `Send at least one of ${members}.` }];
        expect([path, status, answer.details]).toEqual([path, 400, details]);
      }
    }
    const body = signedCallBody(account, "PATCH", "/api/webhooks/wh_1");
    const token = await accessToken(account);
    const answer = await call<ErrorBody>("PATCH", "/api/webhooks/wh_1", { token, body });
    expect(answer.body.details).toEqual([{ path: "", message: "Send at least one of url, enabled." }]);
  });
});

describe("a value of a wrong type", () => {
  it.for([
    ["POST", "accounts", "posId password merchantId currency timezone name region"],
    ["PATCH", "accounts/POS", "status password merchantId currency timezone name signedChanges"],
    ["POST", "accounts/POS/signing-key", "revokePrevious"],
    ["PATCH", "accounts/POS/webhooks/wh_1", "enabled"],
    ["POST", "accounts/POS/transactions/1000000000/close", "reason"],
    ["POST", "terminals", "terminalId isVT merchantId name enrolmentId"],
    ["PATCH", "terminals/TERM", "merchantId name"],
    ["POST", "terminals/TERM/transactions/1000000000/resolve", "statusCode reason"],
    ["PUT", "shops/M-1", "name timezone"],
    ["PUT", "channels/Wallet", "status currency logoUrl3"],
    ["POST", "resync", "id"],
  ] as const)(
    "is refused with what to send in its place: %s /operator/%s",
    async ([method, path, names], { expect }) => {
      const [{ posId }, { terminalId }] = await Promise.all([createAccount(), enrolTerminal()]);
      const members = names.split(" ");
      const body = Object.fromEntries(members.map((name) => [name, 7.5]));
      const where = `/operator/${path.replace("POS", posId).replace("TERM", terminalId)}`;
      const { status, body: answer } = await operator<ErrorBody>(method, where, body);
      expect([status, answer.details?.map((problem) => problem.path)]).toEqual([400, members]);
      for (const { message } of answer.details ?? []) expect(message).toMatch(/^(?:This field is required\. )?Send /u);
    },
  );
});
