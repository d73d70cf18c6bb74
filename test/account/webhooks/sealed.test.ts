/** I6: addresses and secrets of webhooks at rest, and how they are re-encrypted when the master key changes. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished } from "vitest";
import { EndpointSeals, isSealedUnder } from "../../../src/account/webhooks/endpoint.ts";
import { eventually } from "../../support/patience.ts";
import { Receivers } from "../../support/receiver.ts";
import { KID, masterKeys } from "../books.ts";
import { ADDRESS, Shop } from "./endpoints.ts";
import { newEndpoint } from "../samples.ts";

/** Gives the objects a new master key in front of the old one, until the test ends. */
async function renewMasterKey(shop: Shop): Promise<void> {
  const renewed = `test-2:${btoa("the next master key of the tests")},${env.MASTER_KEYS}`;
  await runInDurableObject(env.ACCOUNT.getByName(shop.books.posId), (object) => {
    const objectEnv = (object as unknown as { env: Env }).env;
    const { MASTER_KEYS: before } = objectEnv;
    Object.assign(objectEnv, { MASTER_KEYS: renewed });
    onTestFinished(() => void Object.assign(objectEnv, { MASTER_KEYS: before }));
  });
}

describe("an endpoint's address and secrets", () => {
  it("are sealed, each for one endpoint, account and column only", ({ expect }) => {
    const keys = masterKeys();
    const members = {
      address: new EndpointSeals(keys, "POS-1").seal(1, "address", ADDRESS),
      secret: new EndpointSeals(keys, "POS-1").seal(1, "secret", "whsec_x"),
      previousSecret: null,
    };
    expect(new EndpointSeals(keys, "POS-1").open({ id: 1, ...members }, "address")).toBe(ADDRESS);
    expect(new EndpointSeals(keys, "POS-1").open({ id: 2, ...members }, "address")).toBeNull();
    expect(new EndpointSeals(keys, "POS-2").open({ id: 1, ...members }, "address")).toBeNull();
    const swapped = { ...members, address: members.secret };
    expect(new EndpointSeals(keys, "POS-1").open({ id: 1, ...swapped }, "address")).toBeNull();
    expect(isSealedUnder(KID, members)).toBe(true);
    expect(isSealedUnder("other", members)).toBe(false);
  });

  it("are re-encrypted with the account's keys, and only the new master key decrypts them", async ({ expect }) => {
    const receivers = Receivers.start();
    const shop = await Shop.open();
    await shop.add();
    await shop.must({ kind: "secret", id: 1 });
    await renewMasterKey(shop);
    expect(await shop.object.reseal()).toBe("test-2");
    const written = await shop.written();
    for (const column of ["address", "secret", "previous_secret"]) {
      expect(written[column], column).toMatch(/^v2\.test-2\./u);
    }
    await eventually(async () => {
      const row = await env.DATABASE.prepare("SELECT sealed_under FROM accounts WHERE pos_id = ?")
        .bind(shop.books.posId)
        .first<{ sealed_under: string }>();
      expect(row?.sealed_under).toBe("test-2");
    });
    await shop.sell(1);
    expect((await receivers.until(1))[0]?.url).toBe(ADDRESS);
  });

  it("stay as they are if one of them cannot be opened", ({ expect }) => {
    const keys = masterKeys();
    const endpoint = newEndpoint({
      address: "v2.gone.AAAA",
      secret: new EndpointSeals(keys, "POS-1").seal(1, "secret", "whsec_x"),
    });
    expect(new EndpointSeals(keys, "POS-1").reseal(endpoint)).toBeNull();
  });
});
