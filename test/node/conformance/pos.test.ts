/** The kit for tills: it passes one that keeps its duties, and names the duty that a broken one breaks. */
import { describe, it } from "vitest";
import { PosClient, PosError, newReferenceId, type SaleRequest, type TransferAnswer } from "../../../src/client/pos.ts";
import type { Action, Driver, Shown } from "../../../src/conformance/pos/drive.ts";
import { runPosKit, POS_STEPS } from "../../../src/conformance/pos/kit.ts";
import type { Outcome } from "../../../src/conformance/step.ts";
import { NOBODY } from "../../../src/conformance/tester.ts";
import { inTurns } from "../../support/in-turns.ts";
import { SimpleTill, type Flaw } from "../../support/simple-till.ts";
import { ACCOUNT, CREDENTIALS } from "./account.ts";

async function tested(driver: Driver): Promise<{ broken: string[]; kept: string[]; outcomes: Outcome[] }> {
  const outcomes = await runPosKit({
    address: { url: new URL("http://127.0.0.1:0"), tls: null },
    account: ACCOUNT,
    driver,
    tester: NOBODY,
    only: null,
    patient: false,
  });
  const named = (kind: Outcome["verdict"]["kind"]): string[] =>
    outcomes.filter(({ verdict }) => verdict.kind === kind).map(({ step }) => step.name);
  return { broken: named("broken"), kept: named("kept"), outcomes };
}

function reported(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter(({ verdict }) => verdict.kind === "broken" || verdict.kind === "blocked")
    .map(({ step, verdict }) => `${step.name}: ${JSON.stringify(verdict)}`)
    .join("\n");
}

/** A till on the client of this project. */
class ClientTill implements Driver {
  readonly #password: string | null;
  #client: PosClient | null = null;

  /** @param password null: its logins are signed */
  constructor(password: string | null = ACCOUNT.password) {
    this.#password = password;
  }

  async drive(action: Action, { url }: { url: string }): Promise<Shown> {
    this.#client ??= new PosClient({ baseUrl: url, ...CREDENTIALS, password: this.#password ?? undefined });
    try {
      const { statusCode } = await this.#call(this.#client, action);
      return statusCode === "00" ? "approved" : statusCode === "11" ? "not-approved" : "unknown";
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      return error.outcomeUnknown ? "failed-unknown" : "failed";
    }
  }

  #call(client: PosClient, action: Action): Promise<TransferAnswer> {
    const target = { deviceId: ACCOUNT.deviceId, referenceId: newReferenceId() };
    switch (action.kind) {
      case "sale":
        return client.sale({ ...target, transAmt: action.amount, paymentMethod: "bankCard" });
      case "void":
        return client.void({ ...target, transId: action.transId });
      case "inquiry":
        return client.inquiry({ ...target, about: { transId: action.transId } });
      case "cancel":
        return client.cancel({ deviceId: ACCOUNT.deviceId, referenceId: action.referenceId });
      default:
        return action satisfies never;
    }
  }
}

/** Steps that need a person, or take minutes. */
const NOT_TRIED = ["time-out", "crash"];
const TRIED = POS_STEPS.map(({ name }) => name).filter((name) => !NOT_TRIED.includes(name));

const FLAWS: Record<Flaw, string[]> = {
  "token-in-url": ["urls"],
  "password-in-url": ["urls"],
  "login-as-form": ["login"],
  "refresh-token-everywhere": ["bearer", "refresh"],
  "never-refreshes": ["refresh", "login-again"],
  "refreshes-with-access-token": ["refresh"],
  "never-logs-in-again": ["login-again"],
  "new-reference-after-failure": ["dropped", "server-error", "gateway-error"],
  "gives-up-after-failure": ["dropped", "server-error", "gateway-error"],
  "changes-amount-on-repeat": ["dropped", "server-error", "gateway-error"],
  "takes-22-for-declined": ["pending", "pending-declined", "used-before"],
  "new-reference-after-22": ["pending", "pending-declined", "used-before"],
  "takes-40009-for-unpaid": ["used-before"],
  "one-reference-per-amount": ["new-attempt", "unique-reference"],
  "ignores-retry-after": ["rate-limited"],
  hammers: ["forbidden", "invalid"],
  "believes-anybody": ["forged", "unsigned", "other-answer"],
  "believes-unsigned": ["unsigned"],
  "believes-any-reference": ["other-answer"],
  "verifies-known-members": ["unknown-members"],
  "dislikes-repetitions": ["dropped", "replayed"],
  "voids-under-the-sale": ["void", "unique-reference"],
  "asks-by-selling": ["inquiry"],
  "believes-its-own-cancel": ["cancel"],
  "signs-unsorted": ["signature"],
  "local-time": ["datetime"],
  "amount-as-number": ["fields"],
  "sends-twice": ["sale", "rate-limited"],
  "knows-sales-only": [],
};

const NAMES = Object.keys(FLAWS) as Flaw[];

/** Most of a run is waiting. */
const runOf = inTurns(NAMES, 10, (flaw) => tested(new SimpleTill(ACCOUNT, flaw)));

describe("the kit for tills", () => {
  it("finds every duty kept by a till that uses this project's client", async ({ expect }) => {
    const { kept, outcomes } = await tested(new ClientTill());
    expect(kept, reported(outcomes)).toEqual(TRIED);
  });

  it("finds every duty kept by a till whose logins are signed", async ({ expect }) => {
    const { kept, outcomes } = await tested(new ClientTill(null));
    expect(kept, reported(outcomes)).toEqual(TRIED);
  });

  it("finds every duty kept by a simple till without flaws", async ({ expect }) => {
    const { kept, outcomes } = await tested(new SimpleTill(ACCOUNT, null));
    expect(kept, reported(outcomes)).toEqual(TRIED);
  });

  it("finds every duty kept by a till that asks by number after a 22, which the kit answers like the gateway", async ({
    expect,
  }) => {
    const { kept, outcomes } = await tested(new SimpleTill(ACCOUNT, null, "by-number"));
    expect(kept, reported(outcomes)).toEqual(TRIED);
  });

  it("finds every duty kept by a till that logs in again for every call", async ({ expect }) => {
    const { kept, outcomes } = await tested({
      drive: (action, situation) => new SimpleTill(ACCOUNT, null).drive(action, situation),
    });
    expect(kept, reported(outcomes)).toEqual(TRIED);
  });

  it("names a till that sends an older sale first once, and does not judge what follows from it", async ({
    expect,
  }) => {
    let client: PosClient | null = null;
    let older: SaleRequest | null = null;
    const { outcomes } = await tested({
      async drive(action, { url }) {
        if (action.kind !== "sale") return "unsupported";
        client ??= new PosClient({ baseUrl: url, ...CREDENTIALS });
        older ??= { deviceId: "T-1", referenceId: "OLD", transAmt: action.amount, paymentMethod: "bankCard" };
        await client.sale(older);
        return "approved";
      },
    });
    const why = "the till first sent an older reference, OLD of “Makes a sale”";
    const broken = outcomes.flatMap(({ verdict }) => (verdict.kind === "broken" ? [verdict.seen] : []));
    expect(broken, reported(outcomes)).toEqual([why]);
    const blocked = outcomes.flatMap(({ verdict }) => (verdict.kind === "blocked" ? [verdict.why] : []));
    expect(blocked.length).toBeGreaterThan(5);
    expect(new Set(blocked)).toEqual(new Set([why]));
  });

  it.for(NAMES)("detects a till with the flaw %s", async (flaw, { expect }) => {
    const { broken, outcomes } = await runOf(flaw);
    expect(broken.toSorted(), reported(outcomes)).toEqual(FLAWS[flaw].toSorted());
  });

  it("skips the actions that a till does not support", async ({ expect }) => {
    const { outcomes } = await runOf("knows-sales-only");
    const left = outcomes.filter(({ verdict }) => verdict.kind === "left-out").map(({ step }) => step.name);
    expect(left.toSorted()).toEqual([...NOT_TRIED, "void", "inquiry", "cancel"].toSorted());
  });
});
