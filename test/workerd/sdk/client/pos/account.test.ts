/** The POS client's calls about its account: lists, prebinding, binding and unbinding. */
import { describe, it } from "vitest";
import { operator } from "../../../../support/gateway.ts";
import { ANSWER_LOST, answered, LOST, ScenePos } from "./open-pos.ts";
import { failureOf } from "./scripted.ts";

describe("a POS client's lists", () => {
  it("show the account's terminals, prebinding and channels", async ({ expect }) => {
    const pos = await ScenePos.create();
    const { terminalId } = pos.terminal;
    expect(await pos.client.terminals()).toEqual([{ terminalId, connected: false, isVT: 0 }]);
    expect(await pos.client.terminal(terminalId)).toMatchObject({ terminalId, connected: false, lastHeartbeat: null });
    await pos.client.prebind(["t-1", "t-2"]);
    expect(await pos.client.prebound()).toEqual(["t-1", "t-2"]);
    const name = `Wallet & Co ${crypto.randomUUID().slice(0, 8)}`;
    const channel = { status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logo.png" };
    await operator("PUT", `/operator/channels/${encodeURIComponent(name)}`, channel);
    expect(await pos.client.channels("MYR")).toContainEqual({ name, ...channel });
    expect(await pos.client.channels("JPY")).not.toContainEqual({ name, ...channel });
  });

  it("come again after a failing connection and a 500", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    pos.onTheWayTo("/api/terminals", LOST, answered(500));
    expect(await pos.client.terminals()).toHaveLength(1);
  });

  it("fail with what the gateway said when the time runs out", async ({ expect }) => {
    const pos = await ScenePos.create();
    pos.onTheWayTo("/api/terminals", answered(429, { "Retry-After": "60" }));
    expect(await failureOf(pos.client.terminals())).toMatchObject({ kind: "rate_limited", problem: { status: 429 } });
  });
});

describe("unbinding", () => {
  it("succeeds even if the first answer was lost", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    const { terminalId } = pos.terminal;
    pos.onTheWayTo(`/api/terminals/${terminalId}`, ANSWER_LOST);
    await pos.client.unbind(terminalId);
    expect(await pos.client.terminals()).toEqual([]);
  });

  it("is signed, like prebinding, as the operator may require", async ({ expect }) => {
    const pos = await ScenePos.create();
    await operator("PATCH", `/operator/accounts/${pos.account.posId}`, { signedChanges: true });
    await pos.client.prebind(["t-1"]);
    expect(await pos.client.prebound()).toEqual(["t-1"]);
    await pos.client.unbind(pos.terminal.terminalId);
    expect(await pos.client.terminals()).toEqual([]);
  });

  it("is refused for a terminal that is not the account's", async ({ expect }) => {
    const pos = await ScenePos.create();
    expect(await failureOf(pos.client.unbind("somebody-elses"))).toMatchObject({ problem: { status: 404 } });
  });
});

describe("a bind key", () => {
  it("comes as text and as a picture", async ({ expect }) => {
    const pos = await ScenePos.create();
    expect((await pos.client.bindKey()).key).toMatch(/^[0-9A-Z]{8}$/u);
    const { image, expiresAt } = await pos.client.bindKeyImage();
    expect(Array.from(image.slice(0, 4))).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$/u);
  });
});

describe("a call that must not be made twice", () => {
  it("is not repeated once it may have arrived, and is repeated before", async ({ expect }) => {
    const pos = await ScenePos.create({ random: () => 0 });
    const add = () => pos.client.addWebhook("https://books.example/events");
    pos.onTheWayTo("/api/webhooks", ANSWER_LOST);
    expect(await failureOf(add())).toMatchObject({ kind: "unreachable" });
    expect(await pos.client.webhooks()).toHaveLength(1);
    pos.onTheWayTo("/api/webhooks", answered(429));
    await add();
    expect(await pos.client.webhooks()).toHaveLength(2);
  });
});
