import { describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

describe("a POS that prefers a shorter wait (RFC 7240)", () => {
  const cases = [
    { prefer: "respond-async", applied: "respond-async" },
    { prefer: 'wait="0"', applied: "wait=0" },
  ];
  for (const { prefer, applied } of cases) {
    it(`gets 22 IN_PROGRESS by then, and the sale continues (${prefer})`, async ({ expect }) => {
      const here = await scene();
      const connection = await here.connect();
      const body = here.pos.saleBody();
      const answer = here.pos.transfer(body, { headers: { Prefer: prefer } });
      const request = await connection.acceptNext();
      const { status, headers, body: told } = await answer;
      expect(status).toBe(200);
      expect(told).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
      expect(told.transData).toMatchObject({ transAmt: "12.50", currency: "MYR", invNo: "" });
      expect(headers.get("Preference-Applied")).toBe(applied);
      await here.settle(connection, request);
      const again = await here.pos.transfer(body, { headers: { Prefer: prefer } });
      expect(again.body.statusCode).toBe("00");
    });
  }

  it("waits separately: another caller with the same sale gets its outcome", async ({ expect }) => {
    const here = await scene();
    const { connection, body, answer: waiting, request } = await here.accepted();
    const early = await here.pos.transfer(body, { headers: { Prefer: "wait=0" } });
    expect(early.body).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
    here.approve(connection, request);
    expect((await waiting).body.statusCode).toBe("00");
    expect((await waiting).headers.has("Preference-Applied")).toBe(false);
  });

  it("gets the outcome earlier than that if it is available earlier", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.pos.sale({}, {}, { headers: { Prefer: "wait=30" } });
    here.approve(connection, await connection.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
    expect((await answer).headers.get("Preference-Applied")).toBe("wait=30");
  });

  it("waits as usual if its preference is unknown", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    for (const prefer of ["return=minimal", "wait=soon", "wait=-1", "handling=lenient"]) {
      const answer = here.pos.sale({}, {}, { headers: { Prefer: prefer } });
      here.approve(connection, await connection.acceptNext());
      expect((await answer).body.statusCode).toBe("00");
      expect((await answer).headers.has("Preference-Applied")).toBe(false);
    }
  });
});
