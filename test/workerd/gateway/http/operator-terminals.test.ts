import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { auditOf } from "../../../support/audit.ts";
import { callWith, objectsWith } from "../../../support/environment.ts";
import {
  bindTerminal,
  boundPair,
  boundTo,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  loginMessage,
  loginTerminal,
  operator,
  OPERATOR_TOKEN,
  uniqueId,
} from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

interface Page {
  data: Record<string, unknown>[];
  next: string | null;
}

function gone(): Promise<never> {
  return Promise.reject(new Error("the object is gone"));
}

describe("enrolling a terminal", () => {
  it("answers 201 with the secret, which is shown only this once", async ({ expect }) => {
    const terminalId = uniqueId("term");
    const enrolled = await operator("POST", "/operator/terminals", {
      terminalId,
      isVT: 1,
      merchantId: "shop",
      name: "Counter 3",
    });
    expect(enrolled.status).toBe(201);
    const { secret, ...view } = enrolled.body;
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(view).toEqual({
      terminalId,
      isVT: 1,
      merchantId: "shop",
      name: "Counter 3",
      status: "enrolled",
      posId: null,
      shopName: null,
      connected: false,
      offlineSince: null,
      lastHeartbeat: null,
      softwareVersion: null,
      contested: false,
      createdAt: expect.stringMatching(/\+00:00$/) as string,
    });
    const read = await operator("GET", `/operator/terminals/${terminalId}`);
    expect(read.body).toMatchObject(view);
    expect(JSON.stringify(read.body)).not.toContain(secret);
    // The object knows all of it, too.
    await env.DATABASE.prepare("DELETE FROM terminals WHERE terminal_id = ?").bind(terminalId).run();
    await operator("POST", "/operator/resync", { id: terminalId });
    await eventually(async () => {
      expect((await operator("GET", `/operator/terminals/${terminalId}`)).body).toMatchObject(view);
    });
  });

  it("names every field that is wrong", async ({ expect }) => {
    const wrong = { terminalId: "käse", isVT: 2, merchantId: "a b", name: "x".repeat(101) };
    const { status, body } = await operator<ErrorBody>("POST", "/operator/terminals", wrong);
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path)).toEqual(Object.keys(wrong));
    const none = await operator<ErrorBody>("POST", "/operator/terminals", {});
    expect(none.body.details?.map(({ path }) => path)).toEqual(["terminalId", "isVT"]);
  });

  it("answers 409 to an id in another case, 400 to dots", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const other = { terminalId: terminalId.toUpperCase(), isVT: 0 };
    expect(other.terminalId).not.toBe(terminalId);
    expect((await operator("POST", "/operator/terminals", other)).status).toBe(409);
    for (const dots of [".", ".."]) {
      const refused = await operator<ErrorBody>("POST", "/operator/terminals", { terminalId: dots, isVT: 0 });
      expect([refused.status, refused.body.details]).toMatchObject([400, [{ path: "terminalId" }]]);
    }
  });

  it("answers 409 to an id that is or was taken", async ({ expect }) => {
    const body = { terminalId: uniqueId("term"), isVT: 0 };
    const answers = await Promise.all([1, 2].map(() => operator("POST", "/operator/terminals", body)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
    await operator("DELETE", `/operator/terminals/${body.terminalId}`);
    expect((await operator("POST", "/operator/terminals", body)).status).toBe(409);
  });

  it("leaves nothing behind if its object fails", async ({ expect }) => {
    const terminalId = uniqueId("term");
    const TERMINAL = objectsWith({ [terminalId]: { enrol: gone } });
    const options = { token: OPERATOR_TOKEN, body: { terminalId, isVT: 0 } };
    const failed = await callWith<ErrorBody>({ TERMINAL }, "POST", "/operator/terminals", options);
    expect(failed.body).toMatchObject({ code: 50000, error: "internal_server_error" });
    expect(JSON.stringify(failed.body)).not.toContain("gone");
    expect((await operator("GET", `/operator/terminals/${terminalId}`)).status).toBe(404);
    const log = await operator<Page>("GET", `/operator/audit?target=${terminalId}`);
    expect(log.body.data.map(({ details }) => details)).toEqual([{ isVT: 0, withdrawn: true }, { isVT: 0 }]);
    const terminal = await enrolTerminal({ terminalId });
    expect((await call("POST", "/terminal/login", { body: loginMessage(terminal) })).status).toBe(200);
  });

  it("leaves nothing behind if only its object has the id", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    await env.DATABASE.prepare("DELETE FROM terminals WHERE terminal_id = ?").bind(terminalId).run();
    const other = { terminalId, isVT: 0, enrolmentId: crypto.randomUUID() };
    expect((await operator("POST", "/operator/terminals", other)).status).toBe(409);
    expect((await operator("GET", `/operator/terminals/${terminalId}`)).status).toBe(404);
  });
});

function newTerminal() {
  return { terminalId: uniqueId("term"), isVT: 0 as const };
}

function enrolledAs(body: object) {
  return operator<{ secret: string }>("POST", "/operator/terminals", body);
}

describe("an enrolment that is sent again", () => {
  it("replaces the secret, and leaves a row in the audit log", async ({ expect }) => {
    const body = { ...newTerminal(), enrolmentId: crypto.randomUUID() };
    const [first, again] = [await enrolledAs(body), await enrolledAs(body)];
    expect([first.status, again.status]).toEqual([201, 201]);
    const { terminalId } = body;
    const accepts = async ({ body: { secret } }: typeof first) =>
      (await call("POST", "/terminal/login", { body: loginMessage({ terminalId, secret }) })).status;
    expect([await accepts(first), await accepts(again)]).toEqual([401, 200]);
    const { body: log } = await operator<{ data: object[] }>("GET", `/operator/audit?target=${terminalId}`);
    expect(log.data).toMatchObject([
      { action: "terminal.enrol", details: { again: true } },
      { action: "terminal.enrol" },
    ]);
  });

  it("answers 409 once the secret was replaced, or the terminal is retired", async ({ expect }) => {
    const body = { ...newTerminal(), enrolmentId: crypto.randomUUID() };
    await enrolledAs(body);
    const path = `/operator/terminals/${body.terminalId}`;
    const replaced = await operator<{ secret: string }>("POST", `${path}/secret`);
    expect((await enrolledAs(body)).status).toBe(409);
    await loginTerminal({ terminalId: body.terminalId, secret: replaced.body.secret });
    await operator("DELETE", path);
    expect((await enrolledAs(body)).status).toBe(409);
  });
});

describe("listing terminals", () => {
  it("pages through all of them by cursor, with their state", async ({ expect }) => {
    const prefix = uniqueId("page");
    const ids = [1, 2, 3].map((number) => `${prefix}-${number}`);
    const terminals = await Promise.all(ids.map((terminalId) => enrolTerminal({ terminalId })));
    const account = await createAccount();
    const [first] = terminals;
    if (first === undefined) throw new Error("no terminal");
    await bindTerminal(account, first);
    const socket = await ScriptedTerminal.connect(first);
    const one = await operator<Page>("GET", `/operator/terminals?limit=2&cursor=${prefix}`);
    expect(one.body.data).toMatchObject([
      { terminalId: ids[0], posId: account.posId, connected: true },
      { terminalId: ids[1], posId: null, connected: false },
    ]);
    expect(one.body.next).toBe(ids[1]);
    const two = await operator<Page>("GET", `/operator/terminals?limit=2&cursor=${one.body.next}`);
    expect(two.body.data[0]).toMatchObject({ terminalId: ids[2] });
    socket.drop();
  });
});

describe("retiring a terminal", () => {
  it("closes its connection, unbinds it, and is permanent", async ({ expect }) => {
    const { terminal } = await boundPair();
    const socket = await ScriptedTerminal.connect(terminal);
    const path = `/operator/terminals/${terminal.terminalId}`;
    const here = { connected: true, softwareVersion: "scripted-1.0", terminalSn: "SN-1" };
    expect((await operator("GET", path)).body).toMatchObject(here);
    expect((await operator("DELETE", path)).status).toBe(200);
    expect(await socket.closed()).toBe(4002);
    const retired = { status: "retired", posId: null, connected: false, softwareVersion: null, terminalSn: null };
    expect((await operator("GET", path)).body).toMatchObject(retired);
    expect((await operator("DELETE", path)).status).toBe(409);
    // D1 is restored to an earlier time.
    await env.DATABASE.prepare("UPDATE terminals SET status = 'enrolled' WHERE terminal_id = ?")
      .bind(terminal.terminalId)
      .run();
    expect((await operator("DELETE", path)).status).toBe(200);
    expect((await operator("GET", path)).body).toMatchObject(retired);
    expect((await operator("POST", `${path}/secret`)).status).toBe(409);
    expect((await operator("DELETE", `${path}/binding`)).status).toBe(409);
    expect((await operator("DELETE", "/operator/terminals/nobody")).status).toBe(404);
    // What it did can still be read.
    expect((await operator("GET", `${path}/transactions`)).status).toBe(200);
  });

  it("is refused while a transaction is running", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const TERMINAL = objectsWith({ [terminal.terminalId]: { retire: async () => ({ kind: "busy" }) } });
    const path = `/operator/terminals/${terminal.terminalId}`;
    const answer = await callWith<ErrorBody>({ TERMINAL }, "DELETE", path, { token: OPERATOR_TOKEN });
    expect(answer.body).toMatchObject({ code: 40900, error: "conflict" });
    expect((await operator("GET", path)).body).toMatchObject({ status: "enrolled" });
  });
});

/** The state of D1 if the Worker ends before it calls the object. */
async function halfEnrolled(): Promise<string> {
  const terminalId = uniqueId("half");
  await env.DATABASE.prepare(
    "INSERT INTO terminals (terminal_id, is_vt, status, created_at, sealed_under) VALUES (?, 1, 'enrolled', 0, 'k')",
  )
    .bind(terminalId)
    .run();
  return terminalId;
}

describe("an enrolment that ended halfway", () => {
  it("is retired in the database alone", async ({ expect }) => {
    const terminalId = await halfEnrolled();
    const path = `/operator/terminals/${terminalId}`;
    expect((await operator("DELETE", path)).status).toBe(200);
    expect((await operator("GET", path)).body).toMatchObject({ status: "retired" });
    expect((await auditOf(terminalId)).at(-1)).toMatchObject({ actor: "tester", action: "terminal.retire" });
  });
});

describe("assigning a terminal to a merchant", () => {
  it("refuses another merchant than its account's while it is bound", async ({ expect }) => {
    const [account, other] = [await createAccount(), uniqueId("M")];
    const bound = await enrolTerminal();
    await bindTerminal(account, bound);
    const path = `/operator/terminals/${bound.terminalId}`;
    expect((await operator("PATCH", path, { merchantId: other })).body).toMatchObject({
      code: 40900,
      message: expect.stringMatching(/^Unbind the terminal first\./u),
    });
    const { merchantId } = account;
    expect((await operator("PATCH", path, { merchantId })).body).toMatchObject({ merchantId, posId: account.posId });
    await operator("DELETE", `${path}/binding`);
    expect((await operator("PATCH", path, { merchantId: other })).body).toMatchObject({
      merchantId: other,
      posId: null,
    });
  });
});

describe("unbinding a terminal", () => {
  it("frees it, and answers 404 if there is no binding", async ({ expect }) => {
    const { terminal } = await boundPair();
    const path = `/operator/terminals/${terminal.terminalId}/binding`;
    expect((await operator("DELETE", path)).status).toBe(200);
    expect(await boundTo(terminal.terminalId)).toBeNull();
    expect((await operator("DELETE", path)).status).toBe(404);
    expect((await operator("DELETE", "/operator/terminals/nobody/binding")).status).toBe(404);
    expect(await loginTerminal(terminal)).toBeTruthy();
  });

  it("is refused with 409 while a transaction is running", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const TERMINAL = objectsWith({ [terminal.terminalId]: { unbind: async () => ({ kind: "busy" }) } });
    const path = `/operator/terminals/${terminal.terminalId}/binding`;
    expect((await callWith({ TERMINAL }, "DELETE", path, { token: OPERATOR_TOKEN })).status).toBe(409);
    expect(await boundTo(terminal.terminalId)).toBe(account.posId);
  });
});
