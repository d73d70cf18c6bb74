import { env } from "cloudflare:workers";
import { beforeAll, describe, it } from "vitest";
import { readChannels } from "../../../../src/gateway/http/pos/transfer/channels.ts";
import { accessToken, call, createAccount, type ErrorBody, operator } from "../../../support/gateway.ts";

const boost = { status: 1, currency: ["MYR"], logoUrl3: "https://logos.test/boost.png" };
const touch = { status: 0, currency: ["MYR", "SGD"], logoUrl3: "https://logos.test/tng.png" };
const TOUCH_NAME = "Touch 'n Go";
const TOUCH_PATH = `/operator/channels/${encodeURIComponent(TOUCH_NAME)}`;

beforeAll(async () => {
  await operator("PUT", "/operator/channels/Boost", boost);
  await operator("PUT", TOUCH_PATH, touch);
});

async function channels(query: string) {
  const token = await accessToken(await createAccount());
  return call<{ data: object[] } & ErrorBody>("GET", `/api/ewallet-channels${query}`, { token });
}

describe("e-wallet channels", () => {
  it("are listed with their status as a number, for every currency", async ({ expect }) => {
    for (const query of ["", "?currency="]) {
      expect((await channels(query)).body).toEqual({
        data: [
          { name: "Boost", ...boost },
          { name: TOUCH_NAME, ...touch },
        ],
      });
    }
  });

  it("are listed for a currency in any case", async ({ expect }) => {
    for (const query of ["?currency=SGD", "?currency=sgd"]) {
      expect((await channels(query)).body.data).toEqual([{ name: TOUCH_NAME, ...touch }]);
    }
    expect((await channels("?currency=USD")).body).toEqual({ data: [] });
  });
});

async function statusForTransfers(channel: string): Promise<number | undefined> {
  return (await readChannels(env.DATABASE, Date.now()))?.find(({ name }) => name === channel)?.status;
}

describe("the operator's channels", () => {
  it("are made, changed, listed and deleted under any printable name", async ({ expect }) => {
    const path = `/operator/channels/${encodeURIComponent("支付宝 100%")}`;
    expect((await operator("PUT", path, { ...boost, currency: ["myr", "MYR", "usd"] })).status).toBe(201);
    const changed = await operator("PUT", path, { ...boost, status: 0, currency: ["usd"] });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ name: "支付宝 100%", status: 0, currency: ["USD"], logoUrl3: boost.logoUrl3 });
    const { body } = await operator<{ data: object[]; next: null }>("GET", "/operator/channels");
    expect(body.data).toContainEqual(changed.body);
    expect((await operator("DELETE", path)).status).toBe(200);
    expect((await operator("DELETE", path)).status).toBe(404);
  });

  it("count for transfers as soon as they are changed", async ({ expect }) => {
    const path = "/operator/channels/Wallet";
    const statuses = [await statusForTransfers("Wallet")];
    for (const status of [1, 0]) {
      await operator("PUT", path, { ...boost, status });
      statuses.push(await statusForTransfers("Wallet"));
    }
    await operator("DELETE", path);
    expect([...statuses, await statusForTransfers("Wallet")]).toEqual([undefined, 1, 0, undefined]);
  });

  it("are refused with every wrong field named", async ({ expect }) => {
    const { status, body } = await operator<ErrorBody>("PUT", "/operator/channels/Wrong", {
      status: 2,
      currency: ["MYR", "RINGGIT"],
      logoUrl3: "javascript:alert(1)",
    });
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path)).toEqual(["status", "currency.1", "logoUrl3"]);
    const long = await operator<ErrorBody>("PUT", `/operator/channels/${"x".repeat(33)}`, boost);
    expect(long.body.details?.map(({ path }) => path)).toEqual(["name"]);
  });
});
