/** The test sale of a deploy, at a real gateway. */
import { describe, inject, it } from "vitest";
import { waitForHealth } from "../../src/tools/deploy/run.ts";
import { TRIAL_PREFIX, trySale } from "../../src/tools/simulate/simulation.ts";
import { operator } from "../support/fresh-project.ts";
import { freePort } from "../support/free-port.ts";

interface Row {
  terminalId?: string;
  posId?: string;
  status: string;
}

/** What exists of test sales, by status. */
async function trials(path: string): Promise<string[]> {
  const { body } = await operator().call("GET", `${path}?cursor=${TRIAL_PREFIX}`);
  const rows = (body["data"] as Row[]).filter(({ terminalId, posId }) =>
    (terminalId ?? posId ?? "").startsWith(TRIAL_PREFIX),
  );
  return rows.map(({ status }) => status);
}

describe("the sale that a deploy tries", () => {
  it("is approved, and leaves nothing usable, even after an interrupted trial", async ({ expect }) => {
    const { baseUrl, operatorToken } = inject("gateway");
    const left = `${TRIAL_PREFIX}00000000`;
    const terms = { posId: left, merchantId: left, currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
    await operator().must("POST", "/accounts", terms);
    await operator().must("POST", "/terminals", { terminalId: left, isVT: 1, merchantId: left });
    expect(await trySale(baseUrl, operatorToken)).toEqual({
      ok: true,
      value: { transId: expect.stringMatching(/^\d{10}$/u), took: expect.any(Number) },
    });
    expect(await trials("/accounts")).toEqual(["deleted", "deleted"]);
    expect(await trials("/terminals")).toEqual(["retired", "retired"]);
  });

  it("is refused in a sentence for a token that no operator has", async ({ expect }) => {
    const refused = await trySale(inject("gateway").baseUrl, "no-operator-has-this-token");
    expect(refused).toEqual({ ok: false, error: expect.stringContaining("401") });
  });
});

describe("the wait for a gateway", () => {
  it("ends when it answers, or with what came instead of an answer", async ({ expect }) => {
    const { baseUrl } = inject("gateway");
    expect(await waitForHealth(baseUrl, 0, 0)).toBeNull();
    expect(await waitForHealth(`${baseUrl}/nothing`, 0, 0)).toContain("it answered 404.");
    expect(await waitForHealth(`http://127.0.0.1:${await freePort()}`, 0, 0)).toContain("ECONNREFUSED");
  });
});
