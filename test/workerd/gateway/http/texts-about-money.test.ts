/** What an error says to a person: whoever misreads it charges twice, or repeats what can only be refused. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { BROKEN, callWith } from "../../../support/environment.ts";
import { accessToken, boundPair, call, type ErrorBody, loginMessage, signedLogin } from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";
import { useAccount } from "../../../support/scene.ts";
import { signedCallBody } from "../../../support/webhooks.ts";

useFakeClock();
const scene = useAccount();

const FIELDS = /Fix every field/u;
const USED = "This referenceId was used before. Money may have moved. Send an inquiry. Do not charge again.";

function refused({ body }: { body: object }): ErrorBody {
  return body as ErrorBody;
}

describe("the message of a refusal about a referenceId", () => {
  it("says that money may have moved when the reference was used otherwise", async ({ expect }) => {
    const here = await scene();
    const { answer, body, request, connection } = await here.accepted();
    here.approve(connection, request);
    await answer;
    const other = { ...body, transData: { transAmt: "99.00", paymentMethod: "bankCard" } };
    expect((await here.pos.transfer(other)).body).toMatchObject({ code: 40009, message: USED });
  });

  it("says the same on another device of the account", async ({ expect }) => {
    const here = await scene();
    const there = await here.nextDoor();
    const { answer, body, request, connection } = await here.accepted();
    here.approve(connection, request);
    await answer;
    expect((await there.transfer({ ...body, deviceId: there.terminal.terminalId })).body).toMatchObject({
      code: 40009,
      message: USED,
    });
  });

  it("says first to send an inquiry when there is no such transaction", async ({ expect }) => {
    const here = await scene();
    for (const transType of ["inquiry", "getLast"]) {
      const { code, message } = refused(await here.pos.transfer(here.pos.body(transType)));
      expect(code).toBe(40004);
      expect(message).toMatch(/^Send an inquiry with transData\.referenceId\./u);
      expect(message).toContain("Do not charge again");
      expect(message).not.toMatch(FIELDS);
    }
  });

  it("sends an inquiry about a deleted transaction to the account's list", async ({ expect }) => {
    const here = await scene();
    const { answer, body, referenceId, request, connection } = await here.accepted();
    here.approve(connection, request);
    await answer;
    const listed = `/api/transactions?referenceId=${referenceId}`;
    await eventually(async () => {
      const { body: page } = await call<{ data: object[] }>("GET", listed, { token: here.pos.token });
      expect(page.data).toHaveLength(1);
    });
    await runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM transactions");
    });
    expect((await here.pos.transfer(body)).body).toMatchObject({ code: 40009, message: USED });
    for (const transData of [{ referenceId }, undefined]) {
      const inquiry = here.pos.body("inquiry", { referenceId, ...(transData === undefined ? {} : { transData }) });
      const { code, message } = refused(await here.pos.transfer(inquiry));
      expect(code).toBe(40010);
      expect(message).toMatch(/^Look for this referenceId in GET \/api\/transactions\. Money may have moved\./u);
      expect(message).toContain("Do not charge again");
    }
  });
});

describe("the message of a 500", () => {
  it("says to sign a terminal's login anew", async ({ expect }) => {
    const { terminal } = await boundPair();
    const changes = { TERMINAL: BROKEN };
    const { status, body } = await callWith<ErrorBody>(changes, "POST", "/terminal/login", {
      body: loginMessage(terminal),
    });
    expect(status).toBe(500);
    expect(body.message).toBe("The service failed. Sign a new login, with a new nonce, and send that.");
  });

  it("says to sign a POS's login anew", async ({ expect }) => {
    const { account } = await boundPair();
    const login = { body: signedLogin(account) };
    const { status, body } = await callWith<ErrorBody>({ ACCOUNT: BROKEN }, "POST", "/auth/login", login);
    expect(status).toBe(500);
    expect(body.message).toBe("The service failed. Log in again. Sign a signed login anew, with a new nonce.");
  });

  it("says to sign a change of a webhook anew", async ({ expect }) => {
    const { account } = await boundPair();
    const token = await accessToken(account);
    const path = "/api/webhooks";
    const body = signedCallBody(account, "POST", path, { url: "https://hooks.example.com/pay" });
    const answer = await callWith<ErrorBody>({ ACCOUNT: BROKEN }, "POST", path, { token, body });
    expect([answer.status, answer.body.message]).toEqual([
      500,
      "The service failed. Sign the call anew, with a new nonce, and send it again.",
    ]);
  });

  it("says of D1 that payments continue", async ({ expect }) => {
    const { account } = await boundPair();
    const token = await accessToken(account);
    const answer = await callWith<ErrorBody>({ DATABASE: BROKEN }, "GET", "/api/ewallet-channels", { token });
    expect([answer.status, answer.body.message]).toEqual([500, "The database does not answer. Payments continue."]);
  });
});
