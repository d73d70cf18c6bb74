import { createHash } from "node:crypto";
import { describe, it } from "vitest";
import { signedForm } from "../../../../src/protocol/signing/canonical.ts";
import { verifySignature, withSignature } from "../../../../src/protocol/signing/signature.ts";
import { useFakeClock } from "../../../support/clock.ts";
import { operator } from "../../../support/gateway.ts";
import { approved, Scene, useAccount } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

async function rotate(here: Scene, body?: { revokePrevious: boolean }): Promise<string> {
  const path = `/operator/accounts/${here.pos.account.posId}/signing-key`;
  return (await operator<{ signingKey: string }>("POST", path, body)).body.signingKey;
}

describe("a transfer's signature", () => {
  it("is refused with 400, length and digest if it is wrong", async ({ expect }) => {
    const { pos } = await scene();
    const body = pos.saleBody({}, { note: "naïve 😀" });
    for (const signature of ["0".repeat(64), "0", "", "A".repeat(64)]) {
      const { status, body: told } = await pos.transfer(body, { body: { ...body, signature } });
      expect(status).toBe(400);
      expect(told).toMatchObject({ code: 40000, error: "invalid_request" });
      const problem = told.details?.find(({ path }) => path === "signature");
      expect(problem).toBeDefined();
      if (signature.length === 64) {
        const form = Buffer.from(signedForm(body as never), "utf8");
        expect(problem?.message).toContain(`${form.length} bytes`);
        expect(problem?.message).toContain(createHash("sha256").update(form).digest("hex"));
      }
    }
    expect(JSON.stringify(await pos.transfer(body, { body: { ...body, signature: "0".repeat(64) } }))).not.toContain(
      pos.account.signingKey,
    );
  });

  it("is checked even if the terminal is not bound", async ({ expect }) => {
    const here = await scene();
    await here.unbind();
    const { body } = await here.pos.transfer(here.pos.saleBody(), {
      body: here.pos.saleBody({ signature: "0".repeat(64) }),
    });
    expect(body.details?.map(({ path }) => path)).toEqual(["deviceId", "signature"]);
  });

  it("covers the body as sent: unknown members, nulls and empty texts included", async ({ expect }) => {
    const { pos } = await scene();
    const body = pos.saleBody({ referenceLabel: null, surprise: { deep: [1, "two", null] } }, { note: "", extra: 7 });
    expect((await pos.transfer(body)).body.responseCode).toBe("TERMINAL_OFFLINE");
    const { surprise: _left, ...without } = pos.sign(body);
    const { status, body: told } = await pos.transfer(body, { body: without });
    expect(status).toBe(400);
    expect(told.details?.[0]?.path).toBe("signature");
  });

  it("is refused if it belongs to another kind of message", async ({ expect }) => {
    const { pos } = await scene();
    for (const [name, members] of [
      ["statusCode", { statusCode: "00" }],
      ["type", { type: "request" }],
      ["statusCode", { statusCode: null }],
    ] as const) {
      const { status, body } = await pos.sale(members);
      expect(status).toBe(400);
      expect(body.details?.[0]?.path).toBe(name);
    }
  });

  it("is on every answer, and makes no answer a request", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { answer, body } = await approved(here, connection);
    for (const { body: told } of [
      answer,
      await here.pos.transfer(body),
      await here.pos.inquiry({ referenceId: body["referenceId"] }),
      await here.pos.getLast(),
      await here.pos.cancel(String(body["referenceId"])),
      await here.pos.void("9876543210"),
    ]) {
      expect(verifySignature(told as never, here.pos.account.signingKey)).toBe(true);
      expect(told).not.toHaveProperty("datetime");
      expect(told.apiVersion).toBe("v1");
    }
  });
});

describe("a signing key that was rotated", () => {
  it("still signs the answer if it was rotated during the wait", async ({ expect }) => {
    const here = await Scene.alone();
    const { connection, answer, request } = await here.accepted();
    await rotate(here, { revokePrevious: true });
    here.approve(connection, request);
    expect(verifySignature((await answer).body as never, here.pos.account.signingKey)).toBe(true);
  });
});

describe("the terminal's request frame", () => {
  it("is signed with the terminal's secret over the whole frame", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    expect(verifySignature(request as never, here.terminal.secret)).toBe(true);
    expect(verifySignature(withSignature({ ...request, respondBy: 0 }, "other") as never, here.terminal.secret)).toBe(
      false,
    );
    const forged: object = { ...request, transId: "1" };
    expect(verifySignature(forged as never, here.terminal.secret)).toBe(false);
  });
});
