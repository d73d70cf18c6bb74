import { beforeAll, describe, it } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { call, login, send, uniqueId } from "../../../support/gateway.ts";
import { setChannel, useAccount } from "../../../support/scene.ts";
import { type Members, Pos } from "../../../support/pos.ts";

useFakeClock();
const scene = useAccount();

const emoji = (characters: number): string => "😀".repeat(characters);

describe("a malformed transfer", () => {
  // Nothing of it reaches the terminal: one serves all.
  let pos: Pos;
  beforeAll(async () => {
    pos = await Pos.create();
  });

  const wrong: { name: string; path: string; members?: Members; transData?: Members; transType?: string }[] = [
    { name: "an unknown transType", path: "transType", members: { transType: "refund" } },
    { name: "no transType", path: "transType", members: { transType: undefined } },
    { name: "no merchantId", path: "merchantId", members: { merchantId: "" } },
    { name: "no referenceId", path: "referenceId", members: { referenceId: null } },
    { name: "a referenceId of white space", path: "referenceId", members: { referenceId: "   " } },
    { name: "a referenceId of 21 characters", path: "referenceId", members: { referenceId: emoji(21) } },
    { name: "a referenceId that is a number", path: "referenceId", members: { referenceId: 12345 } },
    { name: "a deviceId with a space", path: "deviceId", members: { deviceId: "POS one" } },
    { name: "another apiVersion", path: "apiVersion", members: { apiVersion: "v2" } },
    { name: "no datetime", path: "datetime", members: { datetime: undefined } },
    { name: "a datetime that is none", path: "datetime", members: { datetime: "20261341250000" } },
    { name: "an empty datetime", path: "datetime", members: { datetime: "" } },
    { name: "a referenceLabel of 11 characters", path: "referenceLabel", members: { referenceLabel: emoji(11) } },
    { name: "no transData", path: "transData", members: { transData: null } },
    ...["cashOut", "void"].map((transType) => ({
      name: `a ${transType} without transData`,
      path: "transData",
      members: { transType, transData: null },
    })),
    { name: "transData that is a list", path: "transData", members: { transData: [] } },
    { name: "an amount without cents", path: "transData.transAmt", transData: { transAmt: "12" } },
    { name: "an amount that is a number", path: "transData.transAmt", transData: { transAmt: 12 } },
    { name: "an unknown method", path: "transData.paymentMethod", transData: { paymentMethod: "cheque" } },
    { name: "cash out of a sale", path: "transData.cashAmt", transData: { cashAmt: "10.00" } },
    { name: "no cash amount", path: "transData.cashAmt", transType: "cashOut" },
    {
      name: "cash out by wallet",
      path: "transData.paymentMethod",
      transType: "cashOut",
      transData: { cashAmt: "10.00", paymentMethod: "qrMerchScan" },
    },
    { name: "no channel", path: "transData.paymentChannel", transData: { paymentMethod: "qrCustScan" } },
    {
      name: "a channel of 33 characters",
      path: "transData.paymentChannel",
      transData: { paymentMethod: "qrCustScan", paymentChannel: emoji(33) },
    },
    { name: "a note of 129 characters", path: "transData.note", transData: { note: emoji(129) } },
    { name: "metadata of 129 characters", path: "transData.metadata", transData: { metadata: emoji(129) } },
    { name: "a productIndex of eleven", path: "transData.productIndex", transData: { productIndex: "11" } },
    ...["note", "metadata", "promoSale", "printCount"].map((member) => ({
      name: `a cashOut whose ${member} is too long`,
      path: `transData.${member}`,
      transType: "cashOut",
      transData: { cashAmt: "10.00", [member]: emoji(129) },
    })),
    ...["invNo", "metadata", "promoSale", "printCount"].map((member) => ({
      name: `a void whose ${member} is too long`,
      path: `transData.${member}`,
      transType: "void",
      transData: { transId: "1000000000", [member]: emoji(129) },
    })),
    { name: "a void of nothing", path: "transData.transId", transType: "void" },
    { name: "an inquiry by a list", path: "transData", transType: "inquiry", members: { transData: [] } },
    { name: "an inquiry by letters", path: "transData.transId", transType: "inquiry", transData: { transId: "abc" } },
  ];
  for (const { name, path, members = {}, transData, transType = "sale" } of wrong) {
    it(`is refused with 400, naming ${path} and the fix (${name})`, async ({ expect }) => {
      const isPayment = transType === "sale" || transType === "cashOut";
      const data = isPayment ? { transAmt: "12.50", paymentMethod: "bankCard", ...transData } : (transData ?? {});
      const body = { ...pos.body(transType, { transData: data }), ...members };
      const { status, body: told } = await pos.transfer(body);
      expect(status).toBe(400);
      expect(told).toMatchObject({ code: 40000, error: "invalid_request" });
      expect(told.details?.map((problem) => problem.path)).toEqual([path]);
      // In words of our own, not in those of a library.
      expect(told.details?.[0]?.message).toMatch(/^(?:This field is required|Send|Write|A sale has no cash)/);
    });
  }

  it("is refused without the cash of a cashOut", async ({ expect }) => {
    for (const cashAmt of [undefined, ""]) {
      const transData = { transAmt: "12.50", paymentMethod: "bankCard", cashAmt };
      const { body } = await pos.transfer(pos.body("cashOut", { transData }));
      expect(body.details?.[0]?.message).toMatch(/^This field is required for a cashOut\. Send /u);
    }
  });

  it("is refused without transData, or with a text for it", async ({ expect }) => {
    for (const [transData, required] of [
      [undefined, "This field is required for a void. "],
      ["1000000000", ""],
    ]) {
      const { body } = await pos.transfer(pos.body("void", { transData }));
      expect(body.details).toEqual([{ path: "transData", message: `${required}Send a JSON object.` }]);
    }
  });

  it("is refused with a referenceId of white space", async ({ expect }) => {
    const { body } = await pos.sale({ referenceId: "   " });
    const message = "Send a string that is not only white space.";
    expect(body.details).toEqual([{ path: "referenceId", message }]);
  });

  it("gets all errors at once", async ({ expect }) => {
    const transData = { transAmt: "x", paymentMethod: "bankCard", printCount: 9, note: emoji(200) };
    const { body } = await pos.sale({ merchantId: "", apiVersion: "v9", transData });
    expect(new Set(body.details?.map(({ path }) => path))).toEqual(
      new Set(["merchantId", "apiVersion", "transData.transAmt", "transData.printCount", "transData.note"]),
    );
  });

  it("is refused for ambiguous JSON: fractions, lone surrogates, a repeated member", async ({ expect }) => {
    const body = JSON.stringify(pos.sign(pos.saleBody({ marker: "MARKER" })));
    for (const value of ["2.0", "2e0", "1234567890123456", '"\\ud800"', '1,"posId":"twice"']) {
      const { status, body: told } = await pos.transfer({}, { body: body.replace('"MARKER"', value) });
      expect(status).toBe(400);
      expect(told.error).toBe("invalid_request");
    }
  });

  it("is 401 without a token, or with a wrong one", async ({ expect }) => {
    const body = pos.sign(pos.saleBody());
    const answer = await send("POST", "/api/transfer", { body });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
    await answer.text();
    expect((await call("POST", "/api/transfer", { body, token: "not.a.token" })).status).toBe(401);
    const { access, refresh } = await login(pos.account);
    expect((await call("POST", "/api/transfer", { body, token: refresh.token })).status).toBe(401);
    await call("POST", "/auth/logout", { token: access.token });
    expect((await call("POST", "/api/transfer", { body, token: access.token })).status).toBe(401);
    const { transType: _type, ...cancel } = pos.saleBody();
    const revoked = { body: pos.sign(cancel), token: access.token };
    expect((await call("POST", "/api/transfer/cancel", revoked)).status).toBe(401);
    // The token is judged before anything of the body is.
    expect((await call("POST", "/api/transfer", { body: "no json", token: "not.a.token" })).status).toBe(401);
  });
});

describe("a transfer in every form that is allowed", () => {
  it("may name an unused channel and zero cash, which are ignored", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const plain = here.pos.saleBody();
    const { referenceId } = plain;
    const odd = here.pos.saleBody({ referenceId }, { paymentChannel: "VISA", cashAmt: "0.00", productIndex: "10" });
    const answer = here.pos.transfer(odd);
    const request = await connection.acceptNext();
    expect(request.transData).toEqual({ transAmt: "12.50", paymentMethod: "bankCard", productIndex: "10" });
    here.approve(connection, request);
    const { body } = await answer;
    expect(body.statusCode).toBe("00");
    expect(body.transData).not.toHaveProperty("cashAmt");
    for (const transData of [
      {},
      { paymentChannel: 7, cashAmt: "" },
      { paymentChannel: "No such wallet", cashAmt: "0" },
    ]) {
      expect((await here.pos.transfer(here.pos.saleBody({ referenceId }, transData))).body).toEqual(body);
    }
    const cash = { transAmt: "5.00", cashAmt: "10.00", paymentMethod: "bankCard", paymentChannel: "MyDebit" };
    const cashOut = here.pos.transfer(here.pos.body("cashOut", { transData: cash }));
    const next = await connection.acceptNext();
    expect(next.transData).not.toHaveProperty("paymentChannel");
    here.approve(connection, next);
    expect((await cashOut).body.statusCode).toBe("00");
  });

  it("reaches the terminal normalised: only known members, without empty ones", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const answer = here.pos.transfer(
      here.pos.saleBody(
        { referenceLabel: "Table 7", customer: { name: "somebody" } },
        { note: emoji(128), metadata: "", productIndex: null, promoSale: "01", printCount: "0", loyalty: "gold" },
      ),
    );
    const request = await connection.acceptNext();
    expect(request.transData).toEqual({
      transAmt: "12.50",
      paymentMethod: "bankCard",
      note: emoji(128),
      promoSale: "01",
      printCount: 0,
    });
    expect(request["referenceLabel"]).toBe("Table 7");
    expect(new Set(Object.keys(request))).toEqual(
      new Set(
        (
          "type requestId attempt transType posId merchantId referenceId referenceLabel currency transId transData " +
          "deliverBy respondBy signature"
        ).split(" "),
      ),
    );
    here.approve(connection, request);
    expect((await answer).body.transData).not.toHaveProperty("metadata");
  });

  it("accepts datetime with and without the T, and the largest amount", async ({ expect }) => {
    const { pos } = await scene();
    const digits = String(pos.body("sale")["datetime"]).replace("T", "");
    for (const datetime of [digits, `${digits.slice(0, 8)}T${digits.slice(8)}`]) {
      const answer = await pos.sale({ datetime }, { transAmt: "999999999.99" });
      expect(answer.body.responseCode).toBe("TERMINAL_OFFLINE");
    }
  });

  it("accepts a referenceId of any twenty characters, counted as people count them", async ({ expect }) => {
    const { pos } = await scene();
    const referenceId = uniqueId("é").slice(0, 10) + emoji(10);
    const { body } = await pos.sale({ referenceId });
    expect(body).toMatchObject({ referenceId, responseCode: "TERMINAL_OFFLINE" });
    expect((await pos.inquiry({ referenceId })).body.originalReferenceId).toBe(referenceId);
  });

  it("passes any wallet channel's name to the terminal", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const paymentChannel = "Touch 'n Go 支付宝";
    await setChannel(paymentChannel, 1);
    const answer = here.pos.sale({}, { paymentMethod: "qrCustScan", paymentChannel });
    const request = await connection.acceptNext();
    expect(request.transData).toEqual({ transAmt: "12.50", paymentMethod: "qrCustScan", paymentChannel });
    here.approve(connection, request, { transData: { paymentChannel } });
    const { body } = await answer;
    expect(body.transData).toMatchObject({ paymentChannel });
    expect(body.transData).not.toHaveProperty("cardNo");
  });
});
