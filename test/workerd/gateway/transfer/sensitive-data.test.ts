/** Card data on its way through the service: refused from a POS, dropped from a terminal, masked in free texts. */
import { describe, it } from "vitest";
import { useAccount } from "../../../support/scene.ts";

const scene = useAccount();

const TRACK_2 = ";4111111111111111=25121010000000000000?";
const TRACK_1 = "%B4111111111111111^DOE/JOHN^25121010000000000000?";

describe("a request with track data, a PIN or a card verification code", () => {
  it("is refused at any depth, naming the member, not the value", async ({ expect }) => {
    const { pos } = await scene();
    for (const [path, members, transData] of [
      ["cvv", { cvv: "737" }, {}],
      ["pan", { pan: "4111111111111111" }, {}],
      ["transData.cardNumber", {}, { cardNumber: "4111111111111111" }],
      ["transData.cid", {}, { cid: "737" }],
      ["transData.CVV2", {}, { CVV2: "737" }],
      ["transData.extra.pin_block", {}, { extra: { pin_block: "A1B2C3D4E5F60718" } }],
      ["transData.list.0.track2Data", {}, { list: [{ track2Data: "whatever" }] }],
      ["transData.note", {}, { note: `paid ${TRACK_2}` }],
      ["transData.metadata", {}, { metadata: TRACK_1 }],
      ["anything", { anything: TRACK_1 }, {}],
      ["referenceId", { referenceId: "4111111111111111=2512" }, {}],
    ] as const) {
      const { status, body } = await pos.sale(members, transData);
      expect([status, body.details?.map((problem) => problem.path)]).toEqual([400, [path]]);
      // The requestId is random, and may have such digits.
      expect(JSON.stringify({ ...body, traceId: "" })).not.toMatch(/(?<![0-9a-f.])737(?![0-9a-f])|4111|A1B2|DOE/u);
    }
    const cancel = await pos.cancel("R-1", { pin: "1234" });
    expect([cancel.status, cancel.body.details?.[0]?.path]).toEqual([400, "pin"]);
  });

  it("leaves nothing behind: the same reference can be used again", async ({ expect }) => {
    const here = await scene();
    const referenceId = here.pos.reference();
    expect((await here.pos.sale({ referenceId, pin: "1234" })).status).toBe(400);
    expect(await here.journal()).toEqual([]);
    const { body } = await here.pos.sale({ referenceId });
    expect(body.responseCode).toBe("TERMINAL_OFFLINE");
  });
});

describe("a result with track data or a card verification code", () => {
  it("is accepted without it, in any member", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    here.approve(connection, request, {
      responseCode: TRACK_2,
      responseText: `approved ${TRACK_1}`,
      cvv: "737",
      transData: {
        paymentChannel: "VISA",
        cardNo: TRACK_1,
        invNo: TRACK_2,
        apprCode: "4111111111111111D2512101",
        cardHoldersName: `DOE/JOHN ${TRACK_1}`,
        cardLabel: "VISA 4111 1111 1111 1111",
        track2: TRACK_2,
        cvv2: "737",
        pinBlock: "A1B2C3D4E5F60718",
        mid: "1000",
        tid: "10000001",
      },
    });
    await connection.next("ack");
    const { body } = await answer;
    expect(body).toMatchObject({
      statusCode: "00",
      responseCode: "[removed]",
      responseText: "approved [removed]",
      transData: {
        cardNo: "xxxxxxxxxxxx1111",
        invNo: "[removed]",
        apprCode: "[removed]",
        cardHoldersName: "DOE/JOHN [removed]",
        cardLabel: "VISA xxxx xxxx xxxx 1111",
      },
    });
    const everything = JSON.stringify([body, await here.journal()]);
    expect(everything).not.toMatch(/4111111111|=2512|\^|(?<![0-9a-f.])737(?![0-9a-f])|A1B2/u);
  });

  it("shows no card number as application id or approval number", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.pos.sale();
    here.approve(connection, await connection.acceptNext(), {
      transData: { aid: "4111111111111111", apprCode: "4111 1111 1111 1111", rrn: "4111111111111111" },
    });
    expect((await answer).body.transData).toMatchObject({
      aid: "xxxxxxxxxxxx1111",
      apprCode: "xxxx xxxx xxxx 1111",
      // A number of the host's own: one in ten of those passes for a card's.
      rrn: "4111111111111111",
    });
  });

  it("is kept as evidence without it", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    connection.result(request, "11", { transData: { currency: "4111111111111111", transAmt: TRACK_2 } });
    await connection.next("ack");
    expect((await answer).body.responseCode).toBe("UNCONFIRMED");
    const [row] = await here.journal();
    expect(row?.evidence).toHaveLength(1);
    expect(row?.evidence[0]?.report["named"]).toEqual({ currency: "xxxxxxxxxxxx1111", transAmt: "[removed]" });
  });
});

describe("a hello with a card number or a track as version", () => {
  it("is accepted, and neither is shown", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect({ softwareVersion: "v 4111111111111111", terminalSn: TRACK_2 });
    const { body } = await here.pos.transfer(here.pos.body("getLast"));
    expect(body.details).toBeDefined();
    await connection.lose();
    const refused = await here.pos.void("1000000000");
    expect([refused.body.softwareVersion, refused.body.terminalSn]).toEqual(["v xxxxxxxxxxxx1111", "[removed]"]);
  });
});
