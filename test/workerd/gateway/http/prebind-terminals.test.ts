import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { PREBIND_CHANGES_AN_HOUR } from "../../../../src/protocol/limits.ts";
import { HOUR, SECOND } from "../../../../src/protocol/time/units.ts";
import { auditOf } from "../../../support/audit.ts";
import { callWith, objectsWith } from "../../../support/environment.ts";
import {
  accessToken,
  type Account,
  bindTerminal,
  boundTo,
  call,
  connectTerminal,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  operator,
  uniqueId,
} from "../../../support/gateway.ts";

async function list(account: Account, uniqueIds: unknown): Promise<number> {
  const token = await accessToken(account);
  return (await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds } })).status;
}

async function listed(account: Account): Promise<unknown> {
  const token = await accessToken(account);
  return (await call("GET", "/api/prebind-terminals", { token })).body["data"];
}

async function replacedLists({ posId }: Account): Promise<unknown[]> {
  const rows = (await auditOf(posId)).filter(({ action }) => action === "prebind.replace");
  return rows.map(({ after }) => (after as { uniqueIds: string[] }).uniqueIds);
}

describe("the prebind list", () => {
  it("is replaced by each request and read back in its order", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const answer = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: ["b", "a", "c"] } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ code: 20000, message: expect.any(String) as string });
    expect(await listed(account)).toEqual(["b", "a", "c"]);
    await list(account, ["d"]);
    expect(await listed(account)).toEqual(["d"]);
    await list(account, []);
    expect(await listed(account)).toEqual([]);
  });

  it("uses the first ten entries and merges duplicates", async ({ expect }) => {
    const account = await createAccount();
    const ten = Array.from({ length: 9 }, (_, index) => `t${index}`);
    expect(await list(account, [...ten, "t0", "beyond", 7, null, "not an id!"])).toBe(200);
    expect(await listed(account)).toEqual(ten);
  });

  it("stays as it is if a counted entry is no text", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    await list(account, ["kept"]);
    const odd = ["fine", 7, null, "", "x".repeat(101), ["t"], "tab\t", {}, "x".repeat(100), 1.5, null];
    const answer = await call<ErrorBody>("POST", "/api/prebind-terminals", { token, body: { uniqueIds: odd } });
    expect([answer.status, answer.body.code]).toEqual([400, 40000]);
    expect(answer.body.details?.map(({ path }) => path)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 9].map((at) => `uniqueIds.${at}`),
    );
    expect(answer.body.details?.[0]?.message).toBe("Send a string of 1 to 100 characters.");
    expect(await list(account, [null])).toBe(400);
    expect(await listed(account)).toEqual(["kept"]);
  });

  it("names entries that no terminal can ever have as its id", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    const uniqueIds = [" X-1 ", "Ä-1", "..", "Kasse 3", "T-1"];
    const { status, body } = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds } });
    expect([status, body["message"]]).toEqual([
      200,
      "The prebind list is replaced. Never possible, because a terminal id has only letters, digits, '.', '_' and '-': " +
        '" X-1 ", "Ä-1", "..", "Kasse 3". Not assigned to this merchant by the operator: T-1.',
    ]);
  });

  it("leaves no trace if it is sent again unchanged", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const send = (uniqueIds: string[]) => call("POST", "/api/prebind-terminals", { token, body: { uniqueIds } });
    await send(["a", "b"]);
    for (let count = 0; count < 3; count++) {
      const { status, body } = await send(["a", "b", "a"]);
      expect([status, body["message"]]).toEqual([
        200,
        "The prebind list has not changed. Not assigned to this merchant by the operator: a, b.",
      ]);
    }
    await send(["b", "a"]);
    expect(await replacedLists(account)).toEqual([
      ["a", "b"],
      ["b", "a"],
    ]);
    const { body } = await call<{ data: unknown[] }>("GET", "/api/events?after=0", { token });
    expect(body.data).toHaveLength(2);
  });

  it("can change sixty times an hour", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const change = (id: string) => call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: [id] } });
    const hour = Math.floor(Date.now() / HOUR);
    for (let count = 0; count < PREBIND_CHANGES_AN_HOUR; count++) expect((await change(`t${count}`)).status).toBe(200);
    const refused = await change("t60");
    if (Math.floor(Date.now() / HOUR) !== hour) return;
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get("Retry-After"));
    expect(Date.now() + wait * SECOND).toBeGreaterThanOrEqual((hour + 1) * HOUR);
    expect(wait).toBeLessThanOrEqual(HOUR / SECOND);
    expect(await listed(account)).toEqual([`t${PREBIND_CHANGES_AN_HOUR - 1}`]);
    expect(await replacedLists(account)).toHaveLength(PREBIND_CHANGES_AN_HOUR);
    // What changes nothing needs no change.
    expect((await change(`t${PREBIND_CHANGES_AN_HOUR - 1}`)).status).toBe(200);
  });

  it("returns each entry's result, and nothing about other merchants' terminals", async ({ expect }) => {
    const account = await createAccount();
    const neighbour = await createAccount({ merchantId: account.merchantId });
    const stranger = await createAccount();
    const own = { merchantId: account.merchantId };
    const [bound, free, others, taken] = await Promise.all([
      enrolTerminal(own),
      enrolTerminal(),
      enrolTerminal({ merchantId: stranger.merchantId }),
      enrolTerminal(own),
    ]);
    await bindTerminal(neighbour, taken);
    await bindTerminal(stranger, others);
    const token = await accessToken(account);
    const ids = [bound, free, others, taken].map(({ terminalId }) => terminalId);
    const first = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: ids } });
    expect(first.body["message"]).toBe(
      `The prebind list is replaced. Bound: ${ids[0]}. Not assigned to this merchant by the operator: ${ids[1]}, ${ids[2]}. ` +
        `Already bound elsewhere: ${ids[3]}.`,
    );
    // No terminal has this id yet, so both accounts may list it.
    const later = uniqueId("later");
    await list(neighbour, [later]);
    const second = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: [later] } });
    expect(second.body["message"]).toBe(
      `The prebind list is replaced. Not assigned to this merchant by the operator: ${later}.`,
    );
    await enrolTerminal({ terminalId: later, ...own });
    const third = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: [later] } });
    expect(third.body["message"]).toBe(`The prebind list has not changed. Also on another account's list: ${later}.`);
    const none = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: [] } });
    expect(none.body["message"]).toBe("The prebind list is replaced.");
  });

  it("stays as it is if the message has no list", async ({ expect }) => {
    const account = await createAccount();
    await list(account, ["kept"]);
    const token = await accessToken(account);
    for (const [uniqueIds, paths] of [
      ["t1", ["uniqueIds"]],
      [undefined, ["uniqueIds"]],
      [null, ["uniqueIds"]],
      [{}, ["uniqueIds"]],
    ] as const) {
      const answer = await call<ErrorBody>("POST", "/api/prebind-terminals", { token, body: { uniqueIds } });
      expect(answer.status).toBe(400);
      expect(answer.body.details?.map(({ path }) => path)).toEqual(paths);
    }
    expect(await listed(account)).toEqual(["kept"]);
  });
});

describe("prebinding", () => {
  it("binds a terminal when it is enrolled later", async ({ expect }) => {
    const account = await createAccount();
    const terminalId = uniqueId("late");
    await list(account, [terminalId]);
    await enrolTerminal({ terminalId, merchantId: account.merchantId });
    expect(await boundTo(terminalId)).toBe(account.posId);
  });

  it("binds a terminal when it connects if its object was unreachable", async ({ expect }) => {
    const account = await createAccount();
    const terminal = await enrolTerminal({ merchantId: account.merchantId });
    const TERMINAL = objectsWith({ [terminal.terminalId]: { bind: () => Promise.reject(new Error("gone")) } });
    const token = await accessToken(account);
    const body = { uniqueIds: [terminal.terminalId] };
    const answer = await callWith({ TERMINAL }, "POST", "/api/prebind-terminals", { token, body });
    expect([answer.status, answer.body["message"]]).toEqual([
      200,
      `The prebind list is replaced. Bound at the next connection: ${terminal.terminalId}.`,
    ]);
    expect(await boundTo(terminal.terminalId)).toBeNull();
    const { status, webSocket } = await connectTerminal(terminal);
    expect(status).toBe(101);
    webSocket?.accept();
    webSocket?.close();
    expect(await boundTo(terminal.terminalId)).toBe(account.posId);
  });

  it("leaves alone terminals without a merchant, of another merchant, bound, or retired", async ({ expect }) => {
    const account = await createAccount();
    const [free, others, bound, retired] = await Promise.all([
      enrolTerminal(),
      enrolTerminal({ merchantId: "another" }),
      enrolTerminal({ merchantId: account.merchantId }),
      enrolTerminal({ merchantId: account.merchantId }),
    ]);
    const neighbour = await createAccount({ merchantId: account.merchantId });
    await bindTerminal(neighbour, bound);
    await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
    await list(
      account,
      [free, others, bound, retired].map(({ terminalId }) => terminalId),
    );
    expect(await boundTo(free.terminalId)).toBeNull();
    expect(await boundTo(others.terminalId)).toBeNull();
    expect(await boundTo(bound.terminalId)).toBe(neighbour.posId);
    expect(await boundTo(retired.terminalId)).toBeNull();
  });

  it("forgets a terminal that is retired while it is being bound", async ({ expect }) => {
    const account = await createAccount();
    const { terminalId } = await enrolTerminal({ merchantId: account.merchantId });
    await list(account, ["before", terminalId]);
    expect(await boundTo(terminalId)).toBe(account.posId);
    expect((await operator("DELETE", `/operator/terminals/${terminalId}`)).status).toBe(200);
    expect(await listed(account)).toEqual(["before"]);
  });

  it("waits while two accounts list the terminal", async ({ expect }) => {
    const one = await createAccount();
    const two = await createAccount({ merchantId: one.merchantId });
    const terminalId = uniqueId("both");
    await list(one, [terminalId]);
    await list(two, [terminalId]);
    await enrolTerminal({ terminalId, merchantId: one.merchantId });
    expect(await boundTo(terminalId)).toBeNull();
    await list(two, []);
    expect(await boundTo(terminalId)).toBe(one.posId);
  });

  it("gives a suspended account nothing until it is active again", async ({ expect }) => {
    const account = await createAccount();
    const terminalId = uniqueId("asleep");
    await list(account, [terminalId]);
    await operator("PATCH", `/operator/accounts/${account.posId}`, { status: "suspended" });
    await enrolTerminal({ terminalId, merchantId: account.merchantId });
    expect(await boundTo(terminalId)).toBeNull();
    await operator("PATCH", `/operator/accounts/${account.posId}`, { status: "active" });
    expect(await boundTo(terminalId)).toBe(account.posId);
  });

  it("ends when the terminal is unbound, which removes it from the list", async ({ expect }) => {
    const account = await createAccount();
    const terminal = await enrolTerminal({ merchantId: account.merchantId });
    const path = `/api/terminals/${terminal.terminalId}`;
    await list(account, [terminal.terminalId, "another"]);
    expect((await call("DELETE", path, { token: await accessToken(account) })).status).toBe(200);
    expect(await listed(account)).toEqual(["another"]);
    const { webSocket } = await connectTerminal(terminal);
    webSocket?.accept();
    webSocket?.close();
    expect(await boundTo(terminal.terminalId)).toBeNull();
  });

  it("gives a terminal that is unbound to the other listing account", async ({ expect }) => {
    const one = await createAccount();
    const two = await createAccount({ merchantId: one.merchantId });
    const { terminalId } = await enrolTerminal({ merchantId: one.merchantId });
    await list(one, [terminalId]);
    await list(two, [terminalId]);
    expect(await boundTo(terminalId)).toBe(one.posId);
    const token = await accessToken(one);
    expect((await call("DELETE", `/api/terminals/${terminalId}`, { token })).status).toBe(200);
    expect(await boundTo(terminalId)).toBe(two.posId);
    await list(one, [terminalId]);
    expect((await operator("DELETE", `/operator/terminals/${terminalId}/binding`)).status).toBe(200);
    expect(await boundTo(terminalId)).toBe(one.posId);
  });

  it("does not rebind a terminal that connects just when it is unbound", async ({ expect }) => {
    const account = await createAccount();
    const terminal = await enrolTerminal({ merchantId: account.merchantId });
    await list(account, [terminal.terminalId]);
    const TERMINAL = objectsWith({
      [terminal.terminalId]: {
        unbind: async (posId, actor) => {
          const outcome = await env.TERMINAL.getByName(terminal.terminalId).unbind(posId, actor);
          const { webSocket } = await connectTerminal(terminal);
          webSocket?.accept();
          webSocket?.close();
          return outcome;
        },
      },
    });
    const token = await accessToken(account);
    const path = `/api/terminals/${terminal.terminalId}`;
    expect((await callWith({ TERMINAL }, "DELETE", path, { token })).status).toBe(200);
    expect(await boundTo(terminal.terminalId)).toBeNull();
  });

  it("keeps the list as it was if the terminal is busy", async ({ expect }) => {
    const account = await createAccount();
    const terminal = await enrolTerminal({ merchantId: account.merchantId });
    await list(account, [terminal.terminalId, "another"]);
    const TERMINAL = objectsWith({ [terminal.terminalId]: { unbind: async () => ({ kind: "busy" }) } });
    const token = await accessToken(account);
    const refused = await callWith<ErrorBody>({ TERMINAL }, "DELETE", `/api/terminals/${terminal.terminalId}`, {
      token,
    });
    expect(refused.status).toBe(400);
    expect(await listed(account)).toEqual([terminal.terminalId, "another"]);
    expect(await boundTo(terminal.terminalId)).toBe(account.posId);
  });
});
