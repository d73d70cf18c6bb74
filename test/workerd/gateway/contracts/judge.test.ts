/** The judge of every answer that a test gets through `call`: it finds what is not published. */
import { describe, it } from "vitest";
import { problemsOf } from "../../../support/contract.ts";

describe("a member, a header, a status that is not published", () => {
  it("fails the judge of contracts", ({ expect }) => {
    const headers = new Headers({ "Content-Type": "application/json", "X-Request-Id": crypto.randomUUID() });
    headers.set("Cache-Control", "no-store");
    const good = { method: "GET", path: "/healthz", status: 200, headers, body: { status: "ok" } };
    expect(problemsOf(good)).toEqual([]);
    expect(problemsOf({ ...good, body: { status: "ok", more: 1 } })).toHaveLength(1);
    expect(problemsOf({ ...good, body: {} })).not.toEqual([]);
    const login = { ...good, method: "POST", path: "/auth/refresh", status: 401, sent: { posId: 5 } };
    expect(problemsOf({ ...login, path: "/auth/login" }).join()).not.toContain("posId");
    expect(problemsOf({ ...login, path: "/auth/login", status: 200 }).join()).toContain("posId");
    expect(problemsOf({ ...good, status: 204 })).toHaveLength(1);
    expect(problemsOf({ ...good, headers: new Headers() })).not.toEqual([]);
    expect(problemsOf({ ...good, path: "/operator/audit", body: { data: [{}], next: null } })).not.toEqual([]);
  });
});
