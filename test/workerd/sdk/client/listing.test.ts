/** The account's transactions and totals, as the client reads them. */
import { describe, it } from "vitest";
import { PosClient, PosError } from "../../../../src/sdk/client/pos.ts";
import { POS_OPTIONS } from "./pos/scripted.ts";

/** A client of a gateway with these answers, and the calls that it received. */
function clientOf(...answers: (object | number)[]): { client: PosClient; asked: string[] } {
  const asked: string[] = [];
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const client = new PosClient({
    ...POS_OPTIONS,
    random: () => 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === "/auth/login") {
        return Response.json({ access: { token: "a", expiresAt }, refresh: { token: "r", expiresAt } });
      }
      asked.push(pathname + search);
      const answer = answers.shift() ?? 500;
      if (typeof answer !== "number") return Response.json(answer);
      return Response.json({ code: answer * 100, message: "no", traceId: "a trace" }, { status: answer });
    },
  });
  return { client, asked };
}

const one = (requestId: string) => ({ requestId });

describe("the transactions of an account", () => {
  it("come page after page, each only when it is needed", async ({ expect }) => {
    const { client, asked } = clientOf(
      { data: [one("3"), one("2")], next: "17" },
      { data: [], next: "9" },
      { data: [one("1")], next: null },
    );
    const read: string[] = [];
    for await (const { requestId } of client.transactions({ day: "2026-11-20", deviceId: "T 1" })) {
      read.push(requestId);
      if (requestId === "2") expect(asked).toHaveLength(1);
    }
    expect(read).toEqual(["3", "2", "1"]);
    expect(asked).toEqual([
      "/api/transactions?day=2026-11-20&deviceId=T+1",
      "/api/transactions?day=2026-11-20&deviceId=T+1&cursor=17",
      "/api/transactions?day=2026-11-20&deviceId=T+1&cursor=9",
    ]);
  });

  it("continue after a page has failed once", async ({ expect }) => {
    const { client } = clientOf({ data: [one("2")], next: "5" }, 503, { data: [one("1")], next: null });
    const read: string[] = [];
    for await (const { requestId } of client.transactions()) read.push(requestId);
    expect(read).toEqual(["2", "1"]);
  });

  it("end with an error if the gateway refuses", async ({ expect }) => {
    await expect(clientOf(400).client.transactions().next()).rejects.toMatchObject({ kind: "invalid_request" });
    const foreign = clientOf({ data: "none" }).client.transactions({}, { within: 100 });
    await expect(foreign.next()).rejects.toBeInstanceOf(PosError);
  });
});

describe("totals", () => {
  it("are asked for with what is named", async ({ expect }) => {
    const told = { day: "2026-11-20", data: [] };
    const { client, asked } = clientOf(told, told, {});
    expect(await client.totals()).toEqual(told);
    await client.totals({ day: "2026-11-20", deviceId: "T-1" });
    expect(asked).toEqual(["/api/totals", "/api/totals?day=2026-11-20&deviceId=T-1"]);
    await expect(client.totals({}, { within: 100 })).rejects.toMatchObject({ kind: "unexpected_answer" });
  });
});
