/** The simulated terminal at a gateway that only plays one: everything that its results, its screen and its receipts say. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { Stage, TerminalResult } from "../../../../src/sdk/client/terminal.ts";
import { Ledger } from "../../../../src/sdk/simulator/ledger.ts";
import { CUSTOMER_CANCELLED } from "../../../../src/sdk/simulator/payments.ts";
import { SimulatedTerminal, type SimulatedTerminalOptions } from "../../../../src/sdk/simulator/simulated-terminal.ts";
import type { Presented } from "../../../../src/sdk/simulator/payment-means.ts";
import { type Frame, ScriptedGateway, SECRET, type ScriptedConnection } from "../../../support/scripted-gateway.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.UTC(2026, 10, 20, 18, 4, 7));
});

afterEach(() => {
  vi.useRealTimers();
});

/** A terminal that is connected, and what its screen shows. */
async function switchedOn(options: Partial<SimulatedTerminalOptions> = {}, welcome: object = {}) {
  const gateway = new ScriptedGateway();
  const stages: Stage[] = [];
  const terminal = new SimulatedTerminal({
    baseUrl: "https://gateway.test",
    terminalId: "T-1",
    secret: SECRET,
    openSocket: gateway.openSocket,
    fetch: gateway.fetch,
    reconnect: { first: 0, longest: 0 },
    onStage: (_, stage) => stages.push(stage),
    onEvent: (event) => gateway.events.push(event),
    ...options,
  });
  await terminal.switchOn();
  const connection = await gateway.connection();
  await connection.greet(welcome);
  await terminal.client.connected();
  return { gateway, terminal, connection, stages };
}

let lastNumber = 1_000_000_000;

/** Its result. */
async function paid(connection: ScriptedConnection, members: object = {}): Promise<Frame> {
  const requestId = String(++lastNumber);
  await connection.request({ requestId, transId: requestId, ...members });
  return connection.frame("result");
}

const sale = (transData: object = {}) => ({
  transData: { transAmt: "12.50", paymentMethod: "bankCard", ...transData },
});
const cashOut = {
  transType: "cashOut",
  transData: { transAmt: "50.00", cashAmt: "100.05", paymentMethod: "bankCard" },
};
const read = (entryMode: string, cvmType: string) => ({ entryMode, cvmType, cardHoldersName: "TEST CARD/SIMULATED" });
const onHost = (rrn: string) => ({ rrn: `00${rrn}`, apprCode: `S${rrn.slice(-5)}` });

const emv = (tvr: string, aid: string, cardLabel: string, rrn: string) => ({
  tvr,
  aid,
  cardLabel,
  appCrypt: `FACADE00${rrn.slice(-8)}`,
});

const visa = { paymentChannel: "VISA", cardNo: "xxxxxxxxxxxx1111" };
const mastercard = { paymentChannel: "MASTERCARD", cardNo: "xxxxxxxxxxxx4444" };
const myDebit = { paymentChannel: "MyDebit", cardNo: "xxxxxxxxxxxxxxx0019" };
const visaChip = (rrn: string) => emv("0000048000", "A0000000031010", "VISA CREDIT", rrn);

describe("the result of a payment", () => {
  it.for<[string, Presented, object, Stage[], (rrn: string) => object]>([
    [
      "a tap",
      {},
      sale(),
      ["reading"],
      (rrn) => ({
        ...visa,
        ...read("Contactless", "00"),
        ...emv("0000000000", "A0000000031010", "VISA CREDIT", rrn),
        ...onHost(rrn),
      }),
    ],
    [
      "a tap of the largest amount for one",
      {},
      sale({ transAmt: "250.00" }),
      ["reading"],
      (rrn) => ({ ...visa, ...read("Contactless", "00"), ...visaChip(rrn), tvr: "0000000000", ...onHost(rrn) }),
    ],
    [
      "a tap of more, which needs chip and PIN",
      { entry: "contactless" },
      sale({ transAmt: "250.01" }),
      ["reading", "pin"],
      (rrn) => ({ ...visa, ...read("Chip", "02"), ...visaChip(rrn), ...onHost(rrn) }),
    ],
    [
      "a chip",
      { card: "MASTERCARD", entry: "chip" },
      sale(),
      ["reading", "pin"],
      (rrn) => ({
        ...mastercard,
        ...read("Chip", "02"),
        ...emv("0000048000", "A0000000041010", "MASTERCARD", rrn),
        ...onHost(rrn),
      }),
    ],
    [
      "a stripe",
      { entry: "swipe" },
      sale({ transAmt: "250.01" }),
      ["reading"],
      (rrn) => ({ ...visa, ...read("Magstripe", "01"), ...onHost(rrn) }),
    ],
    [
      "a number keyed in",
      { entry: "manual" },
      sale(),
      ["reading"],
      (rrn) => ({ ...visa, ...read("Manual", "00"), ...onHost(rrn) }),
    ],
    [
      "a stripe whose chip failed",
      { entry: "fallback" },
      sale(),
      ["reading"],
      (rrn) => ({ ...visa, ...read("Fallback", "01"), ...onHost(rrn) }),
    ],
    [
      "a domestic card with cash",
      {},
      cashOut,
      ["reading", "pin"],
      (rrn) => ({
        ...myDebit,
        ...read("Chip", "02"),
        ...emv("0000048000", "A0000006150001", "MYDEBIT", rrn),
        ...onHost(rrn),
      }),
    ],
    [
      "a code that is shown",
      {},
      sale({ paymentMethod: "qrMerchScan" }),
      ["scan"],
      () => ({ paymentChannel: "GrabPay" }),
    ],
    [
      "the code of the customer's own wallet",
      { wallet: "Boost" },
      sale({ paymentMethod: "qrMerchScan" }),
      ["scan"],
      () => ({ paymentChannel: "Boost" }),
    ],
    [
      "a code that is scanned",
      { wallet: "Boost" },
      sale({ paymentMethod: "qrCustScan", paymentChannel: "Touch" }),
      ["scan"],
      () => ({ paymentChannel: "Touch" }),
    ],
    [
      "a code of no named wallet",
      {},
      sale({ paymentMethod: "qrCustScan" }),
      ["scan"],
      () => ({ paymentChannel: "GrabPay" }),
    ],
  ])("is complete when it is paid by %s", async ([, presented, members, read_, details], { expect }) => {
    const { terminal, connection, stages } = await switchedOn({ customer: async () => presented });
    const result = await paid(connection, members);
    const rrn = String(lastNumber);
    const { transAmt, cashAmt } = (members as typeof cashOut).transData;
    expect(result).toEqual({
      type: "result",
      requestId: rrn,
      statusCode: "00",
      responseCode: "00",
      responseText: "Approved.",
      softwareVersion: "simulator 1",
      terminalSn: "SIM-T-1",
      signature: expect.any(String),
      transData: {
        transId: rrn,
        transAmt,
        ...("transType" in members ? { cashAmt } : {}),
        currency: "MYR",
        transDateTime: "2026-11-21T02:04:07",
        invNo: "000001",
        batchNo: "000001",
        tid: "T-1",
        mid: "M-1",
        ...details(rrn),
      },
    });
    expect(stages).toEqual(["present", ...read_, "authorising", "printing"]);
    await terminal.stop();
  });

  it("has the POS's metadata, UTC time and ids that fit", async ({ expect }) => {
    const terminalId = `T-${"7".repeat(60)}`;
    const merchantId = `M-${"8".repeat(60)}`;
    const { terminal, connection } = await switchedOn({ terminalId }, { timezone: null, merchantId });
    const result = await paid(connection, { merchantId, ...sale({ metadata: "table 4" }) });
    expect(result["terminalSn"]).toBe(`SIM-${terminalId}`.slice(0, 40));
    expect(result["transData"]).toMatchObject({
      metadata: "table 4",
      transDateTime: "2026-11-20T18:04:07",
      tid: "7".repeat(32),
      mid: `M-${"8".repeat(30)}`,
    });
    await terminal.stop();
  });

  it.for<[string, string, string, object, Presented]>([
    [
      "57",
      "a foreign card with cash",
      "This card does not support cash out.",
      cashOut,
      { card: "VISA", entry: "chip" },
    ],
    ["57", "cash without a PIN", "This card does not support cash out.", cashOut, { card: "MyDebit", entry: "swipe" }],
    [
      "57",
      "a foreign card with cash whose payment would be pending",
      "This card does not support cash out.",
      { ...cashOut, transData: { ...cashOut.transData, transAmt: "50.22" } },
      { card: "VISA", entry: "chip" },
    ],
    [
      "57",
      "a card outside the promotion",
      "This card does not take part in the promotion.",
      sale({ transAmt: "1.57", promoSale: "01" }),
      {},
    ],
    ["05", "a declined card", "Declined by the issuer.", sale({ transAmt: "1.05" }), {}],
    ["17", "a customer who walks away", "The customer cancelled.", sale({ transAmt: "1.88" }), {}],
    [
      "25",
      "a void of nothing",
      "There is no approved transaction to void.",
      { transType: "void", transId: "1000000000", transData: { transId: "1000000000" } },
      {},
    ],
  ])("is 11 with %s for %s, and nothing is charged", async ([code, , text, members, presented], { expect }) => {
    const { terminal, connection } = await switchedOn({ customer: async () => presented });
    const { statusCode, responseCode, responseText, transData } = await paid(connection, members);
    expect([statusCode, responseCode]).toEqual(["11", code]);
    // As real terminals do.
    expect(transData).toEqual({ invNo: "000001", tid: expect.any(String), mid: "M-1" });
    expect(responseText).toContain(text);
    expect([terminal.ledger.charges, terminal.receipts]).toEqual([[], []]);
    await terminal.stop();
  });
});

describe("a PIN", () => {
  const wrong: Stage[] = ["pin", "authorising"];

  it.for<[string, ("right" | "wrong" | TerminalResult)[], string, Stage[]]>([
    ["right at once", ["right"], "00", ["pin", "authorising", "printing"]],
    ["right at last", ["wrong", "wrong", "right"], "00", [...wrong, ...wrong, "pin", "authorising", "printing"]],
    ["wrong three times", ["wrong", "wrong", "wrong"], "75", [...wrong, ...wrong, ...wrong]],
    ["given up", ["wrong", CUSTOMER_CANCELLED], "17", [...wrong, "pin"]],
  ])("is checked by the host each time: %s", async ([, entered, code, shown], { expect }) => {
    const asked: number[] = [];
    const ledger = new Ledger();
    const { terminal, connection, stages } = await switchedOn({
      ledger,
      customer: async () => ({ entry: "chip" }),
      pin: async (_, times) => {
        asked.push(times);
        return entered[times] ?? "right";
      },
    });
    const { statusCode, responseCode } = await paid(connection);
    expect([statusCode, responseCode]).toEqual([code === "00" ? "00" : "11", code]);
    expect([asked, stages]).toEqual([[...entered.keys()], ["present", "reading", ...shown]]);
    expect(ledger.charges).toHaveLength(code === "00" ? 1 : 0);
    expect(terminal.ledger).toBe(ledger);
    await terminal.stop();
  });
});

describe("each stage of a payment", () => {
  it("takes its time, which a cancel cuts short", async ({ expect }) => {
    const asked: Stage[] = [];
    const { terminal, connection } = await switchedOn({
      customer: async () => ({ entry: "chip" }),
      pace: (_, stage) => {
        asked.push(stage);
        // The second payment is never done with the card.
        return stage === "reading" && asked.length > 4 ? 2 ** 30 : 0;
      },
    });
    expect(await paid(connection)).toMatchObject({ statusCode: "00" });
    expect(asked).toEqual(["present", "reading", "pin", "authorising"]);
    const requestId = String(++lastNumber);
    await connection.request({ requestId, transId: requestId });
    await connection.frames.take(
      "reading",
      ({ requestId: about, stage }) => about === requestId && stage === "reading",
    );
    connection.sendFrame({ type: "cancel", requestId, attempt: 1 });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    // The end of this stage is not waited for.
    expect(asked.slice(4)).toEqual(["present", "reading", "pin"]);
    await terminal.stop();
  });
});

describe("a void", () => {
  it("has the sale's details, and reverses no more than once", async ({ expect }) => {
    const { terminal, connection, stages } = await switchedOn();
    const sold = (await paid(connection, sale({ printCount: 0 })))["transData"] as Frame;
    vi.setSystemTime(Date.UTC(2026, 10, 20, 19));
    stages.length = 0;
    const transData = { transId: sold["transId"], printCount: 1 };
    const reversed = await paid(connection, { transType: "void", transId: sold["transId"], transData });
    expect(reversed).toMatchObject({ statusCode: "00", transData: { ...sold, transDateTime: "2026-11-21T03:00:00" } });
    expect(stages).toEqual(["present", "authorising", "printing"]);
    expect(terminal.receipts).toEqual([expect.stringContaining("VOID  2026-11-21 03:00:00\n")]);
    expect(await paid(connection, { transType: "void", transId: sold["transId"], transData })).toMatchObject({
      statusCode: "11",
      responseCode: "25",
    });
    await terminal.stop();
  });
});

describe("a receipt", () => {
  it("says what was paid, how, and for what", async ({ expect }) => {
    const printed: string[] = [];
    const { terminal, connection } = await switchedOn({ onReceipt: (text) => printed.push(text) });
    await paid(connection, { referenceLabel: "Bill", ...sale({ note: "Two coffees" }) });
    const first = String(lastNumber);
    await paid(connection, cashOut);
    const second = String(lastNumber);
    const head = "SIMULATED TERMINAL, NO REAL PAYMENT";
    const bill = [
      head,
      "SALE  2026-11-21 02:04:07",
      "TID T-1  MID M-1",
      "INV 000001  BATCH 000001",
      "VISA  xxxxxxxxxxxx1111  Contactless",
      "MYR 12.50",
      `APPROVAL S${first.slice(-5)}`,
      "Bill: R-1",
      `TRANS ID ${first}`,
      "Two coffees",
    ];
    const cash = [
      head,
      "CASHOUT  2026-11-21 02:04:07",
      "TID T-1  MID M-1",
      "INV 000002  BATCH 000001",
      "MyDebit  xxxxxxxxxxxxxxx0019  Chip",
      "MYR 50.00",
      "CASH OUT MYR 100.05",
      "TOTAL MYR 150.05",
      `APPROVAL S${second.slice(-5)}`,
      "POS Ref: R-1",
      `TRANS ID ${second}`,
    ];
    expect(printed).toEqual([
      [...bill, "MERCHANT COPY"].join("\n"),
      [...bill, "CUSTOMER COPY"].join("\n"),
      [...cash, "MERCHANT COPY"].join("\n"),
      [...cash, "CUSTOMER COPY"].join("\n"),
    ]);
    expect(terminal.receipts).toEqual(printed);
    await terminal.stop();
  });

  it.for([
    [0, []],
    [1, ["MERCHANT COPY"]],
    [2, ["MERCHANT COPY", "CUSTOMER COPY"]],
  ] as [number, string[]][])("comes in %i copies for a wallet, if wanted", async ([count, copies], { expect }) => {
    const { terminal, connection } = await switchedOn();
    await paid(connection, sale({ paymentMethod: "qrMerchScan", printCount: count }));
    expect(terminal.receipts.map((text) => text.split("\n").at(-1))).toEqual(copies);
    for (const text of terminal.receipts) {
      expect(text).toContain("\nGrabPay\nMYR 12.50\nPOS Ref: R-1\n");
    }
    await terminal.stop();
  });
});
