/** What a reader that follows an account's events costs: each wait, and nothing meanwhile. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { accountStub } from "../../../src/gateway/account/rpc.ts";
import { signToken } from "../../../src/gateway/secrets/tokens.ts";
import { type Books, masterKeys, openBooks } from "../../support/gateway/account/books.ts";
import { useFakeClock } from "../../support/clock.ts";
import { call } from "../../support/gateway.ts";
import { Meter } from "../../cost/counting.ts";
import { type Counts, POLL } from "../../cost/sale.ts";
import { eventually } from "../../support/patience.ts";
import { holdStatistics } from "../../support/statistics.ts";

useFakeClock();

async function tokenOf({ posId, sessionId }: Books): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { sub: posId, sid: sessionId, jti: crypto.randomUUID(), iat, exp: iat + 900 } as const;
  return signToken(masterKeys(), { ...claims, use: "access" });
}

/** The account's object goes to sleep: memory gone, sockets kept. Fails while anything holds it awake. */
function sleep({ posId }: Books): Promise<void> {
  return evictDurableObject(env.ACCOUNT.getByName(posId));
}

/** The same counts in pairs of name and difference, if there is one. */
function beyond(counts: Counts, others: Counts): Partial<Counts> {
  const names = Object.keys(counts) as (keyof Counts)[];
  return Object.fromEntries(
    names.filter((name) => counts[name] !== others[name]).map((name) => [name, counts[name] - others[name]]),
  );
}

describe("a reader that waits for an event", () => {
  it("costs what the table says, and lets the object sleep", async ({ expect }) => {
    const books = await openBooks();
    await books.object.record([books.entry()]);
    const token = await tokenOf(books);
    const meter = await Meter.start("any");
    await sleep(books);
    meter.restart();
    const answer = call("GET", "/api/events?after=1", { token, headers: { Prefer: "wait=2" } });
    await meter.until("fetch", 1);
    await sleep(books);
    expect((await answer).body).toEqual({ data: [], next: 1 });
    await meter.until("webSocketClose", 1);
    await sleep(books);
    expect(meter.events()).toEqual(["fetch", "webSocketClose"]);
    expect(meter.read()).toEqual(POLL);
  });

  it("adds only a read to an event, no row and no alarm", async ({ expect }) => {
    const books = await openBooks();
    const token = await tokenOf(books);
    const meter = await Meter.start("any");
    const record = (): Promise<unknown> => accountStub(env, books.posId).record([books.entry()]);
    await holdStatistics(books.posId);
    // The account's first event sets the alarms that end its day, and tell D1 what its hour adds up to.
    await record();
    await sleep(books);
    meter.restart();
    await record();
    const alone = meter.read();
    await sleep(books);
    meter.restart();
    const answer = call<{ next: number }>("GET", "/api/events?after=2", { token, headers: { Prefer: "wait=60" } });
    await meter.until("fetch", 1);
    await sleep(books);
    await record();
    expect((await answer).body.next).toBe(3);
    await eventually(async () => expect(meter.events()).toContain("webSocketClose"));
    const followed = beyond(meter.read(), alone);
    expect(followed).toMatchObject({ objectRequests: 1, socketsEnded: 1, logLines: 1 });
    expect(Object.keys(followed)).toEqual(["objectRequests", "socketsEnded", "objectRowsRead", "logLines"]);
    expect(followed.objectRowsRead).toBeLessThanOrEqual(12);
  });
});
