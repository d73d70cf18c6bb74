/** Two accounts side by side, each with a terminal and a past; and what each must never learn of the other. */
import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { coordinatorStub } from "../../../src/gateway/coordinator/rpc.ts";
import { RECONNECT_GRACE } from "../../../src/protocol/limits.ts";
import { withTimeout } from "../../../src/gateway/lib/with-timeout.ts";
import { app } from "../../../src/gateway/http/app.ts";
import { skip } from "../../support/clock.ts";
import { bindKey, createAccount, enrolTerminal, login, loginTerminal, type Tokens } from "../../support/gateway.ts";
import { Pos } from "../../support/pos.ts";
import { ScriptedTerminal } from "../../support/scripted-terminal.ts";
import { journalIn, TABLES } from "../../support/stored-rows.ts";

/** FUZZ_INPUTS and FUZZ_SEED of the environment: how many inputs, HTTP and frames together, and which. A failure names its seed. */
export const INPUTS = Number(env.FUZZ_INPUTS);
export const SEED = Number(env.FUZZ_SEED) || Math.floor(Math.random() * 0x7fffffff);

export interface Side {
  pos: Pos;
  tokens: Tokens;
  /** A session that may be ended. */
  spare: Tokens;
  terminalToken: string;
  /** The sale that was approved. */
  transId: string;
  referenceId: string;
  /** What names this side or its things, and can be sent. */
  names: string[];
  /** What only this side knows. */
  secrets: string[];
}

/** Nobody waits for the terminals to come back. The clock begins anew with every test. */
export function afterTheGrace(): void {
  skip(2 * RECONNECT_GRACE);
}

/** Two sides, whose transactions have numbers that no error text mentions. */
export async function makeSides(): Promise<[Side, Side]> {
  await coordinatorStub(env).reserveNumbers(1, 1_234_567_799);
  return [await makeSide(), await makeSide()];
}

async function makeSide(): Promise<Side> {
  const pos = await Pos.create();
  const { account, terminal } = pos;
  const [tokens, spare] = [await login(account), await login(account)];
  const marks = ["metadata", "sn", "version"].map((what) => `${what}-${crypto.randomUUID().slice(0, 12)}`);
  const [metadata = "", terminalSn = "", softwareVersion = ""] = marks;
  const connection = await ScriptedTerminal.connect(terminal, { terminalSn, softwareVersion });
  const answer = pos.sale({}, { metadata });
  const { transId, requestId, referenceId } = await connection.acceptNext();
  connection.result({ requestId }, "00");
  if ((await answer).body.statusCode !== "00") throw new Error("the sale was not approved");
  connection.drop();
  await connection.closed();
  const terminalToken = await loginTerminal(terminal);
  const { posId, merchantId, password, signingKey } = account;
  return {
    pos,
    tokens,
    spare,
    terminalToken,
    transId,
    referenceId,
    names: [posId, merchantId, terminal.terminalId, referenceId, transId],
    secrets: [
      [posId, merchantId, terminal.terminalId, referenceId, transId, ...marks],
      [password, signingKey, terminal.secret, terminalToken, await bindKey(tokens.access.token)],
      [tokens.access.token, tokens.refresh.token, spare.access.token, spare.refresh.token],
    ].flat(),
  };
}

/** An account, or a terminal, that an operator's call may spoil. */
export async function makeVictims(account: boolean): Promise<string[]> {
  const terminal = await enrolTerminal();
  return account ? [(await createAccount()).posId, terminal.terminalId] : [terminal.terminalId];
}

const unlimited = { limit: async () => ({ success: true }) };

/** The gateway without rate limits, which would hide everything behind them. */
const OPEN_ENV: Env = {
  ...env,
  REQUESTS_PER_ACCOUNT: unlimited,
  REQUESTS_PER_SESSION: unlimited,
  EVENTS_PER_ACCOUNT: unlimited,
  REQUESTS_PER_ADDRESS: unlimited,
  BIND_PER_TERMINAL: unlimited,
  CONNECT_PER_TERMINAL_AND_ADDRESS: unlimited,
  LOGIN_PER_ACCOUNT_AND_ADDRESS: unlimited,
  LOGIN_PER_ADDRESS: unlimited,
};

const PATIENCE = 8_000;

/** Sends a request to the gateway; fails if no answer comes. */
export async function ask(request: Request): Promise<Response> {
  return withTimeout(PATIENCE, Promise.resolve(app.fetch(request, OPEN_ENV, createExecutionContext())));
}

/** Counts of refusals and conflicts are for monitoring: they grow with what is refused, and belong to nobody. */
const COUNTERS = "counters";

/** A guess of an operator's token is noted, so many times an hour: test/workerd/gateway/http/operator-audit.test.ts counts. */
const NOTED_GUESS = '"action":"operator.refused"';

/** Every row there is but noted guesses and counters: of D1, and of these terminals' objects. By table, each as a text. */
export async function rows(terminalIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const tables = await env.DATABASE.prepare(TABLES).all<{ name: string }>();
  const names = tables.results.map(({ name }) => name).filter((name) => name !== COUNTERS);
  const contents = await env.DATABASE.batch(names.map((name) => env.DATABASE.prepare(`SELECT * FROM "${name}"`)));
  for (const [index, name] of names.entries()) {
    found.set(
      name,
      texts(contents[index]?.results ?? []).filter((row) => !row.includes(NOTED_GUESS)),
    );
  }
  for (const terminalId of terminalIds) {
    await runInDurableObject(env.TERMINAL.getByName(terminalId), (_object, { storage }) => {
      for (const table of ["terminal", "transactions", "reports"]) {
        found.set(`${terminalId} ${table}`, texts(storage.sql.exec(`SELECT * FROM ${table}`).toArray()));
      }
      // Completed rows are stored without names.
      found.set(`${terminalId} journal`, texts(journalIn(storage)));
    });
  }
  return found;
}

function texts(of: readonly unknown[]): string[] {
  return of.map((row) => JSON.stringify(row));
}
