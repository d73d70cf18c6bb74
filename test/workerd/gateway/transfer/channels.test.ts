/** The channels of a transfer come from a copy, which serves while D1 does not. */
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { readChannels } from "../../../../src/gateway/http/pos/transfer/channels.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { COUNTS_REFUSALS } from "../../../support/database.ts";
import { callWith, HangingDatabase } from "../../../support/environment.ts";
import { uniqueId } from "../../../support/gateway.ts";
import type { TransferAnswer } from "../../../support/pos.ts";
import { type Scene, setChannel, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

/** A D1 that can be switched off, and counts its calls. */
class Database {
  down = false;
  asked = 0;

  prepare(sql: string): D1PreparedStatement {
    if (!sql.includes(COUNTS_REFUSALS)) this.asked += 1;
    if (this.down) throw new Error("D1_ERROR: network connection lost");
    return env.DATABASE.prepare(sql);
  }
}

function walletSale({ pos }: Scene, paymentChannel: string): object {
  return pos.sign(pos.saleBody({}, { paymentMethod: "qrCustScan", paymentChannel }));
}

async function post({ pos }: Scene, DATABASE: unknown, body: object) {
  return callWith<TransferAnswer>({ DATABASE }, "POST", "/api/transfer", { token: pos.token, body });
}

async function payWith(here: Scene, DATABASE: unknown, paymentChannel: string) {
  return post(here, DATABASE, walletSale(here, paymentChannel));
}

describe("the copy of the channels", () => {
  it("is a minute old at most, and costs D1 nothing meanwhile", async ({ expect }) => {
    const here = await scene();
    const name = uniqueId("Wallet");
    await setChannel(name, 1);
    const database = new Database();
    for (let sale = 0; sale < 3; sale++) {
      expect((await payWith(here, database, name)).body.responseCode).toBe("TERMINAL_OFFLINE");
    }
    expect(database.asked).toBe(1);
    await setChannel(name, 0);
    expect((await payWith(here, database, name)).body.responseCode).toBe("TERMINAL_OFFLINE");
    skip(59_999);
    expect((await payWith(here, database, name)).body.responseCode).toBe("TERMINAL_OFFLINE");
    skip(1);
    expect((await payWith(here, database, name)).body.responseCode).toBe("CHANNEL_INACTIVE");
    expect(database.asked).toBe(2);
  });

  it("serves while D1 fails, and D1 is asked again after a while", async ({ expect }) => {
    const here = await scene();
    const name = uniqueId("Wallet");
    await setChannel(name, 1);
    const database = new Database();
    await payWith(here, database, name);
    database.down = true;
    skip(60_000);
    for (let sale = 0; sale < 3; sale++) {
      expect((await payWith(here, database, name)).body.responseCode).toBe("TERMINAL_OFFLINE");
    }
    expect(database.asked).toBe(2);
    for (const [later, asked] of [
      [9_999, 2],
      [1, 3],
    ] as const) {
      skip(later);
      await payWith(here, database, name);
      expect(database.asked).toBe(asked);
    }
  });

  it("is missing if D1 fails first: a new sale gets 500", async ({ expect }) => {
    const here = await scene();
    const name = uniqueId("Wallet");
    await setChannel(name, 1);
    const connection = await here.connect();
    const database = new Database();
    database.down = true;
    const body = walletSale(here, name);
    expect(await post(here, database, body)).toMatchObject({ status: 500, body: { code: 50000 } });
    expect(await connection.frames()).toEqual([]);
    expect(await here.journal()).toEqual([]);
    database.down = false;
    const again = post(here, database, body);
    here.approve(connection, await connection.acceptNext());
    expect((await again).body.statusCode).toBe("00");
  });

  it("is not needed for a sale that the object has", async ({ expect }) => {
    const here = await scene();
    const name = uniqueId("Wallet");
    await setChannel(name, 1);
    const connection = await here.connect();
    const body = walletSale(here, name);
    const first = post(here, new Database(), body);
    const request = await connection.acceptNext();
    // In an isolate that has read no channels.
    const elsewhere = new Database();
    elsewhere.down = true;
    const joined = post(here, elsewhere, body);
    await vi.waitFor(() => expect(elsewhere.asked).toBe(1));
    here.approve(connection, request);
    const approved = (await first).body;
    expect(approved.statusCode).toBe("00");
    expect((await joined).body).toEqual(approved);
    expect((await post(here, elsewhere, body)).body).toEqual(approved);
    expect(await connection.frames()).toEqual([expect.objectContaining({ type: "ack" })]);
  });

  it("is waited for up to two seconds if D1 does not answer", async ({ expect }) => {
    const database = new HangingDatabase();
    const began = performance.now();
    expect(await readChannels(database as unknown as D1Database, Date.now())).toBeNull();
    expect(performance.now() - began).toBeGreaterThan(1_900);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
