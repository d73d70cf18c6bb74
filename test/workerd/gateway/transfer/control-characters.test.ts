/**
 * Characters that control a printer or a display: refused from a POS and an operator, removed from a terminal's report.
 */
import { describe, it } from "vitest";
import { OPERATOR_TOKEN, call } from "../../../support/gateway.ts";
import { useAccount } from "../../../support/scene.ts";

const scene = useAccount();

/** ESC p 0 opens the cash drawer of most receipt printers. */
const OPENS_DRAWER = "\u001bp0\u0019\u00fa";

const CONTROLS = [
  "\u0000",
  "\u0007",
  "\t",
  "\r",
  "\u001b",
  "\u001d",
  "\u007f",
  "\u0085",
  "\u009b",
  "\u200e",
  "\u200f",
  "\u2028",
  "\u202a",
  "\u202e",
  "\u2066",
  "\u2069",
];

describe("a control character in a request", () => {
  it("is refused in every text, naming the field", async ({ expect }) => {
    const { pos } = await scene();
    for (const [path, members, transData] of [
      ["transData.note", {}, { note: OPENS_DRAWER }],
      ["transData.metadata", {}, { metadata: "one\ntwo" }],
      ["transData.productIndex", {}, { productIndex: "\u202e" }],
      ["transData.promoSale", {}, { promoSale: "\u0000" }],
      ["referenceLabel", { referenceLabel: "a\u2066b" }, {}],
      ["referenceId", { referenceId: "R\u200f1" }, {}],
      ["merchantId", { merchantId: "M\u001d" }, {}],
      ["transData.paymentChannel", {}, { paymentMethod: "qrCustScan", paymentChannel: "A\u202eB" }],
    ] as const) {
      const { status, body } = await pos.sale(members, transData);
      expect([status, body.details?.map((problem) => problem.path)]).toEqual([400, [path]]);
    }
  });

  it("is refused in a note and in metadata, whichever character it is", async ({ expect }) => {
    const { pos } = await scene();
    for (const control of CONTROLS) {
      const { status, body } = await pos.sale({}, { note: `a${control}b`, metadata: `a${control}b` });
      const paths = body.details?.map((problem) => problem.path);
      expect([control, status, paths]).toEqual([control, 400, ["transData.note", "transData.metadata"]]);
    }
  });

  it("may be a line feed in a note, which reaches the terminal", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.pos.sale({}, { note: "two\nlines" });
    const request = await connection.acceptNext();
    expect(request.transData).toMatchObject({ note: "two\nlines" });
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("is refused in an operator's texts", async ({ expect }) => {
    const { terminal, pos } = await scene();
    const path = `/operator/terminals/${terminal.terminalId}/transactions/1000000000/resolve`;
    for (const [method, target, field, body] of [
      ["POST", path, "reason", { statusCode: "11", reason: `completed${OPENS_DRAWER}` }],
      ["PATCH", `/operator/accounts/${pos.account.posId}`, "name", { name: "shop\u202e" }],
      ["POST", "/operator/terminals", "name", { terminalId: "T-CONTROL", isVT: 0, name: "front\ndesk" }],
    ] as const) {
      const { status, body: answer } = await call(method, target, { token: OPERATOR_TOKEN, body });
      expect([status, (answer as { details?: { path: string }[] }).details?.map((detail) => detail.path)]).toEqual([
        400,
        [field],
      ]);
    }
  });
});

describe("an operator's name for an account or a terminal", () => {
  it("may not contain a card number", async ({ expect }) => {
    const { pos } = await scene();
    const body = { name: "shop 4111 1111 1111 1111" };
    const { body: answer } = await call("PATCH", `/operator/accounts/${pos.account.posId}`, {
      token: OPERATOR_TOKEN,
      body,
    });
    expect(answer).toMatchObject({ name: "shop xxxx xxxx xxxx 1111" });
  });
});

describe("a control character in a terminal's report", () => {
  it("is removed from every text, and card numbers are masked", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect({ softwareVersion: "1.0\u001b[2J", terminalSn: "SN\u0000\u202e1" });
    const answer = here.pos.sale();
    here.approve(connection, await connection.acceptNext(), {
      responseCode: "0\u00000",
      responseText: `Approved${OPENS_DRAWER}\r\nthank you 4111\u001b1111\u202e11111111`,
      softwareVersion: "",
      terminalSn: "",
      transData: {
        cardLabel: "VISA\u202eTIBED",
        cardHoldersName: "DOE\tJOHN",
        invNo: "00\u001d42",
        rrn: "1\u20662",
        cardNo: "4111\u0000111111111111",
      },
    });
    expect((await answer).body).toMatchObject({
      responseCode: "00",
      responseText: "Approvedp0ú thank you xxxxxxxxxxxx1111",
      softwareVersion: "1.0[2J",
      terminalSn: "SN1",
      transData: { cardLabel: "VISATIBED", cardHoldersName: "DOE JOHN", invNo: "0042", rrn: "12" },
    });
    // oxlint-disable-next-line no-control-regex -- The test searches for control characters.
    expect(JSON.stringify(await here.journal())).not.toMatch(/\\u00[01]|[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
  });
});
