import { describe, it } from "vitest";
import { alarmOf, skip, useFakeClock } from "../support/clock.ts";
import { approved, reportedOpen } from "../support/approved.ts";
import { useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

const DAY = 86_400_000;

describe("the journal", () => {
  it("keeps a transaction for 400 days, including for inquiries about it", async ({ expect }) => {
    const here = await scene();
    const sale = await approved(here, await here.connect());
    skip(399 * DAY);
    const till = await here.tillOfNow();
    expect((await till.inquiry({ transId: sale.request.transId })).body.statusCode).toBe("00");
  });

  it("forgets settled ones after 400 days when it settles another, open ones never", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    const open = await reportedOpen(here, connection);
    await approved(here, connection);
    connection.drop();
    await connection.closed();
    skip(401 * DAY);
    const till = await here.tillOfNow();
    expect(await here.journal()).toHaveLength(3);
    const late = till.saleBody();
    expect((await till.transfer(late)).body.responseCode).toBe("TERMINAL_OFFLINE");
    expect((await here.journal()).map(({ referenceId }) => referenceId)).toEqual([
      late["referenceId"],
      open.referenceId,
    ]);
    const back = await here.connect({ open: [open.request.requestId] });
    here.approve(back, open.request);
    await back.next("ack");
    expect((await till.inquiry({ referenceId: open.referenceId })).body.statusCode).toBe("00");
  });

  it("forgets them even if there are no sales: it is checked once a month", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    connection.drop();
    await connection.closed();
    await here.pass(DAY);
    const alarm = await alarmOf(here.terminal);
    expect(alarm).toBeGreaterThan(Date.now() + 25 * DAY);
    expect(alarm).toBeLessThan(Date.now() + 31 * DAY);
    await here.pass(430 * DAY);
    expect(await here.journal()).toEqual([]);
    // Nothing is left to look at.
    await here.pass(31 * DAY);
    expect(await alarmOf(here.terminal)).toBeNull();
  });
});
