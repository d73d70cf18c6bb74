import { describe, it, onTestFinished, vi } from "vitest";
import { withSignature } from "../../../../src/protocol/signing/signature.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { approved, reportedOpen, Scene, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

/** A Visa number of the schemes' tests: right range, right length, passes Luhn. */
const CARD = "4111111111111111";
const MASKED = "xxxxxxxxxxxx1111";

/** A sale whose result has these members; the answer, and the terminal's request. */
async function saleWith(here: Scene, members: object, transData: Record<string, unknown> = {}) {
  const connection = await here.connect();
  const body = here.pos.saleBody({}, transData);
  const answer = here.pos.transfer(body);
  const request = await connection.acceptNext();
  here.approve(connection, request, members);
  return { body, request, connection, answer: (await answer).body };
}

describe("a result", () => {
  it("has every member of the interface for a card, no other", async ({ expect }) => {
    const card = {
      paymentChannel: "VISA",
      transDateTime: "2026-11-20T18:15:00",
      invNo: "000042",
      batchNo: "000001",
      tid: "10000001",
      mid: "2000000002",
      rrn: "123456789012",
      apprCode: "123456",
      tvr: "0000008000",
      appCrypt: "1122334455667788",
      aid: "A0000000031010",
      cvmType: "02",
      cardLabel: "VISA CREDIT",
      cardHoldersName: "TAN/AH KOW",
    };
    const extra = { pan: CARD, track2: `${CARD}=2512`, expiry: "2512", unknown: { nested: true } };
    const transData = { ...card, cardNo: CARD, entryMode: "contact", ...extra };
    const { request, answer } = await saleWith(await scene(), { transData });
    expect(answer.transData).toEqual({
      ...card,
      cardNo: MASKED,
      entryMode: "Chip",
      transId: request.transId,
      transAmt: "12.50",
      currency: "MYR",
    });
  });

  it("is completed by the gateway if it comes without details", async ({ expect }) => {
    const here = await scene();
    const missing = {
      transData: undefined,
      responseText: undefined,
      softwareVersion: undefined,
      terminalSn: undefined,
    };
    const sale = await saleWith(here, missing, { metadata: "table 7" });
    expect(sale.answer.transData).toEqual({
      transId: sale.request.transId,
      transAmt: "12.50",
      currency: "MYR",
      // Noon in UTC plus eight: the account's own time.
      transDateTime: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T12:00:00$/),
      metadata: "table 7",
      paymentChannel: "",
      invNo: "",
      tid: "",
      mid: "",
    });
    expect(sale.answer).not.toHaveProperty("responseText");
    // As in the hello.
    expect(sale.answer).toMatchObject({ softwareVersion: "scripted-1.0", terminalSn: "SN-1" });
    expect((await here.journal())[0]?.outcome?.transData).toMatchObject({ transAmt: "12.50" });
    const { connection, answer, request } = await here.accepted({ softwareVersion: "" });
    connection.result(request, "11", { transData: undefined, softwareVersion: undefined });
    expect((await answer).body.softwareVersion).toBe("unknown");
    expect((await here.journal())[0]?.outcome).not.toHaveProperty("transData");
  });

  it("cannot change the sale's transId or metadata", async ({ expect }) => {
    const transData = { transId: "1", metadata: "forged", transAmt: "12.50", currency: "MYR" };
    const { request, answer } = await saleWith(await scene(), { transData }, { metadata: "mine" });
    expect(answer.transData).toMatchObject({ transId: request.transId, metadata: "mine" });
  });

  it("is truncated to the interface's lengths, counted in characters", async ({ expect }) => {
    const long = "😀".repeat(200);
    const transData = { paymentChannel: long, invNo: long, cvmType: long, cardLabel: long, transDateTime: "yesterday" };
    const { answer } = await saleWith(await scene(), {
      responseCode: long,
      responseText: long,
      softwareVersion: long,
      terminalSn: long,
      transData,
    });
    expect(answer).toMatchObject({
      responseCode: "😀".repeat(32),
      responseText: "😀".repeat(128),
      softwareVersion: "😀".repeat(40),
      terminalSn: "😀".repeat(40),
      transData: {
        paymentChannel: "😀".repeat(32),
        invNo: "😀".repeat(32),
        cardLabel: "😀".repeat(32),
        transDateTime: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T12:00:00$/),
      },
    });
  });

  it("is accepted with members of strange types and names", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    for (const entryMode of ["constructor", "__proto__", "toString", "Sideways", 5, null, ["Chip"]]) {
      const answer = here.pos.sale();
      const transData = { entryMode, invNo: 42, tid: { a: 1 }, cardNo: 5, transAmt: "", cashAmt: null, currency: null };
      here.approve(connection, await connection.acceptNext(), { transData });
      const { body } = await answer;
      expect(body.statusCode).toBe("00");
      expect(body.transData).toMatchObject({ invNo: "42", tid: "" });
      expect(body.transData).not.toHaveProperty("entryMode");
    }
  });
});

describe("a result's cvmType", () => {
  it.for([
    ["00", "00"],
    ["04", "04"],
    [2, "02"],
    [" 3 ", "03"],
    ["05", undefined],
    ["signature", undefined],
    ["constructor", undefined],
  ])("is returned for %j as %j", async ([cvmType, told], { expect }) => {
    const { answer } = await saleWith(await scene(), { transData: { cvmType, cardLabel: "VISA CREDIT" } });
    expect(answer.transData?.["cvmType"]).toBe(told);
    expect(answer.transData?.["cardLabel"]).toBe("VISA CREDIT");
  });
});

describe("a wallet's result", () => {
  const card = {
    cardNo: CARD,
    entryMode: "contact",
    rrn: "123456789012",
    apprCode: "123456",
    tvr: "0000008000",
    appCrypt: "1122334455667788",
    aid: "A0000000031010",
    cvmType: "02",
    cardLabel: "VISA CREDIT",
    cardHoldersName: "TAN/AH KOW",
  };
  const wallet = { paymentChannel: "GrabPay", invNo: "000042", batchNo: "000001", tid: "1", mid: "2" };
  const names = ["transId", "transAmt", "currency", "transDateTime", ...Object.keys(wallet)].toSorted();

  it("has no card members, whether approved, declined or voided", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const asked = { transData: { transAmt: "12.50", paymentMethod: "qrMerchScan" } };
    const transData = { ...wallet, ...card };
    for (const statusCode of ["11", "00"] as const) {
      const answer = here.pos.sale(asked);
      const request = await connection.acceptNext();
      if (statusCode === "00") here.approve(connection, request, { transData });
      else connection.result(request, "11", { transData });
      const { body } = await answer;
      expect(Object.keys(body.transData ?? {}).toSorted()).toEqual(names);
      expect(body.transData).toMatchObject(wallet);
      if (statusCode === "11") continue;
      const voided = here.pos.void(request.requestId);
      here.approve(connection, await connection.acceptNext(), { transData });
      expect(Object.keys((await voided).body.transData ?? {}).toSorted()).toEqual(names);
    }
  });
});

describe("a card number", () => {
  it("is masked in a text before it is stored or sent", async ({ expect }) => {
    const here = await scene();
    const spaced = "4111 1111 1111 1111";
    const { body, request, answer } = await saleWith(
      here,
      {
        responseText: `approved ${spaced}`,
        softwareVersion: `v ${CARD}`,
        terminalSn: CARD,
        transData: { cardLabel: `VISA ${CARD}`, cardHoldersName: CARD, rrn: CARD, mid: CARD },
      },
      { note: `card ${CARD}`, metadata: `m ${spaced}` },
    );
    expect(request.transData).toMatchObject({ note: `card ${MASKED}`, metadata: "m xxxx xxxx xxxx 1111" });
    expect(answer).toMatchObject({
      responseText: "approved xxxx xxxx xxxx 1111",
      softwareVersion: `v ${MASKED}`,
      terminalSn: MASKED,
      transData: {
        cardLabel: `VISA ${MASKED}`,
        cardHoldersName: MASKED,
        metadata: "m xxxx xxxx xxxx 1111",
        // Structured numbers keep their digits: one in ten of them passes the check by chance.
        rrn: CARD,
        mid: CARD,
      },
    });
    expect(JSON.stringify((await here.row(body["referenceId"])).outcome).replaceAll(`"${CARD}"`, "")).not.toContain(
      CARD,
    );
  });

  it("is masked in an operator's reason", async ({ expect }) => {
    const here = await scene();
    const sale = await reportedOpen(here, await here.connect());
    const resolved = await here.resolve(sale.request.requestId, "11", `host has no ${CARD}`);
    expect(resolved.status).toBe(200);
    expect((await here.pos.transfer(sale.body)).body.responseText).toBe(`host has no ${MASKED}`);
  });
});

describe("an unexpected or invalid result", () => {
  it("is logged with its request", async ({ expect }) => {
    const here = await scene();
    const lines: object[] = [];
    for (const method of ["log", "error"] as const) {
      const spy = vi.spyOn(console, method).mockImplementation((line) => void lines.push(JSON.parse(String(line))));
      onTestFinished(() => spy.mockRestore());
    }
    const { connection, request } = await here.accepted({ open: ["9100000000"] });
    const frame = connection.resultFrame(request.requestId, "22");
    connection.send({ ...frame, signature: "" });
    await connection.next("error");
    for (const more of [{ cvv: "737" }, {}, {}]) {
      connection.sendSigned({ ...frame, ...more });
      await connection.next("ack");
    }
    await here.connect({ open: [request.requestId] });
    const terminal = here.terminal.terminalId;
    const about = { transaction: Number(request.requestId), terminal };
    expect(lines.filter((line) => /"(?:result|unknown|sensitive)_/u.test(JSON.stringify(line)))).toMatchObject([
      { event: "unknown_requests_listed", terminal, detail: "1" },
      { event: "result_signature_rejected", ...about },
      { event: "sensitive_result_data_dropped", ...about },
    ]);
  });

  it("changes nothing with a wrong signature, and completes when signed correctly", async ({ expect }) => {
    const here = await scene();
    const { connection, referenceId, answer, request } = await here.accepted();
    const frame = connection.resultFrame(request.requestId, "11");
    for (const signature of ["0".repeat(64), "", "not hexadecimal"]) {
      connection.send({ ...frame, signature });
      expect(await connection.next("error")).toMatchObject({ code: "bad_signature", requestId: request.requestId });
    }
    // Signed for another outcome.
    const { signature } = withSignature(frame, here.terminal.secret);
    connection.send({ ...frame, statusCode: "00", signature });
    expect(await connection.next("error")).toMatchObject({ code: "bad_signature", requestId: request.requestId });
    expect((await here.row(referenceId)).outcome).toBeNull();
    connection.sendSigned(frame);
    expect(await connection.next("ack")).toMatchObject({ statusCode: "11" });
    expect((await answer).body.statusCode).toBe("11");
  });

  it("is answered unknown_request if the request was never sent there", async ({ expect }) => {
    const [here, there] = [await scene(), await scene()];
    const elsewhere = await there.connect();
    const sale = await reportedOpen(there, elsewhere);
    const connection = await here.connect();
    connection.result(sale.request, "00");
    expect(await connection.next("error")).toMatchObject({
      code: "unknown_request",
      requestId: sale.request.requestId,
    });
    expect((await there.row(sale.referenceId)).state).toBe("pending");
    // Nor one that it was never sent because it was offline.
    const unsent = here.pos.saleBody();
    await connection.lose();
    skip(60_000);
    expect((await here.pos.transfer(unsent)).body.responseCode).toBe("TERMINAL_OFFLINE");
    const { requestId } = await here.row(unsent["referenceId"]);
    const back = await here.connect({ open: [requestId] });
    expect(await back.frames()).toEqual([]);
    back.result({ requestId }, "00");
    expect(await back.next("error")).toMatchObject({ code: "unknown_request", requestId });
    expect((await here.pos.transfer(unsent)).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("is kept for the operator if the journal lacks its request", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await approved(here, connection);
    const requestId = "9876543210";
    const transData = { transAmt: "12.50", cardNo: CARD, apprCode: "A1B2C3", pan: CARD, cardHoldersName: CARD };
    for (let times = 0; times < 2; times++) {
      connection.result({ requestId }, "00", { responseText: `paid with ${CARD}`, transData });
      expect(await connection.next("error")).toMatchObject({ code: "unknown_request", requestId });
    }
    const kept = [
      {
        requestId,
        report: {
          statusCode: "00",
          transData: { cardNo: expect.stringMatching(/^x+[0-9]{4}$/u) as string, apprCode: "A1B2C3" },
          named: { transAmt: "12.50" },
        },
      },
    ];
    const orphanResults = await here.orphanResults();
    expect(orphanResults).toMatchObject(kept);
    expect(JSON.stringify(orphanResults)).not.toContain(CARD);
    await here.crash();
    expect(await here.orphanResults()).toEqual(orphanResults);
    // It is shown once, not with every page, and beside the transactions, not among them.
    expect(await here.orphanResults("?cursor=9999999999")).toEqual([]);
    expect(await here.journal()).toHaveLength(1);
  });
});
