import { describe, it } from "vitest";
import {
  readFilter,
  offlineFirst,
  offlineQuery,
  filterQuery,
} from "../../../../src/pages/operator/terminals/filters.ts";
import { auditedLink, linkTo, paymentLink, readRoute } from "../../../../src/pages/operator/route.ts";
import {
  sumCounts,
  oneDay,
  oneHour,
  reasonLink,
  statisticsFilter,
  rangeQuery,
} from "../../../../src/pages/operator/statistics/ranges.ts";

describe("the page's address", () => {
  it("leads back to the linked page with any characters in an id", ({ expect }) => {
    const link = linkTo("terminals", ["T/1 ?#%"], {
      state: "offline",
      text: "a&b=ü",
      shop: "",
      boundTo: undefined,
    });
    expect(readRoute(link)).toEqual({
      section: "terminals",
      ids: ["T/1 ?#%"],
      query: { state: "offline", text: "a&b=ü" },
    });
    expect(readRoute(paymentLink("T-1", "1000000001")).ids).toEqual(["T-1", "1000000001"]);
  });

  it("is the overview if no page has that name, and never fails", ({ expect }) => {
    for (const fragment of ["", "#", "#/", "#/nowhere", "#/__proto__", "#/%E0%A4%A", "#?x"]) {
      expect([fragment, readRoute(fragment)]).toEqual([fragment, { section: "overview", ids: [], query: {} }]);
    }
    expect(readRoute("#/terminals/%E0%A4%A").ids).toEqual(["%E0%A4%A"]);
  });
});

describe("the terminals that are shown", () => {
  it("are those of the chosen state, by id or by name", ({ expect }) => {
    const filter = readFilter({ state: "offline", text: " T-1 ", shop: "M-1", bound: "false", offlineFor: "15" });
    const states = { status: "enrolled", connected: "false" };
    const query = { ...states, shop: "M-1", boundTo: "", bound: "false" };
    const now = Date.UTC(2026, 10, 20, 12);
    expect(filterQuery(filter)).toEqual({ ...query, offlineFor: "", terminalId: "T-1" });
    expect(offlineQuery(filter, now)).toEqual({ offlineSince: "2026-11-20T11:45:00.000Z" });
    // How long it has been offline says nothing about one that is connected.
    const connected = readFilter({ state: "connected", offlineFor: "15" });
    expect({ ...filterQuery(connected), ...offlineQuery(connected, now) }).toMatchObject({
      connected: "true",
      offlineSince: "",
    });
    expect(readFilter({ state: "unheard-of" }).state).toBe("");
  });

  it("begin with offline ones, longest first, then those never connected", ({ expect }) => {
    const rows = [
      { terminalId: "on-2", connected: true, offlineSince: null },
      { terminalId: "new", connected: false, offlineSince: null },
      { terminalId: "late", connected: false, offlineSince: "2026-11-20T12:00:00+00:00" },
      { terminalId: "on-1", connected: true, offlineSince: null },
      { terminalId: "early", connected: false, offlineSince: "2026-11-20T10:00:00+00:00" },
    ];
    expect(rows.toSorted(offlineFirst).map(({ terminalId }) => terminalId)).toEqual([
      "early",
      "late",
      "new",
      "on-1",
      "on-2",
    ]);
  });
});

describe("the time of statistics", () => {
  const now = Date.UTC(2026, 10, 20, 12, 34);

  it("begins with an hour, and includes the current one", ({ expect }) => {
    const begins = ["1", "24", "x"].map((hours) => rangeQuery(statisticsFilter({ hours }), now)["from"]);
    expect(begins).toEqual(["2026-11-20T12:00:00.000Z", "2026-11-19T13:00:00.000Z", "2026-11-19T13:00:00.000Z"]);
  });

  it("may have only an end", ({ expect }) => {
    const filter = statisticsFilter({ hours: "24", to: "2026-11-20T11:00:00Z" });
    expect(filter.hours).toBe("");
    expect(rangeQuery(filter, now)).toEqual({
      by: "account",
      from: "",
      to: "2026-11-20T11:00:00Z",
      posId: "",
      shop: "",
    });
  });

  it("is exactly the hour that was linked", ({ expect }) => {
    const link = linkTo("statistics", [], oneHour("2026-11-20T10:00:00+00:00"));
    expect(rangeQuery(statisticsFilter(readRoute(link).query), now)).toEqual({
      by: "account",
      from: "2026-11-20T10:00:00+00:00",
      to: "2026-11-20T11:00:00.000Z",
      posId: "",
      shop: "",
    });
    expect(oneDay("2026-11-20", "UTC")).toEqual({
      by: "account",
      from: "2026-11-20T00:00:00.000Z",
      to: "2026-11-21T00:00:00.000Z",
    });
  });
});

function codes(...counts: [code: string, count: number][]) {
  return counts.map(([responseCode, count]) => ({ responseCode, statusCode: "11" as const, count }));
}

describe("the payments with a reason", () => {
  it("are linked with the period in which they were counted", ({ expect }) => {
    const { query } = readRoute(reasonLink("51", { from: "2026-11-20T10:00:00+00:00", to: undefined }));
    expect(query).toEqual({ by: "account", from: "2026-11-20T10:00:00+00:00", code: "51" });
    expect(statisticsFilter(query)).toMatchObject({ by: "account", code: "51", hours: "" });
  });

  it("are counted for each account", ({ expect }) => {
    const row = { responseCodes: codes(["51", 2], ["05", 1], ["51", 3]) };
    expect(["51", "05", "54"].map((code) => sumCounts(row, code))).toEqual([5, 1, 0]);
  });
});

describe("a row of the audit log", () => {
  it.for([
    ["account.change", "POS-1", "#/accounts/POS-1"],
    ["webhook.create", "POS-1", "#/accounts/POS-1"],
    ["prebind.replace", "POS-1", "#/accounts/POS-1"],
    // An account has the list of its conflicting results.
    ["transaction.close", "POS-1", "#/accounts/POS-1"],
    ["transaction.resolve", "T-1", "#/terminals/T-1"],
    ["terminal.unbind", "T-1", "#/terminals/T-1"],
    ["channel.put", "GrabPay", undefined],
  ] as const)("leads, for %s of %s, to its page", ([action, target, link], { expect }) => {
    expect(auditedLink({ action, target })).toBe(link);
  });
});
