/** A terminal's object with a journal of 400 days: what its calls read, and what it keeps. See `full-size.ts`. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { Terminal } from "../../../src/gateway/index.ts";
import { seal } from "../../../src/gateway/secrets/sealing.ts";
import { coordinatorStub } from "../../../src/gateway/coordinator/rpc.ts";
import type { Binding } from "../../../src/protocol/binding.ts";
import { JOURNAL_LIFE } from "../../../src/protocol/limits.ts";
import type { LaneTransaction } from "../../../src/gateway/terminal/lane/index.ts";
import { Journal } from "../../../src/gateway/terminal/storage/journal.ts";
import type { SecretChange } from "../../../src/gateway/terminal/secret-changes.ts";
import { terminalStub } from "../../../src/gateway/terminal/rpc.ts";
import type { TransferCall } from "../../../src/protocol/transfer-message.ts";
import { inquiryCall } from "../../support/transfer-call.ts";
import { DAY } from "../../../src/protocol/time/units.ts";
import { masterKeys } from "../../support/gateway/account/books.ts";
import { alarmOf, useFakeClock } from "../../support/clock.ts";
import { bindMessage, loginMessage } from "../../support/gateway.ts";
import { Pos } from "../../support/pos.ts";
import { approved, AT_ONCE, type Scene, useAccount } from "../../support/scene.ts";
import { CARD_RESULT } from "../../cost/card-result.ts";
import { Meter } from "../../cost/counting.ts";
import { JOURNAL_ROW_BYTES } from "../../cost/kept-bytes.ts";
import { bytesOfASale, type Calls, callsOf, FULL, growing, rowsRead, SALES, SMALL } from "../../cost/full-size.ts";

useFakeClock();
const scene = useAccount();

const HOUR = DAY / 24;

/** The account that the terminal worked for in the first half of the time. */
const FORMER = "FORMER";

/** Rows that one alarm may read while payments wait. */
const ROWS_OF_AN_ALARM = 5_000;

/** An activation code of the terminal. */
const CODE = { digest: "digest", expiresAt: Date.UTC(2100, 0) };

/** Its first payments, which stay open. */
const OPEN_ROWS = 3;

interface Full {
  here: Scene;
  /** A POS whose answers go into no books: it sold next to nothing of the journal. */
  pos: Pos;
  /** The account's terms. */
  terms: Binding;
  /** Numbers of an open payment, and of the only one of the account that reached the terminal. */
  open: number;
  sold: number;
}

/** A new stub: the one before may be broken. */
function object({ here }: Full) {
  return terminalStub(env, here.terminal.terminalId);
}

function within<Result>(
  { terminal }: Scene,
  work: (object: Terminal, state: DurableObjectState) => Result,
): Promise<Result> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), work);
}

/**
 * A terminal that sold once for each of its two accounts and was offline at every other sale: each account's last
 * transaction is far away. Its first sale was completed late, so it outlasts its 400 days.
 */
async function terminalWith(rows: number): Promise<Full> {
  // Room for the numbers of earlier rows.
  await coordinatorStub(env).reserveNumbers(1, 2_000_000_000);
  const here = await scene();
  const connection = await here.connect();
  await approved(here, connection, here.pos.saleBody(), CARD_RESULT);
  await connection.lose();
  const first = await within(here, (_object, { storage }) =>
    storage.transactionSync(() => {
      const [sale] = new Journal(storage.sql).page(Number.MAX_SAFE_INTEGER, 1);
      if (sale === undefined) throw new Error("nothing was sold");
      storage.sql.exec("DELETE FROM transactions");
      fill(new Journal(storage.sql), sale, rows);
      return sale.requestId - rows;
    }),
  );
  const { account, terminal, token } = here.pos;
  const { posId, merchantId, currency, timezone } = account;
  const terms = { posId, merchantId, currency, timezone };
  return { here, pos: new Pos(account, terminal, token), terms, open: first, sold: first + rows / 2 };
}

/** Its references count down: the newest is R-1. */
function fill(journal: Journal, sale: LaneTransaction, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const requestId = sale.requestId - rows + row;
    const receivedAt = Date.now() - ((rows - row) * DAY) / SALES + HOUR;
    const times =
      row === OPEN_ROWS
        ? { receivedAt: Date.now() - JOURNAL_LIFE - DAY, completedAt: Date.now() - JOURNAL_LIFE + 30 * DAY }
        : { receivedAt, completedAt: receivedAt + 15_000 };
    const posId = row < rows / 2 ? FORMER : sale.posId;
    const reached = row === OPEN_ROWS || row === rows / 2;
    const completed = {
      ...sale,
      ...times,
      endsAt: times.receivedAt + 90_000,
      requestId,
      posId,
      reached,
      referenceId: `R-${rows - row}`,
    };
    if (row < OPEN_ROWS) {
      journal.insert({ ...completed, state: "pending", outcome: null, completedBy: null, completedAt: null });
    } else journal.insert(completed);
  }
}

const CALLS: Calls<Full> = {
  fetch: [({ here }) => here.connect()],
  webSocketMessage: [
    async ({ here }) => {
      const connection = await here.connect();
      const { request } = await approved(here, connection);
      await approved(here, connection, here.pos.body("void", { transData: { transId: request.transId } }));
    },
  ],
  webSocketClose: [
    async ({ here }) => {
      const connection = await here.connect();
      await connection.lose();
    },
  ],
  webSocketError: [
    async ({ here }) => {
      await here.connect();
      await within(here, (terminal, state) =>
        state.getWebSockets().forEach((socket) => terminal.webSocketError(socket)),
      );
    },
  ],
  alarm: [({ here }) => within(here, (terminal) => terminal.alarm())],
  ask: [
    ({ pos }) => pos.transfer(pos.saleBody(), AT_ONCE),
    ({ pos, sold }) => pos.void(String(sold), {}, AT_ONCE),
    ({ pos }) => pos.transfer(pos.saleBody({ referenceId: "R-9" })),
    ({ pos }) => pos.cancel(pos.reference()),
    ({ pos }) => pos.cancel("R-9"),
    ({ pos }) => pos.getLast(),
    ({ pos }) => pos.inquiry({ referenceId: "R-1" }),
    ({ pos }) => pos.inquiry({ referenceId: pos.reference() }),
    ({ pos, sold }) => pos.inquiry({ transId: String(sold) }),
    (full) => object(full).ask(lastOf(full, FORMER)),
    (full) => object(full).ask(lastOf(full, "STRANGER")),
  ],
  transactions: [(full) => object(full).transactions(null, 100)],
  statistics: [(full) => object(full).statistics(0, Date.now())],
  ownTransaction: [(full) => object(full).ownTransaction(full.terms.posId, { referenceId: "R-1" })],
  resolve: [(full) => object(full).resolve(full.open, "11", "The customer paid in cash.", "olga")],
  status: [(full) => object(full).status()],
  verifyLogin: [(full) => object(full).verifyLogin(loginMessage(full.here.terminal))],
  verifyBind: [(full) => object(full).verifyBind(bindMessage(full.here.terminal, "ABCDEFGH"), 1)],
  bind: [(full) => object(full).bind(full.terms, "move")],
  applyAccountUpdate: [
    (full) => {
      const terms = { ...full.terms, version: Number.MAX_SAFE_INTEGER };
      return object(full).applyAccountUpdate(terms.posId, { kind: "terms", terms, status: "suspended" });
    },
  ],
  prewarm: [(full) => object(full).prewarm(full.terms.posId)],
  reseal: [(full) => object(full).reseal()],
  describe: [(full) => object(full).describe({ name: "Counter 1" })],
  resync: [(full) => object(full).resync()],
  changeSecret: [(full) => object(full).changeSecret(secretChange(full))],
  createActivationCode: [(full) => object(full).createActivationCode(CODE, "olga")],
  activate: [(full) => object(full).activate([CODE.digest], sealedSecret(full))],
  enrol: [(full) => object(full).enrol({ ...full.here.terminal, sealedSecret: sealedSecret(full) })],
  unbind: [(full) => object(full).unbind(null, "olga")],
  retire: [(full) => object(full).retire("olga")],
};

function lastOf({ terms }: Full, posId: string): TransferCall {
  return inquiryCall({ ...terms, posId }, { transType: "getLast", referenceId: "R" });
}

function secretChange(full: Full): SecretChange {
  return { sealedSecret: sealedSecret(full), revokePrevious: false, actor: "olga" };
}

function sealedSecret({ here }: Full): string {
  return seal(masterKeys(), "new secret", "terminal-secret", here.terminal.terminalId);
}

async function bytesWith(rows: number): Promise<number> {
  const { here } = await terminalWith(rows);
  return within(here, (_object, { storage }) => storage.sql.databaseSize);
}

describe("a terminal's object after 400 days", () => {
  it("reads no more rows at any call than after fifty", async ({ expect }) => {
    expect(Object.keys(CALLS).toSorted()).toEqual(callsOf(Terminal).toSorted());
    const [small, full] = [await terminalWith(SMALL), await terminalWith(FULL)];
    const meter = await Meter.start(full.here.terminal.terminalId);
    expect(growing(await rowsRead(meter, CALLS, small), await rowsRead(meter, CALLS, full))).toEqual([]);
  });

  it("keeps no more bytes of a sale than the bill counts", async ({ expect }) => {
    expect(await bytesOfASale(bytesWith)).toBeLessThanOrEqual(JOURNAL_ROW_BYTES);
  });

  it("forgets what is completed within two days, by alarms of bounded work", async ({ expect }) => {
    const { here } = await terminalWith(FULL);
    const meter = await Meter.start(here.terminal.terminalId);
    const until = Date.now() + JOURNAL_LIFE + 2 * DAY;
    // It is found as if it had filled itself.
    await within(here, (terminal) => terminal.alarm());
    const steps: number[] = [];
    for (;;) {
      const at = await alarmOf(here.terminal);
      if (at === null || at > until) break;
      vi.setSystemTime(Math.max(at, Date.now()));
      meter.restart();
      await runDurableObjectAlarm(env.TERMINAL.getByName(here.terminal.terminalId));
      steps.push(meter.read().objectRowsRead);
    }
    expect(Math.max(...steps)).toBeLessThanOrEqual(ROWS_OF_AN_ALARM);
    const left = await within(here, (_terminal, { storage }) =>
      new Journal(storage.sql).page(Number.MAX_SAFE_INTEGER, FULL),
    );
    expect(left.map(({ state }) => state)).toEqual(Array.from({ length: OPEN_ROWS }, () => "pending"));
  });
});
