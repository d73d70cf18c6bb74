/** The POS conformance kit passes a POS that keeps its duties, and names the duty that a broken one breaks. */
import { describe, it } from "vitest";
import {
  PosClient,
  PosError,
  type SaleRequest,
  type TransferAnswer,
  newReferenceId,
} from "../../src/sdk/client/pos.ts";
import type { Action, Driver, PosAnswer } from "../../src/sdk/conformance/pos/drive.ts";
import { POS_STEPS, runPosKit } from "../../src/sdk/conformance/pos/kit.ts";
import type { KitAccount } from "../../src/sdk/conformance/pos/judge.ts";
import { NOBODY } from "../../src/sdk/conformance/tester.ts";
import { inTurns } from "../support/in-turns.ts";
import { reported, stepsWith } from "../support/kit-outcomes.ts";
import { KIT_PATIENCE, kitOptions, kitShop } from "../support/pos-kit.ts";
import { type Flaw, SimplePos } from "../support/simple-pos.ts";

async function tested(make: (account: KitAccount) => Driver) {
  const shop = await kitShop();
  const outcomes = await runPosKit({ ...kitOptions(shop), driver: make(shop.account) });
  return { broken: stepsWith("broken", outcomes), kept: stepsWith("kept", outcomes), outcomes };
}

/** A POS on the client of this project. */
class ClientPos implements Driver {
  readonly #account: KitAccount;
  readonly #signsLogins: boolean;
  #client: PosClient | null = null;

  constructor(account: KitAccount, signsLogins = false) {
    this.#account = account;
    this.#signsLogins = signsLogins;
  }

  async drive(action: Action, { url }: { url: string }): Promise<PosAnswer> {
    this.#client ??= this.#signsLogins
      ? clientOf({ ...this.#account, password: undefined }, url)
      : clientOf(this.#account, url);
    try {
      const { statusCode } = await this.#call(this.#client, action);
      return statusCode === "00" ? "approved" : statusCode === "11" ? "not-approved" : "unknown";
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      return error.outcomeUnknown ? "failed-unknown" : "failed";
    }
  }

  #call(client: PosClient, { kind, about, note }: Action): Promise<TransferAnswer> {
    const { deviceId } = this.#account;
    const target = { deviceId, referenceId: newReferenceId() };
    switch (kind) {
      case "sale":
        return client.sale({
          ...target,
          transAmt: about,
          paymentMethod: "bankCard",
          ...(note === undefined ? {} : { note }),
        });
      case "void":
        return client.void({ ...target, transId: about });
      case "inquiry":
        return client.inquiry({ ...target, about: { transId: about } });
      case "cancel":
        return client.cancel({ deviceId, referenceId: about });
      default:
        return kind satisfies never;
    }
  }
}

function clientOf(
  account: Omit<KitAccount, "deviceId" | "password"> & { password: string | undefined },
  baseUrl: string,
) {
  const { posId, merchantId, password, signingKey } = account;
  return new PosClient({ baseUrl, posId, merchantId, password, signingKey });
}

/** Steps that need a person, or take minutes. */
const NOT_TRIED = ["time-out", "crash", "second-process"];
const TRIED = POS_STEPS.map(({ name }) => name).filter((name) => !NOT_TRIED.includes(name));

/** Steps in which somebody else refuses or redirects a sale. */
const FOREIGN = ["proxy-timeout", "firewall", "foreign-error", "redirect"];

const LOST = ["dropped", "server-error", "gateway-error", ...FOREIGN];
const LATER = ["refused-later", "invalid-later"];

const FLAWS: Record<Flaw, string[]> = {
  "token-in-url": ["sale", "urls"],
  "password-in-url": ["sale", "login", "urls"],
  "login-as-form": ["sale", "login"],
  "refresh-token-everywhere": ["sale", "bearer"],
  "never-refreshes": ["refresh", "login-again"],
  "refreshes-with-access-token": ["refresh"],
  "never-logs-in-again": ["login-again"],
  "new-reference-after-failure": [...LOST, ...LATER],
  "gives-up-after-failure": [...LOST, ...LATER],
  "changes-amount-on-repeat": LOST,
  "believes-any-refusal": FOREIGN,
  "takes-22-for-declined": ["pending", "pending-declined", "used-before"],
  "new-reference-after-22": ["pending", "pending-declined", "used-before", "other-original"],
  "takes-40009-for-unpaid": ["used-before", "other-original"],
  "one-reference-per-amount": ["new-attempt"],
  "ignores-retry-after": ["rate-limited"],
  hammers: ["forbidden", "invalid"],
  "believes-anybody": ["login-page", "forged", "unsigned", "other-answer", "other-original"],
  "believes-unsigned": ["login-page", "unsigned"],
  "believes-any-reference": ["other-answer", "other-original"],
  "verifies-known-members": ["unknown-members"],
  "dislikes-repetitions": [...LOST, "login-page", "pending", "forged", "unsigned", "other-answer", "replayed"],
  "voids-under-the-sale": ["void"],
  "asks-by-selling": ["inquiry"],
  "believes-its-own-cancel": ["cancel"],
  "signs-unsorted": ["sale", "signature"],
  "local-time": ["sale", "datetime"],
  "amount-as-number": ["sale", "fields"],
  "sends-twice": ["sale", "rate-limited", ...LATER],
  "forgets-after-refusal": LATER,
  "believes-any-original": ["other-original"],
  "escapes-html": ["answer-texts", "request-texts", "signature"],
  "knows-sales-only": [],
};

const NAMES = Object.keys(FLAWS) as Flaw[];

/** Most of a run is waiting. */
const runOf = inTurns(NAMES, 10, (flaw) => tested((account) => new SimplePos(account, flaw)));

describe("the POS conformance kit", { timeout: KIT_PATIENCE }, () => {
  it.for<[string, (account: KitAccount) => Driver]>([
    ["uses this project's client", (account) => new ClientPos(account)],
    ["uses it with signed logins", (account) => new ClientPos(account, true)],
    ["is simple and has no flaws", (account) => new SimplePos(account, null)],
    ["asks by number after a 22", (account) => new SimplePos(account, null, "by-number")],
    [
      "logs in again for every call",
      (account) => ({ drive: (action, situation) => new SimplePos(account, null).drive(action, situation) }),
    ],
  ])("finds every duty kept by a POS that %s", async ([, make], { expect }) => {
    const { kept, outcomes } = await tested(make);
    expect(kept, reported(outcomes)).toEqual(TRIED);
  });

  it("reports a POS that resends an old sale once, judging nothing further", async ({ expect }) => {
    let client: PosClient | null = null;
    let older: SaleRequest | null = null;
    const { outcomes } = await tested((account) => ({
      async drive(action, { url }) {
        if (action.kind !== "sale") return "unsupported";
        client ??= clientOf(account, url);
        const { deviceId } = account;
        older ??= { deviceId, referenceId: "OLD", transAmt: action.about, paymentMethod: "bankCard" };
        await client.sale(older);
        return "approved";
      },
    }));
    const why = "the POS first sent an older reference, OLD of “Makes a sale”";
    const broken = outcomes.flatMap(({ verdict }) => (verdict.kind === "broken" ? [verdict.seen] : []));
    expect(broken, reported(outcomes)).toEqual([why]);
    const blocked = outcomes.flatMap(({ verdict }) => (verdict.kind === "blocked" ? [verdict.why] : []));
    expect(blocked.length).toBeGreaterThan(5);
    expect(new Set(blocked)).toEqual(new Set([why]));
  });

  it("reports a repeated reference once, first, and refers to it elsewhere", async ({ expect }) => {
    let client: PosClient | null = null;
    const { kept, outcomes } = await tested((account) => ({
      async drive(action, { url }) {
        client ??= clientOf(account, url);
        const { deviceId } = account;
        const transAmt = action.kind === "sale" ? action.about : "1.00";
        await client.sale({ deviceId, referenceId: "ONE", transAmt, paymentMethod: "bankCard" }).catch(() => null);
        return "approved";
      },
    }));
    const [first, second, ...others] = outcomes;
    expect(kept, reported(outcomes)).toEqual([first?.step.name]);
    const seen = "the new sale has ONE of “Makes a sale”";
    expect(second).toMatchObject({ step: { name: "unique-reference" }, verdict: { kind: "broken", seen } });
    const why = "the POS gave a new sale a used referenceId (see “Uses a new referenceId for each transaction”)";
    expect(others.map(({ verdict }) => verdict)).toEqual(others.map(() => ({ kind: "blocked", why })));
  });

  it.for([
    ["a minute, if nobody is there", false, undefined, 60_000],
    ["ten, if a person is", true, undefined, 600_000],
    ["as long as the options say", true, 7, 7],
  ] as const)("gives a POS time for an action: %s", async ([, present, within, given], { expect }) => {
    const asked: unknown[] = [];
    const [outcome] = await runPosKit({
      ...kitOptions(await kitShop()),
      driver: {
        drive: async ({ kind, about }, situation) => {
          asked.push(kind, about, situation.within);
          return "nothing";
        },
      },
      tester: { ...NOBODY, present },
      only: ["sale"],
      ...(within === undefined ? {} : { within }),
    });
    expect(asked).toEqual(["sale", "1.01", given]);
    expect(outcome?.verdict).toMatchObject({
      kind: "broken",
      seen: "0 other calls; the POS showed nothing: it did not end in time",
    });
  });

  it.for(NAMES)("detects a POS with the flaw %s", async (flaw, { expect }) => {
    const { broken, outcomes } = await runOf(flaw);
    expect(broken.toSorted(), reported(outcomes)).toEqual(FLAWS[flaw].toSorted());
  });

  it("skips the actions that a POS does not support", async ({ expect }) => {
    const { outcomes } = await runOf("knows-sales-only");
    expect(stepsWith("left-out", outcomes).toSorted()).toEqual([...NOT_TRIED, "void", "inquiry", "cancel"].toSorted());
  });
});
