/**
 * The simulated terminal at the real gateway; everything that it says and prints is shown in payments.test.ts. The behaviours that take the request's whole life (.83, .85) are shown at
 * the wire alone, in wire-faults.test.ts.
 */
import { describe, it } from "vitest";
import { operator } from "../../../support/gateway.ts";
import { Pos } from "../../../support/pos.ts";
import { connectedTerminal } from "../../../support/simulated-terminal.ts";

const CHANNEL = {
  name: `Wallet-${crypto.randomUUID().slice(0, 8)}`,
  settings: { status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logo.png" },
};

describe("the cents of a sale", () => {
  it.for([
    ["10.00", "00", "00"],
    ["10.05", "11", "05"],
    ["10.51", "11", "51"],
    ["10.54", "11", "54"],
    ["10.55", "11", "55"],
    ["10.57", "00", "00"],
    ["10.91", "11", "91"],
    ["10.86", "11", "TERMINAL_BUSY"],
    ["10.88", "11", "17"],
    ["10.81", "00", "00"],
    ["10.82", "00", "00"],
    ["10.84", "00", "00"],
  ] as const)(
    "make it, at %s, %s %s, and the ledger agrees",
    async ([transAmt, statusCode, responseCode], { expect }) => {
      const pos = await Pos.create();
      const terminal = await connectedTerminal(pos.terminal);
      const { status, body } = await pos.sale({}, { transAmt });
      expect(status).toBe(200);
      expect(body).toMatchObject({ statusCode, responseCode });
      const charges = terminal.ledger.of(pos.account.posId, body.referenceId);
      expect(charges.map((charge) => charge.transAmt)).toEqual(statusCode === "00" ? [transAmt] : []);
      await terminal.stop();
    },
  );

  it.for([
    ["10.22", "00"],
    ["10.23", "11"],
  ] as const)("make it pending at %s, and %s when asked again", async ([transAmt, outcome], { expect }) => {
    const pos = await Pos.create();
    const terminal = await connectedTerminal(pos.terminal);
    const referenceId = pos.reference();
    expect((await pos.sale({ referenceId }, { transAmt })).body).toMatchObject({
      statusCode: "22",
      responseCode: "09",
    });
    expect((await pos.sale({ referenceId }, { transAmt })).body.statusCode).toBe(outcome);
    expect(terminal.ledger.of(pos.account.posId, referenceId)).toHaveLength(outcome === "00" ? 1 : 0);
    await terminal.stop();
  });

  it("cause a wrong signature at .87, then an approval", async ({ expect }) => {
    const pos = await Pos.create();
    const events: string[] = [];
    const terminal = await connectedTerminal(pos.terminal, {
      onEvent: (event) => events.push(event.kind === "gateway-error" ? event.code : event.kind),
    });
    expect((await pos.sale({}, { transAmt: "10.87" })).body.statusCode).toBe("00");
    expect(events).toContain("bad_signature");
    await terminal.stop();
  });

  it("let the sale be cancelled at .89 while the customer hesitates", async ({ expect }) => {
    const pos = await Pos.create();
    const accepted = Promise.withResolvers<void>();
    const terminal = await connectedTerminal(pos.terminal, {
      onEvent: (event) => {
        if (event.kind === "accepted") accepted.resolve();
      },
    });
    const referenceId = pos.reference();
    const sale = pos.sale({ referenceId }, { transAmt: "10.89" });
    await accepted.promise;
    expect((await pos.cancel(referenceId)).body).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect((await sale).body.statusCode).toBe("11");
    expect(terminal.ledger.charges).toEqual([]);
    await terminal.stop();
  });
});

describe("an approved payment", () => {
  it("has the members of a card if one is tapped", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await connectedTerminal(pos.terminal);
    const { transData } = (await pos.sale({}, { metadata: "table 4" })).body;
    expect(transData).toMatchObject({
      paymentChannel: "VISA",
      transAmt: "12.50",
      currency: "MYR",
      cardNo: expect.stringMatching(/^x+1111$/u),
      entryMode: "Contactless",
      cvmType: "00",
      invNo: "000001",
      metadata: "table 4",
    });
    expect(transData?.["transDateTime"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/u);
    await terminal.stop();
  });

  it.for([
    ["shows", { paymentMethod: "qrMerchScan" }, "Boost"],
    ["scans", { paymentMethod: "qrCustScan", paymentChannel: CHANNEL.name }, CHANNEL.name],
  ] as const)("has no card members by wallet whose customer %s a code", async (scene, { expect }) => {
    const [, members, channel] = scene;
    await operator("PUT", `/operator/channels/${CHANNEL.name}`, CHANNEL.settings);
    const pos = await Pos.create();
    const terminal = await connectedTerminal(pos.terminal, { customer: async () => ({ wallet: "Boost" }) });
    const { transData } = (await pos.sale({}, members)).body;
    expect(transData?.["paymentChannel"]).toBe(channel);
    for (const member of ["cardNo", "entryMode", "aid", "apprCode", "rrn"])
      expect(transData).not.toHaveProperty(member);
    await terminal.stop();
  });

  it("charges both amounts with cash out", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await connectedTerminal(pos.terminal);
    const cashOut = pos.body("cashOut", {
      transData: { transAmt: "50.00", cashAmt: "100.00", paymentMethod: "bankCard" },
    });
    const { transData } = (await pos.transfer(cashOut)).body;
    expect(transData).toMatchObject({ transAmt: "50.00", cashAmt: "100.00", entryMode: "Chip" });
    expect(terminal.ledger.charges).toMatchObject([{ transAmt: "50.00", cashAmt: "100.00" }]);
    await terminal.stop();
  });

  it("arrives over a slow connection too", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await connectedTerminal(pos.terminal, { latency: 50 });
    expect((await pos.sale()).body.statusCode).toBe("00");
    await terminal.stop();
  });

  it("can be voided once", async ({ expect }) => {
    const pos = await Pos.create();
    const terminal = await connectedTerminal(pos.terminal);
    const transId = (await pos.sale()).body.transData?.["transId"];
    const voided = (await pos.void(transId)).body;
    expect(voided).toMatchObject({ statusCode: "00", transData: { transId, transAmt: "12.50" } });
    expect(terminal.ledger.charges).toMatchObject([{ transId, voidedBy: expect.any(String) }]);
    expect((await pos.void(transId)).body).toMatchObject({ statusCode: "11", responseCode: "ALREADY_VOIDED" });
    await terminal.stop();
  });
});

describe("a terminal that was switched off while the host processed a payment", () => {
  it("completes the payment first, and reports it when it is on again", async ({ expect }) => {
    const pos = await Pos.create();
    const authorising = Promise.withResolvers<void>();
    const terminal = await connectedTerminal(pos.terminal, {
      pace: 300,
      onStage: (_, stage) => {
        if (stage === "authorising") authorising.resolve();
      },
    });
    const answer = pos.sale();
    await authorising.promise;
    await terminal.stop();
    // Nothing is charged after this.
    expect(terminal.ledger.charges).toHaveLength(1);
    await terminal.start();
    expect((await answer).body.statusCode).toBe("00");
    expect(terminal.ledger.charges).toHaveLength(1);
    await terminal.stop();
  });
});

describe("a power cut", () => {
  it("ends the sale as 11 before the card, charging nothing", async ({ expect }) => {
    const pos = await Pos.create();
    const accepted = Promise.withResolvers<void>();
    const terminal = await connectedTerminal(pos.terminal, {
      onEvent: (event) => {
        if (event.kind === "accepted") accepted.resolve();
      },
      behaviourOf: () => ({ kind: "slow", milliseconds: 60_000 }),
    });
    const sale = pos.sale();
    await accepted.promise;
    terminal.powerCut();
    await terminal.start();
    expect((await sale).body).toMatchObject({ statusCode: "11", responseCode: "RESTARTED" });
    expect(terminal.ledger.charges).toEqual([]);
    await terminal.stop();
  });

  it("is resolved with the host as 00 after the charge", async ({ expect }) => {
    const pos = await Pos.create();
    const printed = Promise.withResolvers<void>();
    const terminal = await connectedTerminal(pos.terminal, { onReceipt: () => printed.resolve() });
    // The host has approved; the result has not been stored yet.
    void printed.promise.then(() => terminal.powerCut());
    const referenceId = pos.reference();
    const sale = pos.sale({ referenceId }, { printCount: 1 });
    await printed.promise;
    await terminal.start();
    expect((await sale).body.statusCode).toBe("00");
    expect(terminal.ledger.of(pos.account.posId, referenceId)).toHaveLength(1);
    // Once when it was charged, once when it was cleared up: the power did go in between.
    expect(terminal.receipts).toHaveLength(2);
    await terminal.stop();
  });
});
