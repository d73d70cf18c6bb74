/** I6: what is logged: one line per request and per end of a transaction, and never a secret or a card number. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import {
  bind,
  bindMessage,
  call,
  createAccount,
  enrolTerminal,
  login,
  loginMessage,
  loginTerminal,
  operator,
  OPERATOR_TOKEN,
  send,
  type Tokens,
} from "../../../support/gateway.ts";
import { approved, Scene, setChannel, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { eventsIn, journalIn, TABLES } from "../../../support/stored-rows.ts";

useFakeClock();
const scene = useAccount();

afterEach(() => {
  vi.restoreAllMocks();
});

interface Line {
  level: string;
  event: string;
  [member: string]: unknown;
}

/** Every line that is written to the console from now on, from any source. */
function consoleLines(): string[] {
  const lines: string[] = [];
  for (const method of ["log", "error", "warn", "info", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => void lines.push(values.join(" ")));
  }
  return lines;
}

const parsed = (lines: string[]): Line[] => lines.map((line) => JSON.parse(line) as Line);

describe("the log", () => {
  it("has a line for each transaction's end, with outcome and durations", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const lines = consoleLines();
    const { answer, request } = await approved(here, connection);
    const milliseconds = expect.any(Number) as number;
    const events = parsed(lines);
    // A log line costs more than the call to the object that it describes, so one line has everything.
    expect(events.filter(({ event }) => event === "transaction_changed")).toEqual([
      {
        level: "info",
        event: "transaction_changed",
        terminal: here.terminal.terminalId,
        account: here.pos.account.posId,
        transaction: Number(request.requestId),
        transType: "sale",
        stage: "completed",
        attempt: 1,
        outcome: "00 00",
        by: "terminal",
        sentAfter: milliseconds,
        acceptedAfter: milliseconds,
        sinceReceived: milliseconds,
        sinceLastStage: milliseconds,
      },
    ]);
    expect(events.filter(({ level }) => level !== "info")).toEqual([]);
    // The request's line names the same transaction.
    expect(events.find(({ event }) => event === "request_answered")).toEqual({
      level: "info",
      event: "request_answered",
      traceId: answer.headers.get("X-Request-Id"),
      method: "POST",
      route: "/api/transfer",
      status: 200,
      milliseconds: expect.any(Number) as number,
      account: here.pos.account.posId,
      terminal: here.terminal.terminalId,
      transaction: Number(request.requestId),
      outcome: "00 00",
    });
  });

  it("says why a transaction is pending, and who completes it", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const lines = consoleLines();
    const answer = here.pos.sale();
    const request = await connection.acceptNext();
    connection.result(request, "22");
    await connection.next("ack");
    await answer;
    await here.resolve(request.requestId, "11", "not on the host");
    const ends = parsed(lines).filter(({ event }) => event === "transaction_changed");
    expect(ends.map(({ stage, outcome, by }) => [stage, outcome, by])).toEqual([
      ["pending", "22 09", "reported"],
      ["completed", "11 RESOLVED", "operator"],
    ]);
  });

  it("has an error for a result with sensitive data", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const lines = consoleLines();
    const answer = here.pos.sale();
    const request = await connection.acceptNext();
    here.approve(connection, request, { cvv: "737" });
    expect((await answer).body.statusCode).toBe("00");
    const [transaction, terminal] = [Number(request.requestId), here.terminal.terminalId];
    expect(parsed(lines).filter(({ level }) => level !== "info")).toEqual([
      { level: "error", event: "sensitive_result_data_dropped", transaction, terminal },
    ]);
  });
});

const CARD = "5555555555554444";
const OTHER_CARD = "4012888888881881";
const TRACK = `;${OTHER_CARD}=25121010000000000000?`;

/** Every row of an object, as a text if it has one. */
function rowsOf({ sql }: DurableObjectStorage): unknown[] {
  const tables = sql.exec<{ name: string }>(TABLES).toArray();
  return tables.map(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray());
}

/** Everything that is stored. */
async function stored(posId: string, terminalIds: string[]): Promise<string> {
  const tables = await env.DATABASE.prepare(TABLES).all<{ name: string }>();
  const contents: unknown[] = await Promise.all(
    tables.results.map(async ({ name }) => (await env.DATABASE.prepare(`SELECT * FROM "${name}"`).all()).results),
  );
  for (const terminalId of terminalIds) {
    contents.push(
      await runInDurableObject(env.TERMINAL.getByName(terminalId), (_object, { storage }) => [
        journalIn(storage),
        ...rowsOf(storage),
      ]),
    );
  }
  contents.push(
    await runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => [
      eventsIn(storage),
      ...rowsOf(storage),
    ]),
  );
  return JSON.stringify(contents);
}

/** The whole life of an account and a terminal, with valid and invalid calls. */
async function broadRun(): Promise<{ secrets: Record<string, string>; posId: string; terminalIds: string[] }> {
  const account = await createAccount();
  const enrolled = await enrolTerminal({ name: "POS 1" });
  const tokens = await login(account);
  const refreshed = await call<Tokens>("POST", "/auth/refresh", { token: tokens.refresh.token });
  const token = refreshed.body.access.token;
  const [used, open] = [
    await call<{ key: string }>("GET", "/api/bind-terminal-key", { token }),
    await call<{ key: string }>("GET", "/api/bind-terminal-key", { token }),
  ];
  const terminalToken = await loginTerminal(enrolled);
  await call("POST", "/terminal/bind", { token: terminalToken, body: bindMessage(enrolled, used.body.key) });
  await call("POST", "/terminal/bind", { token: terminalToken, body: bindMessage(enrolled, "WRNGKEY9") });
  await bind(token, await enrolTerminal());

  // Sessions, wrong and forged.
  await call("POST", "/auth/login", { body: { posId: account.posId, password: "a mistyped password" } });
  await call("POST", "/auth/login", { body: { posId: CARD, password: `password ${CARD}` } });
  await call("GET", "/api/terminals", { token: "forged.token.here" });
  await call("POST", "/auth/refresh", { token: tokens.refresh.token });
  await call("GET", "/operator/audit", { token: "a-guessed-operator-token" });
  await call("POST", "/terminal/login", { body: { ...loginMessage(enrolled), terminalId: CARD } });
  await call("POST", "/terminal/login", { body: loginMessage({ ...enrolled, secret: "a-guessed-terminal-secret" }) });

  // Card numbers where there should be none.
  for (const path of [`/api/terminals/${CARD}?note=${CARD}`, `/${CARD}`, `/operator/terminals/${CARD}`]) {
    await (await send("GET", path, { token, headers: { "User-Agent": CARD, Prefer: CARD, Cookie: CARD } })).text();
  }
  const here = await Scene.of(account, token);
  const { pos } = here;
  const connection = await here.connect({ softwareVersion: `v ${CARD}`, terminalSn: TRACK });
  await pos.sale({ deviceId: CARD });
  await pos.sale({ posId: CARD, merchantId: CARD });
  await pos.sale({ cvv: "737", note: TRACK }, { note: TRACK });
  await pos.sale({}, { paymentMethod: "qrCustScan", paymentChannel: CARD });
  await pos.transfer({ ...pos.saleBody(), transAmt: CARD, apiVersion: CARD, datetime: CARD });
  const sale = await approved(
    here,
    connection,
    pos.saleBody({ referenceLabel: "T 7" }, { note: `card ${CARD}`, metadata: `5555-5555-5555-4444 ${"x".repeat(9)}` }),
  );
  for (const frame of [{ type: "x", y: CARD }, { type: CARD }, { type: "accepted", requestId: CARD }]) {
    connection.send(frame);
  }
  const answer = pos.sale();
  const request = await connection.acceptNext();
  connection.send({ type: "progress", requestId: request.requestId, stage: CARD });
  connection.send({ ...connection.resultFrame(request.requestId, "11"), signature: "0".repeat(64) });
  connection.result(request, "11", {
    responseCode: CARD,
    responseText: `declined ${CARD} ${TRACK}`,
    cvv: "737",
    transData: { cardNo: CARD, cardHoldersName: CARD, cardLabel: TRACK, currency: CARD, track2: TRACK },
  });
  await connection.next("ack");
  await answer;
  await here.resolve(request.requestId, "11", `the host has no ${CARD}`);
  connection.result(request, "00", { responseCode: CARD, responseText: CARD, transData: { cardNo: CARD } });
  await connection.next("ack");
  await pos.inquiry({ referenceId: sale.referenceId });
  await pos.void(sale.request.requestId, {}, { headers: { Prefer: "respond-async" } });
  await pos.cancel(pos.reference());
  connection.send(`{"type": "${CARD}`);
  await connection.closed();
  const rejected = await ScriptedTerminal.open(here.terminal);
  rejected.sendHello("a guessed nonce", { memory: CARD });
  await rejected.closed();

  // The operator's calls, and internal failures.
  const path = `/operator/accounts/${account.posId}`;
  const rotated = await operator<{ signingKey: string }>("POST", `${path}/signing-key`);
  const drawn = await operator<{ password: string }>("POST", `${path}/password`);
  const renewed = await operator<{ secret: string }>("POST", `/operator/terminals/${enrolled.terminalId}/secret`);
  const password = "the account's second password";
  await operator("PATCH", path, { password });
  await setChannel("Boost", 1);
  const DATABASE = {
    prepare: () => {
      throw new Error("the database is away");
    },
  };
  await callWith({ DATABASE }, "POST", "/auth/login", { body: { posId: account.posId, password } });
  await callWith({ DATABASE }, "GET", path, { token: OPERATOR_TOKEN });
  await operator("DELETE", path);

  return {
    posId: account.posId,
    terminalIds: [enrolled.terminalId, here.terminal.terminalId],
    secrets: {
      password: account.password,
      password2: password,
      password3: drawn.body.password,
      mistyped: "a mistyped password",
      signingKey: account.signingKey,
      rotated: rotated.body.signingKey,
      secret: enrolled.secret,
      secret2: here.terminal.secret,
      renewed: renewed.body.secret,
      access: tokens.access.token,
      refresh: tokens.refresh.token,
      access2: token,
      refresh2: refreshed.body.refresh.token,
      terminalToken,
      used: used.body.key,
      open: open.body.key,
      guessedKey: "WRNGKEY9",
      forged: "forged.token.here",
      guessedOperator: "a-guessed-operator-token",
      guessedSecret: "a-guessed-terminal-secret",
      guessedNonce: "a guessed nonce",
      operator: OPERATOR_TOKEN,
      masterKey: env.MASTER_KEYS.split(":")[1] ?? "",
      card: CARD,
      cardWithDashes: "5555-5555-5555-4444",
      otherCard: OTHER_CARD,
    },
  };
}

describe("secrets and card numbers", () => {
  it("are in no log line and nowhere in storage", async ({ expect }) => {
    const lines = consoleLines();
    const { secrets, posId, terminalIds } = await broadRun();
    const logged = lines.join("\n");
    const kept = await stored(posId, terminalIds);
    // The run was complete: lines of every level were logged, and rows were stored.
    for (const event of [
      "request_answered",
      "transaction_changed",
      "terminal_connected",
      "terminal_frame_rejected",
      "connection_closed",
    ]) {
      expect(logged).toContain(`"event":"${event}"`);
    }
    expect(logged).toContain("the database is away");
    expect(kept).toContain("the host has no xxxxxxxxxxxx4444");
    expect(kept).toContain("transaction.completed");
    for (const [name, value] of Object.entries(secrets)) {
      expect([name, value.length >= 8]).toEqual([name, true]);
      expect([name, logged.includes(value)]).toEqual([name, false]);
      // Ids chosen by a POS or an operator are stored as they are; none of them is a card number here.
      expect([name, kept.includes(value)]).toEqual([name, false]);
    }
    expect(logged).not.toMatch(/\b737\b/u);
  });
});
