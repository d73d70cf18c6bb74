/** How an operator finds things: filters of lists, shops, a transaction by its number; and how many rows a page reads. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, it, vi } from "vitest";
import { Meter } from "../../../cost/counting.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import {
  bindTerminal,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  operator,
  OPERATOR_TOKEN,
  uniqueId,
} from "../../../support/gateway.ts";
import { approved, useAccount } from "../../../support/scene.ts";
import { SCANNED_ROWS } from "../../../../src/gateway/d1/listing.ts";

useFakeClock();
const scene = useAccount();

const MINUTE = 60_000;

type Row = Record<string, unknown>;

interface Page {
  data: Row[];
  next: string | null;
}

/** The ids of a whole list, page by page. */
async function listed(path: string, member: string): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Page = (await operator<Page>("GET", `${path}&cursor=${encodeURIComponent(cursor)}`)).body;
    ids.push(...page.data.map((row) => row[member]));
    cursor = page.next;
  }
  return ids;
}

const terminals = (query: string): Promise<unknown[]> => listed(`/operator/terminals?${query}`, "terminalId");
const accounts = (query: string): Promise<unknown[]> => listed(`/operator/accounts?${query}`, "posId");

/** The actions in the audit log. */
function audited(query: string) {
  return listed(`/operator/audit?${query}`, "action");
}

describe("the list of terminals", () => {
  it("is filtered by the beginnings of terminalId, name and posId", async ({ expect }) => {
    const prefix = uniqueId("f");
    const account = await createAccount({ posId: `${prefix}.shop-1` });
    for (const [id, name] of [
      ["a1", "Corner 1"],
      ["a2", "corner 2"],
      ["b1", "Harbour"],
      ["%_", "50 %"],
    ]) {
      const terminal = await enrolTerminal({ terminalId: `${prefix}.${id === "%_" ? "c" : id}`, name: name ?? "" });
      if (id === "a1") await bindTerminal(account, terminal);
    }
    expect(await terminals(`terminalId=${prefix}.a`)).toEqual([`${prefix}.a1`, `${prefix}.a2`]);
    expect(await terminals(`terminalId=${prefix}&name=CORNER`)).toEqual([`${prefix}.a1`, `${prefix}.a2`]);
    expect(await terminals(`terminalId=${prefix}&name=${encodeURIComponent("50 %")}`)).toEqual([`${prefix}.c`]);
    expect(await terminals(`terminalId=${prefix}&name=%25`)).toEqual([]);
    expect(await terminals(`posId=${prefix}`)).toEqual([`${prefix}.a1`]);
    expect(await terminals(`boundTo=${account.posId}`)).toEqual([`${prefix}.a1`]);
    expect(await terminals(`boundTo=${prefix}`)).toEqual([]);
    expect(await terminals(`boundTo=${account.posId}&name=harbour`)).toEqual([]);
    expect(await terminals(`boundTo=${account.posId}&merchantId=${prefix}`)).toEqual([]);
  });

  it("is filtered by shop, and by whether a terminal is bound", async ({ expect }) => {
    const [merchantId, other] = [uniqueId("M"), uniqueId("M")];
    const account = await createAccount({ merchantId });
    const enrol = (name: string, assigned?: string) =>
      enrolTerminal({
        terminalId: `${merchantId}-${name}`,
        ...(assigned === undefined ? {} : { merchantId: assigned }),
      });
    await enrol("assigned", merchantId);
    await bindTerminal(account, await enrol("bound"));
    await bindTerminal(account, await enrol("both", merchantId));
    await enrol("of-another", other);
    await enrol("of-none");
    const own = `terminalId=${merchantId}`;
    const names = async (query: string): Promise<unknown[]> =>
      (await terminals(query)).map((id) => String(id).slice(merchantId.length + 1));
    expect(await names(`shop=${merchantId}&limit=1`)).toEqual(["assigned", "both", "bound"]);
    expect(await names(`shop=${other}`)).toEqual(["of-another"]);
    expect(await names(`${own}&bound=true`)).toEqual(["both", "bound"]);
    expect(await names(`${own}&bound=false`)).toEqual(["assigned", "of-another", "of-none"]);
    expect(await names(`shop=${merchantId}&bound=false`)).toEqual(["assigned"]);
  });

  it("refuses invalid values, naming each filter", async ({ expect }) => {
    const query =
      "connected=yes&status=broken&offlineSince=yesterday&boundTo=a%20b&merchantId=a%20b&terminalId=%0A&shop=a%20b&bound=2";
    const { status, body } = await operator<ErrorBody>("GET", `/operator/terminals?${query}`);
    expect(status).toBe(400);
    const paths = ["terminalId", "boundTo", "merchantId", "shop", "bound", "connected", "status", "offlineSince"];
    expect(body.details?.map(({ path }) => path)).toEqual(paths);
  });
});

describe("the list of accounts", () => {
  it("is filtered by the beginnings of posId and name, merchant and status", async ({ expect }) => {
    const prefix = uniqueId("chain");
    for (const [id, name] of [
      ["1", "North"],
      ["2", "North 2"],
      ["3", "South"],
    ]) {
      await createAccount({ posId: `${prefix}-${id}`, merchantId: `${prefix}-m${id === "3" ? 2 : 1}` });
      await operator("PATCH", `/operator/accounts/${prefix}-${id}`, { name });
    }
    await operator("PATCH", `/operator/accounts/${prefix}-2`, { status: "suspended" });
    expect(await accounts(`posId=${prefix}&limit=2`)).toEqual([1, 2, 3].map((id) => `${prefix}-${id}`));
    expect(await accounts(`posId=${prefix}&name=north&limit=1`)).toEqual([`${prefix}-1`, `${prefix}-2`]);
    expect(await accounts(`merchantId=${prefix}-m1`)).toEqual([`${prefix}-1`, `${prefix}-2`]);
    expect(await accounts(`merchantId=${prefix}-m1&status=suspended`)).toEqual([`${prefix}-2`]);
  });
});

describe("a shop", () => {
  it("gives a merchant a name, and is shown with its terminals", async ({ expect }) => {
    const merchantId = uniqueId("M");
    const path = `/operator/shops/${merchantId}`;
    const timezone = "Asia/Kuala_Lumpur";
    expect((await operator("GET", path)).status).toBe(404);
    expect((await operator("PUT", path, { name: "Corner shop", timezone })).status).toBe(201);
    const renamed = await operator("PUT", path, { name: "Harbour", timezone });
    expect([renamed.status, renamed.body["name"]]).toEqual([200, "Harbour"]);
    expect((await operator("GET", path)).body).toMatchObject({ merchantId, name: "Harbour", timezone });
    expect(await listed(`/operator/shops?merchantId=${merchantId}&name=harb`, "merchantId")).toEqual([merchantId]);
    expect(await listed(`/operator/shops?merchantId=${merchantId}&name=corner`, "merchantId")).toEqual([]);
    const second = `${merchantId}-2`;
    await operator("PUT", `/operator/shops/${second}`, { name: "Harbour 2", timezone });
    const both = await listed(`/operator/shops?merchantId=${merchantId}&limit=1`, "merchantId");
    expect(both).toEqual([merchantId, second]);

    const assigned = await enrolTerminal({ merchantId });
    const bound = await enrolTerminal();
    await bindTerminal(await createAccount({ merchantId }), bound);
    for (const { terminalId } of [assigned, bound]) {
      expect((await operator("GET", `/operator/terminals/${terminalId}`)).body["shopName"]).toBe("Harbour");
    }
    const deletions = await Promise.all([operator("DELETE", path), operator("DELETE", path)]);
    expect(deletions.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404]);
    expect((await operator("GET", `/operator/terminals/${bound.terminalId}`)).body["shopName"]).toBeNull();
  });
});

describe("changing a terminal", () => {
  it("changes its name and merchant separately, with an audit row each", async ({ expect }) => {
    const { terminalId } = await enrolTerminal({ name: "Counter 1" });
    const path = `/operator/terminals/${terminalId}`;
    expect((await operator("PATCH", path, { name: "Counter 2" })).body).toMatchObject({
      name: "Counter 2",
      merchantId: null,
    });
    const merchantId = uniqueId("M");
    expect((await operator("PATCH", path, { merchantId })).body).toMatchObject({ name: "Counter 2", merchantId });
    const { body } = await operator<Page>("GET", `/operator/audit?target=${terminalId}&action=terminal.change`);
    expect(body.data.map(({ before, after }) => ({ before, after }))).toEqual([
      { before: { merchantId: null }, after: { merchantId } },
      { before: { name: "Counter 1" }, after: { name: "Counter 2" } },
    ]);
  });

  it("binds it to its new merchant's account that prebinds it", async ({ expect }) => {
    const here = await scene();
    const account = await createAccount();
    const { terminalId } = await enrolTerminal();
    const { body } = await operator<Row>("GET", `/operator/accounts/${here.pos.account.posId}`);
    await call("POST", "/api/prebind-terminals", { token: here.pos.token, body: { uniqueIds: [terminalId] } });
    expect(account.merchantId).not.toBe(body["merchantId"]);
    const changed = await operator("PATCH", `/operator/terminals/${terminalId}`, { merchantId: body["merchantId"] });
    expect(changed.body["posId"]).toBe(here.pos.account.posId);
  });
});

describe("the audit log", () => {
  it("is filtered by target, actor, action and time", async ({ expect }) => {
    const here = await scene();
    const { terminalId } = here.terminal;
    await here.pass(MINUTE);
    const from = new Date().toISOString();
    await here.pass(MINUTE);
    await operator("POST", `/operator/terminals/${terminalId}/secret`);
    await here.pass(MINUTE);
    const to = new Date().toISOString();
    await operator("DELETE", `/operator/terminals/${terminalId}/binding`);
    expect(await audited(`target=${terminalId}&limit=1`)).toEqual([
      "terminal.unbind",
      "terminal.secret",
      "terminal.bind",
      "terminal.enrol",
    ]);
    expect(await audited(`target=${terminalId}&from=${from}&to=${to}`)).toEqual(["terminal.secret"]);
    expect(await audited(`from=${from}&to=${to}&action=terminal.secret`)).toEqual(["terminal.secret"]);
    expect(await audited(`actor=terminal:${terminalId}`)).toEqual(["terminal.bind"]);
    expect(await audited(`target=${terminalId}&actor=tester&limit=1`)).toEqual([
      "terminal.unbind",
      "terminal.secret",
      "terminal.enrol",
    ]);
  });
});

describe("a transaction", () => {
  it("is found by its number, whichever terminal made it", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const [transId, last] = [await approved(here, connection), await approved(here, connection)].map(
      ({ request }) => request.requestId,
    );
    expect(Number(last)).toBe(Number(transId) + 1);
    const { body } = await operator<{ terminalId: string; transaction: Row }>(
      "GET",
      `/operator/transactions?transId=${transId}`,
    );
    const local = expect.stringMatching(/\+08:00$/u) as string;
    expect(body).toMatchObject({
      terminalId: here.terminal.terminalId,
      transaction: { requestId: transId, timezone: "Asia/Kuala_Lumpur", receivedAt: local, completedAt: local },
    });
    const { terminalId } = here.terminal;
    const journal = `/operator/terminals/${terminalId}/transactions`;
    expect(await listed(`${journal}?limit=1`, "requestId")).toEqual([last, transId]);
    expect((await operator<Page>("GET", `${journal}?limit=2`)).body.next).toBeNull();
    const next = String(Number(last) + 1);
    expect((await operator("GET", `/operator/transactions?transId=${next}`)).status).toBe(404);
    expect((await operator("GET", "/operator/transactions?transId=9999999999")).status).toBe(404);
    const short = await operator<ErrorBody>("GET", "/operator/transactions?transId=7");
    const message = "Send the transaction's number: ten digits.";
    expect([short.status, short.body.details]).toEqual([400, [{ path: "transId", message }]]);
  });
});

describe("a page of a list", () => {
  /** More than one page scans. */
  const FLEET = SCANNED_ROWS + 500;
  const prefix = uniqueId("zz-m");

  beforeAll(async () => {
    const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${FLEET - 1})`;
    const id = `'${prefix}-' || printf('%05d', i)`;
    await env.DATABASE.batch([
      env.DATABASE.prepare(
        `INSERT INTO terminals (terminal_id, is_vt, merchant_id, name, status, created_at, sealed_under)
         ${numbers} SELECT ${id}, 1, '${prefix}', 'Counter ' || i, 'enrolled', 0, 'k' FROM n`,
      ),
      env.DATABASE.prepare(
        `INSERT INTO accounts (pos_id, merchant_id, currency, timezone, name, status, created_at, sealed_under, version)
         ${numbers} SELECT ${id}, '${prefix}', 'MYR', 'UTC', 'Shop ' || i, 'active', 0, 'k', 1 FROM n`,
      ),
      env.DATABASE.prepare(
        `INSERT INTO audit_log (at, actor, action, target, details)
         ${numbers} SELECT i, '${prefix}', 'terminal.enrol', ${id}, '{}' FROM n`,
      ),
    ]);
  });

  it.for([
    ["of terminals", "terminals?limit=10", 40],
    ["of terminals by their ids", `terminals?limit=10&terminalId=${prefix}`, 40],
    ["of terminals of a merchant", `terminals?limit=10&merchantId=${prefix}`, 50],
    ["of accounts", "accounts?limit=10", 20],
    ["of accounts by their ids", `accounts?limit=10&posId=${prefix}`, 20],
    ["of accounts of a merchant", `accounts?limit=10&merchantId=${prefix}`, 30],
    ["of the audit log", "audit?limit=10", 20],
    ["of the audit log by actor", `audit?limit=10&actor=${prefix}`, 30],
    ["of the audit log by target", `audit?limit=10&target=${prefix}-00007`, 20],
    ["of the audit log up to a time", "audit?limit=10&to=1970-01-01T00:00:01Z", 20],
    ["of shops", "shops?limit=10", 20],
    // Judged row by row, and once more to find where the page has stopped.
    ["of terminals by a name that nobody has", `terminals?name=nobody`, 2 * SCANNED_ROWS + 20],
    [
      "of terminals that are away",
      "terminals?connected=false&offlineSince=1970-01-01T00:00:00Z",
      2 * SCANNED_ROWS + 20,
    ],
    // And for each its account.
    ["of terminals of a shop that has none", "terminals?shop=nobody&connected=false", 3 * SCANNED_ROWS + 20],
    ["of accounts by a name that nobody has", "accounts?name=nobody", 2 * SCANNED_ROWS + 20],
    ["of the audit log by an action that nobody took", "audit?action=channel.delete", 2 * SCANNED_ROWS + 20],
  ] as const)("reads few rows, however many there are: %s", async ([, path, most], { expect }) => {
    const { terminalId } = await enrolTerminal();
    const meter = await Meter.start(terminalId);
    const { status } = await operator("GET", `/operator/${path}`);
    expect(status).toBe(200);
    const { d1RowsRead, d1RowsWritten } = meter.read();
    expect(d1RowsRead).toBeLessThanOrEqual(most);
    expect(d1RowsWritten).toBe(0);
  });

  it("ends after enough rows, and says where the next one begins", async ({ expect }) => {
    const path = `/operator/terminals?terminalId=${prefix}&name=${encodeURIComponent(`Counter ${FLEET - 1}`)}`;
    const first = await operator<Page>("GET", path);
    expect(first.body).toEqual({ data: [], next: `${prefix}-${String(SCANNED_ROWS - 1).padStart(5, "0")}` });
    const second = await operator<Page>("GET", `${path}&cursor=${first.body.next}`);
    expect(second.body.data.map(({ terminalId }) => terminalId)).toEqual([`${prefix}-0${FLEET - 1}`]);
    expect(second.body.next).toBeNull();
  });
});

describe("an operator's resync of one object", () => {
  it("makes that one write its state again, and no other", async ({ expect }) => {
    const { posId } = await createAccount();
    const progress = { phase: null, after: "", startedAt: null, endedAt: null, resynced: 0, missing: 0, failed: 0 };
    const [startResync, resyncProgress] = [vi.fn(async () => progress), vi.fn(async () => progress)];
    const COORDINATOR = { getByName: () => ({ startResync, resyncProgress }) };
    const options = { token: OPERATOR_TOKEN, body: { id: posId } };
    const one = await callWith({ COORDINATOR }, "POST", "/operator/resync", options);
    expect([one.status, startResync.mock.calls]).toEqual([200, []]);
    const all = await callWith({ COORDINATOR }, "POST", "/operator/resync", { token: OPERATOR_TOKEN });
    expect([all.status, startResync.mock.calls.length]).toEqual([200, 1]);
  });
});
