/** The gateway as the kit for tills plays it: what a till is answered about transactions that have not come. */
import { afterEach, beforeEach, describe, it } from "vitest";
import { PosClient, PosError, newReferenceId } from "../../../src/client/pos.ts";
import { PosCounterpart } from "../../../src/conformance/pos/counterpart.ts";
import { ACCOUNT, CREDENTIALS } from "./account.ts";

const { deviceId } = ACCOUNT;

let counterpart: PosCounterpart;
let pos: PosClient;

beforeEach(async () => {
  counterpart = new PosCounterpart({ url: new URL("http://127.0.0.1:0"), tls: null }, ACCOUNT);
  pos = new PosClient({ baseUrl: await counterpart.open(), ...CREDENTIALS });
});

afterEach(() => counterpart.close());

/** What the gateway's 400 says. */
async function refusal(call: Promise<unknown>): Promise<PosError["problem"]> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PosError) return error.problem;
  throw new Error("the call was not refused");
}

function sell(referenceId = newReferenceId()) {
  return pos.sale({ deviceId, referenceId, transAmt: "1.00", paymentMethod: "bankCard" });
}

describe("a question about a transaction that has not come", () => {
  it("is 40004 if it names no reference, and the answer explains how to name one", async ({ expect }) => {
    await sell();
    const nothing = await refusal(pos.inquiry({ deviceId, referenceId: newReferenceId() }));
    expect(nothing).toMatchObject({ code: 40004, details: [{ path: "referenceId" }] });
    expect(nothing.details?.[0]?.message).toMatch(/transData\.referenceId or transData\.transId/u);
    const number = await refusal(
      pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { transId: "9876543210" } }),
    );
    expect(number).toMatchObject({ code: 40004, details: [{ path: "transData.transId" }] });
  });

  it("completes the reference that it names, or cancels, and the sale that comes later gets that answer", async ({
    expect,
  }) => {
    const [asked, cancelled] = [newReferenceId(), newReferenceId()];
    const answer = await pos.inquiry({ deviceId, referenceId: newReferenceId(), about: { referenceId: asked } });
    expect(answer).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(answer).not.toHaveProperty("originalReferenceId");
    expect(await pos.cancel({ deviceId, referenceId: cancelled })).toMatchObject({ statusCode: "11" });
    for (const referenceId of [asked, cancelled]) {
      expect(await sell(referenceId)).toMatchObject({ statusCode: "11", responseCode: "CANCELLED", referenceId });
    }
  });

  it("is 40004 for getLast, which does not count a reference that was only asked about", async ({ expect }) => {
    await pos.cancel({ deviceId, referenceId: newReferenceId() });
    expect(await refusal(pos.getLast({ deviceId, referenceId: newReferenceId() }))).toMatchObject({ code: 40004 });
    const { referenceId } = await sell();
    await pos.cancel({ deviceId, referenceId: newReferenceId() });
    const last = await pos.getLast({ deviceId, referenceId: newReferenceId() });
    expect(last).toMatchObject({ statusCode: "00", originalReferenceId: referenceId });
  });
});
