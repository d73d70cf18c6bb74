/** What the gateway knows of a payment is in every answer about it, also where the terminal says nothing. */
import { describe, it } from "vitest";
import { useFakeClock } from "../support/clock.ts";
import { uniqueId } from "../support/gateway.ts";
import { setChannel, useAccount } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

describe("the paymentChannel of an answer about a wallet payment", () => {
  it.for([
    ["pending", "22", undefined],
    ["declined", "11", { invNo: "000007", paymentChannel: "" }],
  ] as const)("is that of the request when the terminal names none: %s", async ([, status, transData], { expect }) => {
    const here = await scene();
    const paymentChannel = uniqueId("Wallet");
    await setChannel(paymentChannel, 1);
    const connection = await here.connect();
    const wallet = { transAmt: "5.00", paymentMethod: "qrCustScan", paymentChannel };
    const answer = here.till.transfer(here.till.saleBody({}, wallet));
    connection.result(await connection.acceptNext(), status, transData === undefined ? {} : { transData });
    const { body } = await answer;
    expect([body.statusCode, body.transData?.["paymentChannel"]]).toEqual([status, paymentChannel]);
    expect(body.transData?.["invNo"]).toBe(transData?.invNo ?? "");
  });

  it("is that of the request when the terminal is not connected", async ({ expect }) => {
    const here = await scene();
    const paymentChannel = uniqueId("Wallet");
    await setChannel(paymentChannel, 1);
    const wallet = { transAmt: "5.00", paymentMethod: "qrCustScan", paymentChannel };
    const { body } = await here.till.transfer(here.till.saleBody({}, wallet));
    expect([body.responseCode, body.transData?.["paymentChannel"]]).toEqual(["TERMINAL_OFFLINE", paymentChannel]);
  });

  it("is the terminal's when it names one", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    here.approve(connection, request, { transData: { paymentChannel: "VISA" } });
    expect((await answer).body.transData?.["paymentChannel"]).toBe("VISA");
  });
});
