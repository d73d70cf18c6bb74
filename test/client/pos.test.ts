/** The POS client at the real gateway, over a connection that can be made to fail. */
import { afterEach, describe, it, vi } from "vitest";
import { PosClient, PosError, newReferenceId } from "../../src/client/pos.ts";
import type { PosClientOptions, SaleRequest, TokenPair, TokenStore, TransferProgress } from "../../src/client/pos.ts";
import type { SimulatedTerminal } from "../../src/simulator/simulated-terminal.ts";
import { BASE_URL, bindTerminal, createAccount, enrolTerminal, operator } from "../support/gateway.ts";
import type { Account, EnrolledTerminal } from "../support/gateway.ts";
import { connectedTerminal, frontDoor } from "../support/simulated-terminal.ts";

/** What happens to one request on its way. All others pass. */
type Fate = (request: Request, pass: () => Promise<Response>) => Promise<Response>;

const LOST: Fate = async () => {
  throw new TypeError("connection refused");
};

const ANSWER_LOST: Fate = async (_, pass) => {
  await pass();
  throw new TypeError("connection reset");
};

function streamOf(body: BodyInit): Response {
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** The connection breaks after this stage. */
function cutAfter(stage: string): Fate {
  return cut(stage, (controller) => controller.error(new TypeError("connection reset")));
}

/** A proxy ends the stream properly after this stage. */
function endedAfter(stage: string): Fate {
  return cut(stage, (controller) => controller.close());
}

function cut(stage: string, how: (controller: ReadableStreamDefaultController<string>) => void): Fate {
  return async (_, pass) => {
    const response = await pass();
    if (response.body === null) throw new Error("no stream");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const body = new ReadableStream<string>({
      // Called after the previous text was read: an error would discard unread text.
      pull: async (controller) => {
        if (isCut) return how(controller);
        const { value = "" } = await reader.read();
        const at = value.indexOf(`"${stage}"`);
        isCut = at >= 0;
        controller.enqueue(isCut ? value.slice(0, value.indexOf("\n\n", at) + 2) : value);
        if (isCut) await reader.cancel();
      },
    });
    let isCut = false;
    return streamOf(body.pipeThrough(new TextEncoderStream()));
  };
}

function answered(status: number, headers: Record<string, string> = {}): Fate {
  return async () => Response.json({ message: "no" }, { status, headers });
}

/** A till whose wire a test can break. */
class Till {
  readonly account: Account;
  readonly terminal: EnrolledTerminal;
  readonly client: PosClient;
  /** Every request that left the client, in order. */
  readonly sent: {
    path: string;
    body: Record<string, unknown> | null;
    prefer: string | null;
    accept: string | null;
  }[] = [];
  readonly #fates: { path: string; fate: Fate }[] = [];

  constructor(account: Account, terminal: EnrolledTerminal, overrides: Partial<PosClientOptions> = {}) {
    this.account = account;
    this.terminal = terminal;
    const { posId, password, merchantId, signingKey } = account;
    this.client = new PosClient({
      baseUrl: BASE_URL,
      posId,
      password,
      merchantId,
      signingKey,
      fetch: (request) => this.#fetch(request),
      ...overrides,
    });
  }

  static async create(overrides: Partial<PosClientOptions> = {}): Promise<Till> {
    // Tokens end at midnight, which these tests avoid: in one of the two time zones, midnight is ten hours away.
    const timezone = new Date().getUTCHours() < 12 ? "Etc/UTC" : "Pacific/Honolulu";
    const [account, terminal] = await Promise.all([createAccount({ timezone }), enrolTerminal()]);
    await bindTerminal(account, terminal);
    return new Till(account, terminal, overrides);
  }

  /** What happens to the next requests to `path`, one each. */
  onTheWayTo(path: string, ...fates: Fate[]): void {
    this.#fates.push(...fates.map((fate) => ({ path, fate })));
  }

  paths(): string[] {
    return this.sent.map(({ path }) => path);
  }

  bodies(path: string): Record<string, unknown>[] {
    return this.sent.flatMap((one) => (one.path === path && one.body !== null ? [one.body] : []));
  }

  sale(overrides: Partial<SaleRequest> = {}): SaleRequest {
    const deviceId = this.terminal.terminalId;
    return { deviceId, referenceId: newReferenceId(), transAmt: "12.50", paymentMethod: "bankCard", ...overrides };
  }

  async #fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const text = await request.clone().text();
    const prefer = request.headers.get("Prefer");
    const accept = request.headers.get("Accept");
    this.sent.push({ path: pathname, body: text === "" ? null : JSON.parse(text), prefer, accept });
    const index = this.#fates.findIndex(({ path }) => path === pathname);
    const [next] = index < 0 ? [] : this.#fates.splice(index, 1);
    const pass = (): Promise<Response> => frontDoor(request);
    return next === undefined ? pass() : next.fate(request, pass);
  }
}

async function diskFull(): Promise<never> {
  throw new Error("the disk is full");
}

const terminals: SimulatedTerminal[] = [];

afterEach(async () => {
  await Promise.all(terminals.splice(0).map((terminal) => terminal.stop()));
});

async function connect(till: Till): Promise<SimulatedTerminal> {
  const terminal = await connectedTerminal(till.terminal);
  terminals.push(terminal);
  return terminal;
}

async function failureOf(call: Promise<unknown>): Promise<PosError> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof PosError) return outcome;
  throw new Error(`not a PosError: ${String(outcome)}`);
}

describe("a POS client's session", () => {
  it("begins with the first call and serves the next ones", async ({ expect }) => {
    const till = await Till.create();
    await till.client.terminals();
    await till.client.prebound();
    expect(till.paths()).toEqual(["/auth/login", "/api/terminals", "/api/prebind-terminals"]);
  });

  it("is refreshed once, however many calls meet a 401 together", async ({ expect }) => {
    const till = await Till.create();
    await till.client.login();
    till.onTheWayTo("/api/terminals", answered(401), answered(401), answered(401));
    await Promise.all([till.client.terminals(), till.client.terminals(), till.client.terminals()]);
    expect(till.paths().filter((path) => path.startsWith("/auth"))).toEqual(["/auth/login", "/auth/refresh"]);
  });

  it("is refreshed before the access token expires", async ({ expect }) => {
    let now = Date.now();
    const till = await Till.create({ now: () => now });
    await till.client.login();
    now += 15 * 60_000 - 10_000;
    await till.client.terminals();
    expect(till.paths()).toEqual(["/auth/login", "/auth/refresh", "/api/terminals"]);
  });

  it("starts again with the password when the refresh token is refused", async ({ expect }) => {
    const till = await Till.create();
    await till.client.login();
    till.onTheWayTo("/api/terminals", answered(401));
    till.onTheWayTo("/auth/refresh", answered(401));
    expect(await till.client.terminals()).toHaveLength(1);
    expect(till.paths().slice(1)).toEqual(["/api/terminals", "/auth/refresh", "/auth/login", "/api/terminals"]);
  });

  it("starts again with the next call after a logout", async ({ expect }) => {
    const till = await Till.create();
    await till.client.login();
    await till.client.logout();
    await till.client.terminals();
    expect(till.paths()).toEqual(["/auth/login", "/auth/logout", "/auth/login", "/api/terminals"]);
  });

  it("that has ended at the gateway can be logged out of as well", async ({ expect }) => {
    const till = await Till.create();
    await till.client.login();
    till.onTheWayTo("/auth/logout", ANSWER_LOST);
    await till.client.logout();
    expect(till.paths()).toEqual(["/auth/login", "/auth/logout", "/auth/logout"]);
  });

  it("continues in another client with the same store, until the logout", async ({ expect }) => {
    const kept: (TokenPair | null)[] = [];
    const tokens: TokenStore = {
      load: async () => kept.at(-1) ?? null,
      save: async (pair) => void kept.push(pair),
    };
    const till = await Till.create({ tokens });
    await till.client.terminals();
    const again = new Till(till.account, till.terminal, { tokens });
    await again.client.terminals();
    await again.client.refresh();
    await again.client.logout();
    expect(again.paths()).toEqual(["/api/terminals", "/auth/refresh", "/auth/logout"]);
    expect(kept.map((pair) => pair !== null)).toEqual([true, true, false]);
  });

  it("begins with a login if its store fails", async ({ expect }) => {
    const till = await Till.create({ tokens: { load: diskFull, save: diskFull } });
    await till.client.terminals();
    await till.client.terminals();
    expect(till.paths()).toEqual(["/auth/login", "/api/terminals", "/api/terminals"]);
  });

  it("that gets no answer does not block a caller who gives up", async ({ expect }) => {
    const till = await Till.create();
    const stopping = new AbortController();
    till.onTheWayTo("/auth/login", async () => {
      stopping.abort();
      return new Promise<never>(() => undefined);
    });
    const error = await failureOf(till.client.sale(till.sale(), { signal: stopping.signal }));
    expect(error).toMatchObject({ kind: "aborted", outcomeUnknown: false });
  });

  it("with a wrong password fails at once, and no payment was taken", async ({ expect }) => {
    const till = await Till.create({ password: "not the password" });
    const error = await failureOf(till.client.sale(till.sale()));
    expect(error).toMatchObject({ kind: "unauthorized", outcomeUnknown: false });
  });

  it("of a suspended account is forbidden", async ({ expect }) => {
    const till = await Till.create();
    await operator("PATCH", `/operator/accounts/${till.account.posId}`, { status: "suspended" });
    expect(await failureOf(till.client.login())).toMatchObject({ kind: "forbidden" });
  });
});

describe("a POS client's lists", () => {
  it("show the account's terminals, prebinding and channels", async ({ expect }) => {
    const till = await Till.create();
    const { terminalId } = till.terminal;
    expect(await till.client.terminals()).toEqual([{ terminalId, connected: false, isVT: 0 }]);
    expect(await till.client.terminal(terminalId)).toMatchObject({ terminalId, connected: false, lastHeartbeat: null });
    await till.client.prebind(["t-1", "t-2"]);
    expect(await till.client.prebound()).toEqual(["t-1", "t-2"]);
    const name = `Wallet & Co ${crypto.randomUUID().slice(0, 8)}`;
    const channel = { status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logo.png" };
    await operator("PUT", `/operator/channels/${encodeURIComponent(name)}`, channel);
    expect(await till.client.channels("MYR")).toContainEqual({ name, ...channel });
    expect(await till.client.channels("JPY")).not.toContainEqual({ name, ...channel });
  });

  it("come again after a failing connection and a 500", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    till.onTheWayTo("/api/terminals", LOST, answered(500));
    expect(await till.client.terminals()).toHaveLength(1);
  });

  it("fail with what the gateway said when the time runs out", async ({ expect }) => {
    const till = await Till.create();
    till.onTheWayTo("/api/terminals", answered(429, { "Retry-After": "60" }));
    expect(await failureOf(till.client.terminals())).toMatchObject({ kind: "rate_limited", problem: { status: 429 } });
  });
});

describe("a login", () => {
  it("without a password is signed, and signed again after a lost answer", async ({ expect }) => {
    const till = await Till.create({ password: undefined, random: () => 0 });
    till.onTheWayTo("/auth/login", ANSWER_LOST);
    expect(await till.client.terminals()).toHaveLength(1);
    const logins = till.bodies("/auth/login");
    expect(logins.map((body) => Object.keys(body))).toEqual([LOGIN, LOGIN]);
    expect(new Set(logins.map(({ nonce }) => nonce)).size).toBe(2);
  });

  it("that is not signed with the account's key is refused", async ({ expect }) => {
    const till = await Till.create({ password: undefined, signingKey: "another key" });
    expect(await failureOf(till.client.login())).toMatchObject({ kind: "unauthorized" });
  });

  it("that gets a Retry-After retries somewhat later than that, and not together with all others", async ({
    expect,
  }) => {
    for (const random of [0, 0.5, 1]) {
      const till = await Till.create({ password: undefined, random: () => random });
      till.onTheWayTo("/auth/login", answered(429, { "Retry-After": "1" }));
      const timers = vi.spyOn(globalThis, "setTimeout");
      await till.client.login();
      expect(timers.mock.calls.map(([, delay]) => delay)).toContain(1_000 + 500 * random);
      timers.mockRestore();
    }
  });
});

/** The members of a signed login. */
const LOGIN = ["posId", "datetime", "nonce", "signature"];

describe("unbinding", () => {
  it("succeeds even if the first answer was lost", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    const { terminalId } = till.terminal;
    till.onTheWayTo(`/api/terminals/${terminalId}`, ANSWER_LOST);
    await till.client.unbind(terminalId);
    expect(await till.client.terminals()).toEqual([]);
  });

  it("of a terminal that is not the account's is refused", async ({ expect }) => {
    const till = await Till.create();
    expect(await failureOf(till.client.unbind("somebody-elses"))).toMatchObject({ problem: { status: 404 } });
  });
});

describe("a bind key", () => {
  it("comes as text and as a picture", async ({ expect }) => {
    const till = await Till.create();
    expect((await till.client.bindKey()).key).toMatch(/^[0-9A-Z]{8}$/u);
    const { image, expiresAt } = await till.client.bindKeyImage();
    expect(Array.from(image.slice(0, 4))).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$/u);
  });
});

describe("a transfer", () => {
  it("of each type returns its outcome", async ({ expect }) => {
    const till = await Till.create();
    await connect(till);
    const { deviceId } = till.sale();
    const sale = await till.client.sale(till.sale());
    expect(sale).toMatchObject({ statusCode: "00", transType: "sale", transData: { transAmt: "12.50" } });
    const transId = sale.transData?.transId ?? "";
    const amounts = { transAmt: "50.00", cashAmt: "20.00" };
    const cashOut = await till.client.cashOut({ deviceId, referenceId: newReferenceId(), ...amounts });
    expect(cashOut).toMatchObject({ statusCode: "00", transData: amounts });
    const voided = await till.client.void({ deviceId, referenceId: newReferenceId(), transId });
    expect(voided).toMatchObject({ statusCode: "00", transData: { transId } });
    const inquiry = await till.client.inquiry({ deviceId, referenceId: newReferenceId(), about: { transId } });
    expect(inquiry).toMatchObject({ statusCode: "00", originalReferenceId: sale.referenceId, voidStatus: "00" });
    const last = await till.client.getLast({ deviceId, referenceId: newReferenceId() });
    expect(last).toMatchObject({ statusCode: "00", originalReferenceId: voided.referenceId });
    const cancelled = await till.client.cancel({ deviceId, referenceId: newReferenceId() });
    expect(cancelled).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
  });

  it.for([
    ["before it arrives", LOST],
    ["after it arrived", ANSWER_LOST],
    ["with a 500", answered(500)],
    ["with a 429", answered(429)],
  ] as const)("whose connection fails %s is sent again and charged once", async ([, fate], { expect }) => {
    const till = await Till.create({ random: () => 0 });
    const terminal = await connect(till);
    till.onTheWayTo("/api/transfer", fate, fate);
    const request = till.sale();
    expect((await till.client.sale(request)).statusCode).toBe("00");
    expect(till.bodies("/api/transfer")).toHaveLength(3);
    expect(terminal.ledger.of(till.account.posId, request.referenceId)).toHaveLength(1);
  });

  it("is repeated as the same transaction with a new time stamp and signature", async ({ expect }) => {
    let now = Date.now();
    const till = await Till.create({ random: () => 0, now: () => now });
    await connect(till);
    till.onTheWayTo("/api/transfer", async () => {
      now += 5_000;
      throw new TypeError("connection refused");
    });
    await till.client.sale(till.sale());
    const [first, second] = till.bodies("/api/transfer").map(({ datetime, signature, ...rest }) => ({
      stamp: { datetime, signature },
      rest,
    }));
    expect(second?.rest).toEqual(first?.rest);
    expect(second?.stamp.datetime).not.toBe(first?.stamp.datetime);
    expect(second?.stamp.signature).not.toBe(first?.stamp.signature);
  });

  it("that is pending is asked about until it is settled", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    const terminal = await connect(till);
    const request = till.sale({ transAmt: "10.22" });
    expect((await till.client.sale(request)).statusCode).toBe("00");
    expect(terminal.ledger.of(till.account.posId, request.referenceId)).toHaveLength(1);
  });

  it("reports its progress while it waits", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    await connect(till);
    till.onTheWayTo("/api/transfer", LOST);
    const told: TransferProgress[] = [];
    await till.client.sale(till.sale({ transAmt: "10.22" }), { onProgress: (progress) => told.push(progress) });
    const changes = told.filter(({ state, attempt }, index) => {
      const before = told[index - 1];
      return before?.state !== state || before.attempt !== attempt;
    });
    expect(changes).toMatchObject([
      { state: "asking", attempt: 1, pending: null, problem: null },
      { state: "waiting", attempt: 1, pending: null, problem: { kind: "unreachable" } },
      { state: "asking", attempt: 2, pending: null },
      { state: "waiting", attempt: 2, pending: { statusCode: "22", responseCode: "09" }, problem: null },
      { state: "asking", attempt: 3, pending: { statusCode: "22" } },
    ]);
    for (const { elapsed, left } of told) expect(elapsed + left).toBe(180_000);
  });

  it("reports the stages that it reaches as they come, each once", async ({ expect }) => {
    const till = await Till.create();
    await connect(till);
    const told: string[][] = [];
    const onProgress = ({ stages }: TransferProgress): void => void told.push(stages.map(({ stage }) => stage));
    expect((await till.client.sale(till.sale(), { onProgress })).statusCode).toBe("00");
    const all = ["received", "sent", "accepted", "present", "reading", "authorising", "printing"];
    expect(told.at(-1)).toEqual(all);
    expect(new Set(told.map((stages) => stages.length)).size).toBe(all.length + 1);
    expect(till.sent.at(-1)?.accept).toBe("text/event-stream, application/json;q=0.9");
    expect(till.bodies("/api/transfer")).toHaveLength(1);
  });

  it("does not ask for stages if the caller does not want them, nor for those of a cancel", async ({ expect }) => {
    const till = await Till.create();
    await connect(till);
    const request = till.sale();
    await till.client.sale(request);
    await till.client.cancel(request, { onProgress: () => undefined });
    expect(till.sent.filter(({ path }) => path.startsWith("/api/transfer")).map(({ accept }) => accept)).toEqual([
      null,
      null,
    ]);
  });

  it("is sent again when its stream breaks, and reports no stage twice", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    const terminal = await connect(till);
    till.onTheWayTo("/api/transfer", cutAfter("accepted"), cutAfter("received"), endedAfter("accepted"));
    const problems = new Set<string>();
    let last: string[] = [];
    const request = till.sale();
    const answer = await till.client.sale(request, {
      onProgress: ({ stages, problem }) => {
        last = stages.map(({ stage }) => stage);
        if (problem !== null) problems.add(problem.kind);
      },
    });
    expect(answer.statusCode).toBe("00");
    expect(till.bodies("/api/transfer")).toHaveLength(4);
    expect([...problems]).toEqual(["unreachable"]);
    expect(last).toEqual([...new Set(last)]);
    expect(last.slice(0, 4)).toEqual(["received", "sent", "accepted", "present"]);
    expect(terminal.ledger.of(till.account.posId, request.referenceId)).toHaveLength(1);
  });

  it("is forged if its stream says something else than its signed answer", async ({ expect }) => {
    const till = await Till.create();
    const answer = '{"statusCode":"00"}';
    till.onTheWayTo("/api/transfer", async () => streamOf(`event: result\ndata: ${answer}\n\n`));
    const error = await failureOf(till.client.sale(till.sale(), { onProgress: () => undefined }));
    expect(error).toMatchObject({ kind: "forged_answer", outcomeUnknown: true });
  });

  it("ignores stages and events that it does not know", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    await connect(till);
    const at = "2026-11-20T18:04:07.050+08:00";
    const unknown = [{ stage: "teleporting", at }, { stage: "pin" }, null, "pin"].map((data) => JSON.stringify(data));
    const text = ["no JSON", ...unknown, JSON.stringify({ stage: "pin", at })].map(
      (data) => `event: stage\ndata: ${data}\n\n`,
    );
    till.onTheWayTo("/api/transfer", async () => streamOf(`event: other\ndata: {}\n\n${text.join("")}`));
    const seen: string[][] = [];
    const onProgress = ({ stages }: TransferProgress): void => void seen.push(stages.map(({ stage }) => stage));
    expect((await till.client.sale(till.sale(), { onProgress })).statusCode).toBe("00");
    expect(seen.find((stages) => stages.length > 0)).toEqual(["pin"]);
  });

  it("is also answered by a gateway that does not stream", async ({ expect }) => {
    const till = await Till.create();
    await connect(till);
    till.onTheWayTo("/api/transfer", (request) => {
      const plain = new Request(request);
      plain.headers.delete("Accept");
      return frontDoor(plain);
    });
    let stages: TransferProgress["stages"] | null = null;
    const onProgress = (progress: TransferProgress): void => void (stages = progress.stages);
    expect((await till.client.sale(till.sale(), { onProgress })).statusCode).toBe("00");
    expect(stages).toEqual([]);
  });

  it("that is refused gives the same error whether or not its stages are asked for", async ({ expect }) => {
    const till = await Till.create();
    const error = await failureOf(till.client.sale(till.sale({ transAmt: "12.5" }), { onProgress: () => undefined }));
    expect(error).toMatchObject({ kind: "invalid_request", outcomeUnknown: false });
    expect(error.problem.details?.map(({ path }) => path)).toEqual(["transData.transAmt"]);
  });

  it("that only the operator can settle comes back at once", async ({ expect }) => {
    const till = await Till.create();
    const terminal = await connect(till);
    terminal.behaveNext({ kind: "slow", milliseconds: 60_000 });
    const request = till.sale();
    await till.client.sale(request, { within: 1_500 });
    // Another device comes with the same identity, and an empty memory.
    terminal.powerCut();
    terminal.loseMemory();
    await terminal.start();
    const before = till.bodies("/api/transfer").length;
    expect(await till.client.sale(request)).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    expect(till.bodies("/api/transfer")).toHaveLength(before + 1);
  });

  it("that is still pending when the time runs out comes back as its 22", async ({ expect }) => {
    const till = await Till.create();
    const terminal = await connect(till);
    terminal.behaveNext({ kind: "slow", milliseconds: 60_000 });
    const answer = await till.client.sale(till.sale(), { within: 1_500 });
    expect(answer).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
    expect(till.sent.at(-1)?.prefer).toBe("respond-async");
  });

  it("waits at the gateway no longer than the caller wants", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    await connect(till);
    await till.client.sale(till.sale(), { wait: 7 });
    expect(till.sent.at(-1)?.prefer).toBe("wait=7");
  });

  it("that the gateway refuses is an error that names the fields, and moves no money", async ({ expect }) => {
    const till = await Till.create();
    const error = await failureOf(till.client.sale(till.sale({ transAmt: "12.5" })));
    expect(error).toMatchObject({ kind: "invalid_request", outcomeUnknown: false });
    expect(error.problem.details?.map(({ path }) => path)).toEqual(["transData.transAmt"]);
  });

  it("that is refused after an earlier attempt may have arrived leaves its outcome unknown", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    till.onTheWayTo("/api/transfer", LOST, answered(400));
    expect(await failureOf(till.client.sale(till.sale()))).toMatchObject({
      kind: "invalid_request",
      outcomeUnknown: true,
    });
  });

  it.for([
    ["in another status", { statusCode: "00", responseCode: "00" }],
    ["without a signature", { signature: undefined }],
    ["with a signature of zeros", { signature: "0".repeat(64) }],
  ] as const)("answered %s is forged: an error, never a result", async ([, changes], { expect }) => {
    const till = await Till.create();
    till.onTheWayTo("/api/transfer", async (_, pass) => {
      const answer: object = await (await pass()).json();
      return Response.json({ ...answer, ...changes });
    });
    expect(await failureOf(till.client.sale(till.sale()))).toMatchObject({
      kind: "forged_answer",
      outcomeUnknown: true,
    });
  });

  it("answered with the genuine answer to another transfer is forged, too", async ({ expect }) => {
    const till = await Till.create();
    let other: unknown;
    till.onTheWayTo("/api/transfer", async (_, pass) => {
      const response = await pass();
      other = await response.clone().json();
      return response;
    });
    await till.client.sale(till.sale());
    till.onTheWayTo("/api/transfer", async () => Response.json(other));
    expect(await failureOf(till.client.sale(till.sale()))).toMatchObject({ kind: "forged_answer" });
  });

  it("answered with a proxy's page is not a result", async ({ expect }) => {
    const till = await Till.create();
    till.onTheWayTo("/api/transfer", async () => new Response("<html>Log in to the hotel's network</html>"));
    expect(await failureOf(till.client.sale(till.sale()))).toMatchObject({ kind: "unexpected_answer" });
  });

  it("can be stopped by the caller, who learns that its outcome is unknown", async ({ expect }) => {
    const till = await Till.create();
    const terminal = await connect(till);
    terminal.behaveNext({ kind: "slow", milliseconds: 60_000 });
    const stopping = new AbortController();
    till.onTheWayTo("/api/transfer", async (_, pass) => {
      stopping.abort();
      return pass();
    });
    const { signal } = stopping;
    expect(await failureOf(till.client.sale(till.sale(), { signal }))).toMatchObject({
      kind: "aborted",
      outcomeUnknown: true,
    });
  });

  it("fails as unreachable when nobody answers before the time runs out", async ({ expect }) => {
    const till = await Till.create({ random: () => 0 });
    till.onTheWayTo("/api/transfer", LOST, LOST, LOST, LOST, LOST);
    const error = await failureOf(till.client.sale(till.sale(), { within: 600 }));
    expect(error).toMatchObject({ kind: "unreachable", outcomeUnknown: true });
    expect(error.message).toBe(`The gateway at ${BASE_URL} could not be reached, or the connection broke.`);
  });
});

describe("a new referenceId", () => {
  it("has 20 letters and digits, is unique and sorts by time", ({ expect }) => {
    const ids = Array.from({ length: 500 }, () => newReferenceId());
    for (const id of ids) expect(id).toMatch(/^[0-9A-Z]{20}$/u);
    expect(new Set(ids).size).toBe(ids.length);
    expect(newReferenceId(1_000) < newReferenceId(2_000)).toBe(true);
  });
});
