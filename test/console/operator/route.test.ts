import { describe, it } from "vitest";
import { filterOf, offlineFirst, terminalQuery } from "../../../src/console/operator/terminals/filters.ts";
import { linkTo, paymentLink, readRoute } from "../../../src/console/operator/route.ts";
import { oneHour, statisticsFilter, statisticsQuery } from "../../../src/console/operator/statistics/ranges.ts";
import { searchOf } from "../../../src/console/operator/payments/search.ts";

describe("the page's address", () => {
  it("leads back to the linked page with any characters in an id", ({ expect }) => {
    const link = linkTo("terminals", ["T/1 ?#%"], {
      state: "offline",
      text: "a&b=ü",
      merchantId: "",
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
    const filter = filterOf({ state: "offline", text: " T-1 ", merchantId: "M-1" });
    const query = { status: "enrolled", connected: "false", merchantId: "M-1", boundTo: "" };
    expect(terminalQuery(filter, "terminalId")).toEqual({ ...query, terminalId: "T-1" });
    expect(terminalQuery(filter, "name")).toEqual({ ...query, name: "T-1" });
    expect(filterOf({ state: "unheard-of" }).state).toBe("");
  });

  it("begin with those that are offline, longest first, then those that never connected", ({ expect }) => {
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
    const begins = ["1", "24", "x"].map((hours) => statisticsQuery(statisticsFilter({ hours }), now)["from"]);
    expect(begins).toEqual(["2026-11-20T12:00:00.000Z", "2026-11-19T13:00:00.000Z", "2026-11-19T13:00:00.000Z"]);
  });

  it("is exactly the hour that was linked", ({ expect }) => {
    const link = linkTo("statistics", [], oneHour("2026-11-20T10:00:00+00:00"));
    expect(statisticsQuery(statisticsFilter(readRoute(link).query), now)).toEqual({
      by: "account",
      from: "2026-11-20T10:00:00+00:00",
      to: "2026-11-20T11:00:00.000Z",
      posId: "",
    });
  });
});

describe("a search for a payment", () => {
  it("is by number, or by reference and account", ({ expect }) => {
    expect(searchOf(" 1000000001 ", "")).toEqual({ kind: "number", transId: "1000000001" });
    expect(searchOf("1000000001", "POS-1")).toEqual({ kind: "reference", posId: "POS-1", referenceId: "1000000001" });
    expect(searchOf("R-1", "")).toMatchObject({
      kind: "unclear",
      problem: expect.stringContaining("enter the account"),
    });
    expect(searchOf(" ", "POS-1").kind).toBe("unclear");
  });
});
