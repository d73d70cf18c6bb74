/** The kit for tills: it passes one that keeps its duties, and names the duty that a broken one breaks. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { ACCOUNT, CREDENTIALS } from "./account.ts";
import { sleep } from "../../../src/client/backoff.ts";
import { PosClient, PosError, type SaleRequest, type TransferAnswer, newReferenceId } from "../../../src/client/pos.ts";
import { textOf } from "../../../src/conformance/message.ts";
import {
  type Action,
  commandDriver,
  type Driver,
  personDriver,
  type Shown,
} from "../../../src/conformance/pos/drive.ts";
import { POS_STEPS, runPosKit } from "../../../src/conformance/pos/kit.ts";
import type { KitAccount } from "../../../src/conformance/pos/ledger.ts";
import type { Outcome } from "../../../src/conformance/step.ts";
import { NOBODY, type Tester } from "../../../src/conformance/tester.ts";
import type { JsonObject } from "../../../src/signing/json.ts";
import { sign, verifySignature, withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import { inTurns } from "../../support/in-turns.ts";
import { eventually } from "../../support/patience.ts";

type Flaw =
  | "token-in-url"
  | "password-in-url"
  | "login-as-form"
  | "refresh-token-everywhere"
  | "never-refreshes"
  | "refreshes-with-access-token"
  | "never-logs-in-again"
  | "new-reference-after-failure"
  | "gives-up-after-failure"
  | "changes-amount-on-repeat"
  | "takes-22-for-declined"
  | "new-reference-after-22"
  | "takes-40009-for-unpaid"
  | "one-reference-per-amount"
  | "ignores-retry-after"
  | "hammers"
  | "believes-anybody"
  | "believes-unsigned"
  | "believes-any-reference"
  | "verifies-known-members"
  | "dislikes-repetitions"
  | "voids-under-the-sale"
  | "asks-by-selling"
  | "believes-its-own-cancel"
  | "signs-unsorted"
  | "local-time"
  | "amount-as-number"
  | "sends-twice"
  | "knows-sales-only";

const KNOWN = new Set(
  (
    "transType posId deviceId referenceId statusCode responseCode responseText softwareVersion terminalSn transData " +
    "originalTransType originalReferenceId apiVersion signature"
  ).split(" "),
);

const TRIES = 7;

/** How a till asks for the outcome after a 22: it sends the same message again, or an inquiry about the number in the 22. */
type Asking = "again" | "by-number";

interface Exchange {
  status: number;
  headers: Headers;
  body: JsonObject;
}

/**
 * A till as somebody might write it without this project's client, and with the flaws that people write: each of them
 * is one that the conformance kit must find.
 */
class SimpleTill implements Driver {
  readonly #account: KitAccount;
  readonly #flaw: Flaw | null;
  readonly #asking: Asking;
  #tokens: { access: string; refresh: string } | null = null;
  #url = "";
  readonly #references = new Map<string, string>();
  #lastReference = "";

  constructor(account: KitAccount, flaw: Flaw | null, asking: Asking = "again") {
    this.#account = account;
    this.#flaw = flaw;
    this.#asking = asking;
  }

  async drive(action: Action, { url }: { url: string }): Promise<Shown> {
    this.#url = url;
    switch (action.kind) {
      case "sale":
        return this.#execute(this.#sale(action.about));
      case "void": {
        if (this.#flaw === "knows-sales-only") return "unsupported";
        const referenceId = this.#flaw === "voids-under-the-sale" ? this.#lastReference : newReferenceId();
        return this.#execute(this.#message("void", referenceId, { transId: action.about }));
      }
      case "inquiry": {
        if (this.#flaw === "knows-sales-only") return "unsupported";
        if (this.#flaw === "asks-by-selling") return this.#execute(this.#sale("1.00"));
        return this.#execute(this.#message("inquiry", newReferenceId(), { transId: action.about }));
      }
      case "cancel": {
        if (this.#flaw === "knows-sales-only") return "unsupported";
        const { posId, deviceId } = this.#account;
        const answer = await this.#send("/api/transfer/cancel", { posId, deviceId, referenceId: action.about });
        return this.#flaw === "believes-its-own-cancel" ? "not-approved" : shownOf(answer?.body ?? {});
      }
      default:
        return action.kind satisfies never;
    }
  }

  #sale(amount: string): JsonObject {
    const referenceId =
      this.#flaw === "one-reference-per-amount" ? (this.#references.get(amount) ?? newReferenceId()) : newReferenceId();
    this.#references.set(amount, referenceId);
    this.#lastReference = referenceId;
    const transAmt = this.#flaw === "amount-as-number" ? Math.round(Number(amount) * 100) : amount;
    return this.#message("sale", referenceId, { transAmt, paymentMethod: "bankCard" });
  }

  #message(transType: string, referenceId: string, transData: JsonObject): JsonObject {
    const { posId, merchantId, deviceId } = this.#account;
    return { transType, posId, merchantId, deviceId, referenceId, transData, apiVersion: "v1" };
  }

  async #execute(message: JsonObject): Promise<Shown> {
    if (this.#flaw === "sends-twice") await this.#send("/api/transfer", message);
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await this.#send("/api/transfer", message);
      const shown = await this.#judge(answer, message);
      if (shown !== null) return shown;
      await sleep(20);
    }
    return "failed-unknown";
  }

  /** What the till shows, or null when it continues. */
  async #judge(answer: Exchange | null, message: JsonObject): Promise<Shown | null> {
    if (answer === null || answer.status >= 500) return this.#failed(message);
    if (answer.status === 429) {
      const seconds = Number(answer.headers.get("Retry-After"));
      if (this.#flaw !== "ignores-retry-after") await sleep(seconds * 1_000);
      return null;
    }
    if (answer.body["code"] === 40009 && this.#flaw !== "takes-40009-for-unpaid") {
      Object.assign(message, this.#message("inquiry", textOf(message, "referenceId"), {}));
      return null;
    }
    if (answer.status !== 200) return this.#flaw === "hammers" ? null : "failed";
    if (this.#flaw === "dislikes-repetitions" && answer.headers.has("Idempotent-Replayed")) return "failed";
    if (!this.#believes(answer.body, message)) return null;
    if (answer.body["statusCode"] !== "22") return shownOf(answer.body);
    if (this.#flaw === "takes-22-for-declined") return "not-approved";
    if (this.#flaw === "new-reference-after-22") message["referenceId"] = newReferenceId();
    if (this.#asking === "by-number" && message["transType"] === "sale") {
      const { transId = "" } = { ...(answer.body["transData"] as JsonObject | undefined) };
      Object.assign(message, this.#message("inquiry", newReferenceId(), { transId }));
    }
    return null;
  }

  #failed(message: JsonObject): Shown | null {
    if (this.#flaw === "gives-up-after-failure") return "failed";
    if (this.#flaw === "new-reference-after-failure") message["referenceId"] = newReferenceId();
    if (this.#flaw === "changes-amount-on-repeat")
      message["transData"] = { transAmt: "2.00", paymentMethod: "bankCard" };
    return null;
  }

  #believes(answer: JsonObject, message: JsonObject): boolean {
    if (this.#flaw === "believes-anybody") return true;
    if (this.#flaw === "believes-unsigned" && !("signature" in answer)) return true;
    const verified =
      this.#flaw === "verifies-known-members"
        ? Object.fromEntries(Object.entries(answer).filter(([name]) => KNOWN.has(name)))
        : answer;
    if (!verifySignature(verified, this.#account.signingKey)) return false;
    return this.#flaw === "believes-any-reference" || answer["referenceId"] === message["referenceId"];
  }

  async #send(path: string, message: JsonObject): Promise<Exchange | null> {
    const at = Date.now() + (this.#flaw === "local-time" ? 8 * 3_600_000 : 0);
    const body = { ...message, datetime: formatDatetime(at) };
    const signed =
      this.#flaw === "signs-unsorted"
        ? { ...body, signature: sign({ text: JSON.stringify(body) }, this.#account.signingKey) }
        : withSignature(body, this.#account.signingKey);
    for (let tries = 0; tries < 2; tries++) {
      if (this.#tokens === null && !(await this.#login())) return null;
      const answer = await this.#post(path, signed);
      if (answer?.status !== 401) return answer;
      if (this.#flaw === "never-refreshes") return answer;
      if (!(await this.#refresh())) this.#tokens = null;
    }
    return null;
  }

  async #login(): Promise<boolean> {
    const { posId, password } = this.#account;
    const query = this.#flaw === "password-in-url" ? `?password=${encodeURIComponent(password)}` : "";
    const answer = await this.#exchange(`/auth/login${query}`, {
      headers: { "Content-Type": this.#flaw === "login-as-form" ? "text/plain" : "application/json" },
      body: JSON.stringify({ posId, password }),
    });
    return this.#keep(answer);
  }

  async #refresh(): Promise<boolean> {
    const { access = "", refresh = "" } = this.#tokens ?? {};
    const token = this.#flaw === "refreshes-with-access-token" ? access : refresh;
    const answer = await this.#exchange("/auth/refresh", { headers: { Authorization: `Bearer ${token}` } });
    if (answer?.status === 401 && this.#flaw === "never-logs-in-again") return true;
    return this.#keep(answer);
  }

  #keep(answer: Exchange | null): boolean {
    if (answer?.status !== 200) return false;
    // The assertion: the kit's own form
    const pair = answer.body as { access: { token: string }; refresh: { token: string } };
    this.#tokens = { access: pair.access.token, refresh: pair.refresh.token };
    return true;
  }

  async #post(path: string, body: JsonObject): Promise<Exchange | null> {
    const { access = "", refresh = "" } = this.#tokens ?? {};
    const token = this.#flaw === "refresh-token-everywhere" ? refresh : access;
    return this.#exchange(this.#flaw === "token-in-url" ? `${path}?token=${token}` : path, {
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  }

  async #exchange(path: string, init: { headers: Record<string, string>; body?: string }): Promise<Exchange | null> {
    try {
      const response = await fetch(this.#url + path, { method: "POST", ...init });
      const body: JsonObject = await response.json();
      return { status: response.status, headers: response.headers, body };
    } catch {
      return null;
    }
  }
}

function shownOf({ statusCode }: JsonObject): Shown {
  if (statusCode === "00") return "approved";
  return statusCode === "11" ? "not-approved" : "unknown";
}

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
        return client.sale({ ...target, transAmt: action.about, paymentMethod: "bankCard" });
      case "void":
        return client.void({ ...target, transId: action.about });
      case "inquiry":
        return client.inquiry({ ...target, about: { transId: action.about } });
      case "cancel":
        return client.cancel({ deviceId: ACCOUNT.deviceId, referenceId: action.about });
      default:
        return action.kind satisfies never;
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
  "one-reference-per-amount": ["new-attempt"],
  "ignores-retry-after": ["rate-limited"],
  hammers: ["forbidden", "invalid"],
  "believes-anybody": ["forged", "unsigned", "other-answer"],
  "believes-unsigned": ["unsigned"],
  "believes-any-reference": ["other-answer"],
  "verifies-known-members": ["unknown-members"],
  "dislikes-repetitions": ["dropped", "replayed"],
  "voids-under-the-sale": ["void"],
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
        older ??= { deviceId: "T-1", referenceId: "OLD", transAmt: action.about, paymentMethod: "bankCard" };
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

  it("says first, and once, that a till repeats one reference, and refers to that in every other step", async ({
    expect,
  }) => {
    let client: PosClient | null = null;
    const { kept, outcomes } = await tested({
      async drive(action, { url }) {
        client ??= new PosClient({ baseUrl: url, ...CREDENTIALS });
        const amount = action.kind === "sale" ? action.about : "1.00";
        await client.sale({ deviceId: "T-1", referenceId: "ONE", transAmt: amount, paymentMethod: "bankCard" });
        return "approved";
      },
    });
    const [first, second, ...others] = outcomes;
    expect(kept, reported(outcomes)).toEqual([first?.step.name]);
    const seen = "the new sale has ONE of “Makes a sale”";
    expect(second).toMatchObject({ step: { name: "unique-reference" }, verdict: { kind: "broken", seen } });
    const why = "the till gave a new sale a used referenceId (see “Uses a new referenceId for each transaction”)";
    expect(others.map(({ verdict }) => verdict)).toEqual(others.map(() => ({ kind: "blocked", why })));
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

const URL_OF_KIT = "http://127.0.0.1:9001";
const now = { url: URL_OF_KIT, within: 60_000, heard: Promise.resolve() };
const ACTIONS: [Action, string, string][] = [
  [{ kind: "sale", about: "1.05" }, "make a sale of 1.05, and wait until it shows an outcome.", "AMOUNT"],
  [{ kind: "void", about: "1000000042" }, "void the sale 1000000042.", "TRANS_ID"],
  [{ kind: "inquiry", about: "1000000042" }, "ask what became of the sale 1000000042.", "TRANS_ID"],
  [{ kind: "cancel", about: "R-1" }, "cancel the sale with the reference R-1.", "REFERENCE_ID"],
];

/** Notes what is said, and answers so. */
function personWho(answer: string | null) {
  const heard: unknown[] = [];
  const tester: Tester = {
    ...NOBODY,
    tell: (text) => heard.push(text),
    confirm: async (question) => {
      heard.push(question);
      return null;
    },
    choose: async (question, choices) => {
      heard.push(question, choices);
      return choices.find((choice) => choice === answer) ?? null;
    },
  };
  return { driver: personDriver(tester), heard };
}

describe("a person at the till", () => {
  it.for(ACTIONS)(
    "is told what to do for %j, and asked for the outcome when the till has sent its message",
    async ([action, text], { expect }) => {
      const message = Promise.withResolvers<void>();
      const { driver, heard } = personWho("approved");
      const driving = driver.drive(action, { ...now, heard: message.promise });
      expect(heard).toEqual([`At the till: ${text}`]);
      message.resolve();
      expect(await driving).toBe("approved");
      const choices = ["approved", "not approved", "unknown", "error", "does not know this"];
      expect(heard.slice(1)).toEqual(["What does the till show when it is done?", choices]);
    },
  );

  it.for<[string | null, Shown]>([
    ["not approved", "not-approved"],
    ["unknown", "unknown"],
    ["error", "failed-unknown"],
    ["does not know this", "unsupported"],
    [null, "nothing"],
  ])("who says %s", async ([answer, shown], { expect }) => {
    expect(await personWho(answer).driver.drive({ kind: "sale", about: "1.00" }, now)).toBe(shown);
  });

  it("switches the till off after its message, and is asked when it runs again", async ({ expect }) => {
    const message = Promise.withResolvers<void>();
    const { driver, heard } = personWho(null);
    const crashing = driver.crash?.({ kind: "sale", about: "1.05" }, { ...now, heard: message.promise });
    const told = ["At the till: make a sale of 1.05, and switch the till off at once. Then start it again."];
    expect(heard).toEqual(told);
    message.resolve();
    expect(await crashing).toBeNull();
    expect(heard).toEqual([...told, "Has the till started again, and have you done what it asked?"]);
  });
});

describe("a command that drives a till", () => {
  let folder: string;
  let notes: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "drive-"));
    notes = join(folder, "notes");
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** What the commands have written since the last look. */
  function noted(): string[] {
    const lines = readFileSync(notes, "utf8").split("\n").slice(0, -1);
    rmSync(notes);
    return lines;
  }

  const driverOf = (command: string, restart?: (url: string) => void) =>
    commandDriver(command, { NOTES: notes, POS_ID: "POS-1" }, { output: "hidden", restart });

  it.for<[string, Shown]>([
    ["exit 0", "approved"],
    ["exit 1", "not-approved"],
    ["exit 2", "unknown"],
    ["exit 3", "failed"],
    ["exit 4", "failed-unknown"],
    ["exit 5", "unsupported"],
    // A crash is not "unsupported": the kit would skip the step.
    ["exit 6", "crashed"],
    ["no-such-command-of-any-till", "crashed"],
    ["kill -9 $$", "nothing"],
  ])("%s: %s", async ([command, shown], { expect }) => {
    expect(await driverOf(command).drive({ kind: "void", about: "1000000042" }, now)).toBe(shown);
  });

  it.for(ACTIONS)("gets %j and the account in its environment", async ([action, , variable], { expect }) => {
    const command =
      'echo "$ACTION,$ARGUMENTS,$GATEWAY_URL,$POS_ID" > "$NOTES"; for name in AMOUNT TRANS_ID REFERENCE_ID; do eval echo "$name \\$$name" >> "$NOTES"; done';
    // What the kit itself has there is not meant for the till.
    for (const name of ["AMOUNT", "TRANS_ID", "REFERENCE_ID", "ARGUMENTS"]) vi.stubEnv(name, "left over");
    expect(await driverOf(command).drive(action, now)).toBe("approved");
    vi.unstubAllEnvs();
    const { kind, about } = action;
    const set = (name: string) => `${name} ${name === variable ? about : ""}`.trim();
    expect(noted().map((line) => line.trim())).toEqual([
      `${kind},${about},${URL_OF_KIT},POS-1`,
      ...["AMOUNT", "TRANS_ID", "REFERENCE_ID"].map(set),
    ]);
  });

  it("that takes too long is ended, and shows nothing", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const command = 'trap \'echo ended >> "$NOTES"; exit 0\' TERM; echo began >> "$NOTES"; sleep 60 & wait';
    const shown = driverOf(command).drive({ kind: "sale", about: "1.00" }, now);
    await eventually(() => expect(readFileSync(notes, "utf8")).toBe("began\n"));
    vi.advanceTimersByTime(now.within);
    vi.useRealTimers();
    expect(await shown).toBe("nothing");
    await eventually(() => expect(readFileSync(notes, "utf8")).toBe("began\nended\n"));
    rmSync(notes);
  });

  it.for([
    ["when its message has come", Promise.resolve(), "sleep 60"],
    ["when it has had its time", new Promise<void>(() => undefined), "sleep 60"],
    ["when it has ended before", new Promise<void>(() => undefined), "exit 3"],
  ] as const)("is killed %s, and started again to recover", async ([, heard, sells], { expect }) => {
    const command = `echo "$ACTION $ARGUMENTS" >> "$NOTES"; if [ "$ACTION" = sale ]; then ${sells}; fi; exit 2`;
    const restarted: string[] = [];
    const driver = driverOf(command, (url) => restarted.push(url));
    const within = sells === "sleep 60" ? 1_000 : 60_000;
    expect(
      await driver.crash?.(
        { kind: "sale", about: "1.00" },
        { ...now, heard, within: heard === now.heard ? 60_000 : within },
      ),
    ).toBe("unknown");
    expect(restarted).toEqual([URL_OF_KIT]);
    expect(noted().at(-1)).toBe("recover ");
  });
});
