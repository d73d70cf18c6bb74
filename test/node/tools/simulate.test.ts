/** `npm run simulate`: its options and its judge. */
import { describe, it } from "vitest";
import type { StatusCode } from "../../../src/sdk/client/pos.ts";
import { brokenPromises, type SimulatedEntry, recordKey } from "../../../src/tools/simulate/judge.ts";
import { hostProblem, simulateProgram } from "../../../src/tools/simulate/options.ts";
import { optionsOf } from "../../support/options-of.ts";
import { drawAmount } from "../../../src/tools/simulate/simulation.ts";
import { behaviourFor } from "../../../src/sdk/simulator/behaviour.ts";
import { Ledger } from "../../../src/sdk/simulator/ledger.ts";
import { createRandom } from "../../../src/sdk/simulator/random.ts";

describe("the options of npm run simulate", () => {
  it("set the fleet, duration, rate, gateway and seed", async ({ expect }) => {
    const args = [
      "--terminals",
      "500",
      "--minutes",
      "5",
      "--sales-per-minute",
      "90",
      "--seed",
      "7",
      "--url",
      "http://x",
    ];
    const expected = { terminals: 500, minutes: 5, salesPerMinute: 90, seed: 7, url: "http://x" };
    expect(await optionsOf(simulateProgram, args)).toMatchObject(expected);
  });

  it("default to a small fleet within the rate limits", async ({ expect }) => {
    expect(await optionsOf(simulateProgram, [])).toMatchObject({ terminals: 20, minutes: 1, salesPerMinute: 20 });
    expect(await optionsOf(simulateProgram, ["--terminals", "5000"])).toMatchObject({ salesPerMinute: 600 });
  });

  it.for([
    [["--terminals", "0"], "--terminals"],
    [["--terminals", "1.5"], "--terminals"],
    [["--terminals", "many"], "--terminals"],
    [["--minutes", "0"], "--minutes"],
    [["--minutes", ""], "--minutes"],
    [["--sales-per-minute", "-1"], "--sales-per-minute"],
    [["--seed", "0.5"], "--seed"],
    [["--operator-token", "secret"], "--operator-token"],
    [["now"], "argument"],
  ] as const)("are refused by the flag's name: %j", async ([args, name], { expect }) => {
    await expect(optionsOf(simulateProgram, args)).rejects.toThrow(name);
  });

  it("allow this machine, or a host that is named twice", ({ expect }) => {
    for (const url of ["http://127.0.0.1:8787", "http://localhost:1", "http://[::1]:8787", "http://127.1.2.3"]) {
      expect([url, hostProblem(url, undefined)]).toEqual([url, null]);
    }
    for (const url of ["https://gateway.example.com", "https://localhost.example.com", "https://127.0.0.1.nip.io"]) {
      expect(hostProblem(url, undefined)).toContain(`add --allow-host ${new URL(url).hostname}.`);
      expect(hostProblem(url, "other.example.com")).not.toBeNull();
      expect(hostProblem(url, new URL(url).hostname)).toBeNull();
    }
  });
});

const SALE: SimulatedEntry = {
  posId: "P",
  deviceId: "T",
  referenceId: "R",
  voids: null,
  statusCode: "00",
  responseCode: "00",
  took: 1,
};
const VOID: SimulatedEntry = { ...SALE, referenceId: "V", voids: "R" };

function ledgerWith(...requestIds: string[]): Ledger {
  const ledger = new Ledger();
  for (const requestId of requestIds) {
    ledger.charge({
      transType: "sale",
      posId: "P",
      referenceId: "R",
      requestId,
      transId: requestId,
      transAmt: "1.00",
      cashAmt: null,
      currency: "MYR",
      transDateTime: "2026-11-20T10:00:00",
      details: {},
    });
  }
  return ledger;
}

/** `recorded`: what the account lists; without it, the same as the POS's answer. */
function judged(entries: SimulatedEntry[], ledger: Ledger, recorded?: [SimulatedEntry, StatusCode][]): string[] {
  const listed = recorded ?? entries.map((entry): [SimulatedEntry, StatusCode] => [entry, entry.statusCode ?? "22"]);
  return brokenPromises({
    entries,
    ledgers: new Map([["T", ledger]]),
    recorded: new Map(listed.map(([entry, statusCode]) => [recordKey(entry), statusCode])),
  });
}

describe("the judge of a simulation", () => {
  it("finds nothing if every answer is what happened", ({ expect }) => {
    expect(judged([SALE], ledgerWith("1"))).toEqual([]);
    expect(judged([{ ...SALE, statusCode: "11" }], ledgerWith())).toEqual([]);
    for (const statusCode of ["22", null] as const) {
      expect(judged([{ ...SALE, statusCode }], ledgerWith("1"), [])).toEqual([]);
      expect(judged([{ ...SALE, statusCode }], ledgerWith(), [])).toEqual([]);
    }
    const reversed = ledgerWith("1");
    reversed.void({ transId: "1", posId: "P", requestId: "2", at: "2026-11-20T10:01:00" });
    expect(judged([SALE, VOID], reversed)).toEqual([]);
    expect(judged([SALE, { ...VOID, statusCode: "11" }], ledgerWith("1"))).toEqual([]);
  });

  it("finds each broken promise", ({ expect }) => {
    const reversed = ledgerWith("1");
    reversed.void({ transId: "1", posId: "P", requestId: "2", at: "2026-11-20T10:01:00" });
    expect(judged([SALE], ledgerWith("1", "2"))).toEqual(["R was charged 2 times (at most once)."]);
    expect(judged([SALE], ledgerWith())).toEqual(["R is 00, but no money moved."]);
    expect(judged([{ ...SALE, statusCode: "11" }], ledgerWith("1"))).toEqual(["R is 11, but money moved."]);
    expect(judged([SALE, VOID], ledgerWith("1"))).toEqual(["The void V is 00, but the charge stands."]);
    expect(judged([SALE, { ...VOID, statusCode: "11" }], reversed)).toEqual([
      "The void V is 11, but the charge is reversed.",
    ]);
    expect(judged([], ledgerWith("1"))).toEqual(["T charged R, which no POS has sent."]);
    expect(judged([SALE], ledgerWith("1"), [])).toEqual(["R is 00, but the account has recorded nothing."]);
    expect(judged([SALE], ledgerWith("1"), [[SALE, "11"]])).toEqual(["R is 00, but the account has recorded 11."]);
  });
});

function amountsOf(seed: number): string[] {
  const random = createRandom(seed);
  return Array.from({ length: 2_000 }, () => drawAmount(random));
}

describe("the customers of a simulation", () => {
  it("are the same for the same seed, and of every kind", ({ expect }) => {
    const amounts = amountsOf(1);
    expect(amountsOf(1)).toEqual(amounts);
    expect(amountsOf(2)).not.toEqual(amounts);
    for (const amount of amounts) expect(amount).toMatch(/^[1-9]\d{0,2}\.\d\d$/u);
    const kinds = amounts.map((amount) => behaviourFor(amount).kind);
    expect(new Set(kinds)).toEqual(
      new Set(["approve", "decline", "pending", "customer-cancels", "refuse-busy", "fault"]),
    );
    expect(kinds.filter((kind) => kind === "approve").length).toBeGreaterThan(1_500);
  });
});
