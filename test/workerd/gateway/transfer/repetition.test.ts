import { describe, it } from "vitest";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { bind, accessToken, createAccount, enrolTerminal, operator, uniqueId } from "../../../support/gateway.ts";
import { Scene, setChannel, ScenePos, useAccount } from "../../../support/scene.ts";
import type { RequestFrame } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const MINUTE = 60_000;

/** A scene with one transaction of these members, which was approved. */
async function approved(here: Scene, body: Record<string, unknown>): Promise<RequestFrame> {
  const connection = await here.connect();
  const answer = here.pos.transfer(body);
  const request = await connection.acceptNext();
  here.approve(connection, request);
  await answer;
  return request;
}

describe("a referenceId that is used again on its device", () => {
  const other: { name: string; transData?: Record<string, unknown>; transType?: string }[] = [
    { name: "another amount", transData: { transAmt: "12.51", paymentMethod: "bankCard" } },
    { name: "another payment method", transData: { transAmt: "12.50", paymentMethod: "qrMerchScan" } },
    {
      name: "another type",
      transType: "cashOut",
      transData: { transAmt: "12.50", cashAmt: "10.00", paymentMethod: "bankCard" },
    },
    { name: "a void's terms", transType: "void", transData: { transId: "1000000001" } },
  ];
  for (const { name, ...members } of other) {
    it(`is refused with 40009 and sends nothing with ${name}`, async ({ expect }) => {
      const here = await scene();
      const body = here.pos.saleBody();
      await approved(here, body);
      const connection = await here.connect();
      const answer = await here.pos.transfer({ ...body, ...members });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 40009, error: "invalid_request" });
      expect(answer.body.details?.[0]?.path).toBe("referenceId");
      expect(await connection.frames()).toEqual([]);
      expect((await here.pos.transfer(body)).body.statusCode).toBe("00");
    });
  }

  it("is the same request with everything else different", async ({ expect }) => {
    const here = await scene();
    const transData = { transAmt: "12.50", paymentMethod: "bankCard" };
    const body = here.pos.saleBody({ referenceLabel: "Bill" }, { note: "one", metadata: "first", printCount: 1 });
    await approved(here, body);
    const first = await here.pos.transfer(body);
    const again = await here.pos.transfer({
      ...body,
      merchantId: "somebody-else",
      referenceLabel: "Order",
      unknown: ["fields", { are: "ignored" }],
      transData: { ...transData, note: "two", metadata: "second", printCount: "2", productIndex: "7", extra: 1 },
    });
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(first.body.transData?.["metadata"]).toBe("first");
  });

  it("is a different reference for another account", async ({ expect }) => {
    const here = await scene();
    const body = here.pos.saleBody();
    await approved(here, body);
    const there = await Scene.alone();
    const connection = await there.connect();
    const answer = there.pos.sale({ referenceId: body["referenceId"] });
    there.approve(connection, await connection.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });
});

describe("a referenceId on another device of the account", () => {
  it("is refused with 40009, and leaves no claim anywhere", async ({ expect }) => {
    const here = await scene();
    const nextDoor = await here.nextDoor();
    const body = here.pos.saleBody();
    await approved(here, body);
    const moved = { ...body, deviceId: nextDoor.terminal.terminalId };
    for (let time = 0; time < 2; time++) {
      const answer = await nextDoor.transfer(moved);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe(40009);
      expect(answer.body.details?.[0]?.message).toContain(here.terminal.terminalId);
    }
    const naming = nextDoor.body("inquiry", { transData: { referenceId: body["referenceId"] } });
    expect((await nextDoor.transfer(naming)).body.code).toBe(40009);
    expect((await nextDoor.cancel(String(body["referenceId"]))).body.code).toBe(40009);
    expect((await here.pos.transfer(body)).body.statusCode).toBe("00");
  });

  it("is free for an inquiry's own reference, which claims nothing", async ({ expect }) => {
    const here = await scene();
    const nextDoor = await here.nextDoor();
    const referenceId = here.pos.reference();
    expect((await here.pos.inquiry(undefined, { referenceId })).body.code).toBe(40004);
    expect((await here.pos.getLast({ referenceId })).body.code).toBe(40004);
    expect((await nextDoor.sale({ referenceId })).body.responseCode).toBe("TERMINAL_OFFLINE");
  });
});

describe("a message that is refused with 400", () => {
  const refused: {
    name: string;
    send: (pos: ScenePos, body: Record<string, unknown>) => Promise<{ status: number }>;
  }[] = [
    { name: "another merchantId", send: (pos, body) => pos.transfer({ ...body, merchantId: "somebody-else" }) },
    { name: "an old datetime", send: (pos, body) => pos.transfer({ ...body, datetime: "20200101000000" }) },
    {
      name: "an unknown channel",
      send: (pos, body) =>
        pos.transfer({
          ...body,
          transData: { transAmt: "1.00", paymentMethod: "qrCustScan", paymentChannel: "No such wallet" },
        }),
    },
    {
      name: "an inquiry with an old datetime",
      send: (pos, { referenceId }) => pos.inquiry({ referenceId }, { datetime: "20200101000000" }),
    },
    {
      name: "a cancel with an old datetime",
      send: (pos, { referenceId }) => pos.cancel(String(referenceId), { datetime: "20200101000000" }),
    },
  ];
  // A claim is never taken back: one too many refuses, one too few pays twice.
  for (const { name, send } of refused) {
    it(`leaves its reference with the device that it was for (${name})`, async ({ expect }) => {
      const here = await scene();
      const nextDoor = await here.nextDoor();
      const body = here.pos.saleBody();
      expect((await send(here.pos, body)).status).toBe(400);
      const elsewhere = await nextDoor.sale({ referenceId: body["referenceId"] });
      expect(elsewhere.body.code).toBe(40009);
      expect(elsewhere.body.details?.[0]?.message).toContain(here.terminal.terminalId);
      expect((await here.pos.transfer(body)).body.responseCode).toMatch(/^(TERMINAL_OFFLINE|CANCELLED)$/);
    });
  }

  it("claims nothing if the signature is wrong", async ({ expect }) => {
    const here = await scene();
    const nextDoor = await here.nextDoor();
    const body = here.pos.saleBody();
    const forged = { ...here.pos.sign(body), signature: "0".repeat(64) };
    expect((await here.pos.transfer(body, { body: forged })).status).toBe(400);
    const elsewhere = await nextDoor.sale({ referenceId: body["referenceId"] });
    expect(elsewhere.body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("claims nothing if the terminal was never bound", async ({ expect }) => {
    const here = await scene();
    const unbound = here.pos.at(await enrolTerminal());
    const body = unbound.saleBody();
    expect((await unbound.transfer(body)).status).toBe(400);
    const answer = await here.pos.sale({ referenceId: body["referenceId"] });
    expect(answer.body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("does nothing to the transaction under its reference", async ({ expect }) => {
    const here = await scene();
    const nextDoor = await here.nextDoor();
    const body = here.pos.saleBody();
    await approved(here, body);
    for (const { send } of refused) await send(here.pos, body);
    await here.pos.transfer({ ...body, transData: { transAmt: "99.00", paymentMethod: "bankCard" } });
    expect((await nextDoor.sale({ referenceId: body["referenceId"] })).body.code).toBe(40009);
    expect((await here.pos.transfer(body)).body.statusCode).toBe("00");
  });
});

describe("a request that is new to the terminal's object", () => {
  it("is refused for another account's merchantId", async ({ expect }) => {
    const { pos } = await scene();
    const { status, body } = await pos.sale({ merchantId: "somebody-else" });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: "merchantId" }]);
  });

  it("is refused for a posId that is not the token's", async ({ expect }) => {
    const here = await scene();
    const account = await createAccount();
    const body = here.pos.saleBody({ posId: account.posId });
    const answer = await here.pos.transfer(body);
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject([{ path: "posId" }]);
    const token = await accessToken(account);
    const terminal = await enrolTerminal();
    await bind(token, terminal);
    const theirs = new ScenePos(account, terminal, token, here.books);
    expect((await theirs.sale({ referenceId: body["referenceId"] })).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  for (const [name, terminalId] of [
    ["that does not exist", async () => "no-such-terminal"],
    ["of somebody else", async () => (await Scene.alone()).terminal.terminalId],
    ["that is bound to nobody", async () => (await enrolTerminal()).terminalId],
  ] as const) {
    it(`is refused in the same words for a device ${name}`, async ({ expect }) => {
      const { pos } = await scene();
      const { status, body } = await pos.sale({ deviceId: await terminalId() });
      expect(status).toBe(400);
      expect(body.details).toHaveLength(1);
      expect(body.details?.[0]?.path).toBe("deviceId");
      expect(body.details?.[0]?.message).toMatch(/^The account has no such terminal/);
    });
  }

  it("is refused for a datetime more than 15 minutes off", async ({ expect }) => {
    const { pos } = await scene();
    const body = pos.saleBody();
    skip(15 * MINUTE);
    const inTime = await (await fresh(pos)).transfer(body);
    expect(inTime.body.responseCode).toBe("TERMINAL_OFFLINE");
    const late = (await fresh(pos)).saleBody();
    skip(15 * MINUTE + 1_000);
    const { status, body: told } = await (await fresh(pos)).transfer(late);
    expect(status).toBe(400);
    expect(told.details?.[0]?.path).toBe("datetime");
    expect(told.details?.[0]?.message).toMatch(/901 seconds behind.*UTC/);
    const early = { ...(await fresh(pos)).saleBody(), datetime: "20991231235959" };
    expect((await (await fresh(pos)).transfer(early)).body.details?.[0]?.message).toMatch(/ahead of.*UTC/);
  });

  it("is CHANNEL_INACTIVE if its channel is off or lacks the currency", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const [off, foreign] = [uniqueId("Off"), uniqueId("Foreign")];
    await setChannel(off, 0);
    await setChannel(foreign, 1, ["SGD", "THB"]);
    for (const paymentChannel of [off, foreign]) {
      const { status, body } = await here.pos.sale({}, { paymentMethod: "qrCustScan", paymentChannel });
      expect(status).toBe(200);
      expect(body).toMatchObject({ statusCode: "11", responseCode: "CHANNEL_INACTIVE" });
    }
    expect(await connection.frames()).toEqual([]);
  });

  it("is refused for an unknown channel, naming those that exist", async ({ expect }) => {
    const here = await scene();
    const [good, off] = [`Touch 'n Go ${uniqueId("W")}`.slice(0, 32), uniqueId("Off")];
    await setChannel(good, 1);
    await setChannel(off, 0);
    const { status, body } = await here.pos.sale({}, { paymentMethod: "qrCustScan", paymentChannel: "Nope" });
    expect(status).toBe(400);
    expect(body.details?.[0]?.path).toBe("transData.paymentChannel");
    expect(body.details?.[0]?.message).toContain(good);
    expect(body.details?.[0]?.message).not.toContain(off);
    const answer = here.pos.sale({}, { paymentMethod: "qrCustScan", paymentChannel: good });
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("is refused at a retired terminal, whose transactions stay accessible", async ({ expect }) => {
    const here = await scene();
    const body = here.pos.saleBody();
    const { requestId } = await approved(here, body);
    await operator("DELETE", `/operator/terminals/${here.terminal.terminalId}`);
    const again = await here.pos.transfer(body);
    expect(again.body).toMatchObject({ statusCode: "00", transData: { transId: requestId } });
    expect((await here.pos.inquiry({ transId: requestId })).body.statusCode).toBe("00");
    expect((await here.pos.getLast()).body.originalReferenceId).toBe(body["referenceId"]);
    expect((await here.pos.cancel(String(body["referenceId"]))).body.statusCode).toBe("00");
    expect((await here.pos.sale()).body.details?.[0]?.path).toBe("deviceId");
  });
});

/** The POS with a token of now. */
async function fresh(pos: ScenePos): Promise<ScenePos> {
  return new ScenePos(pos.account, pos.terminal, await accessToken(pos.account), pos.books);
}
