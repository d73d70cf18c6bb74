/**
 * Terminals that lose their connections together and come back: what `Link` does, with its own waits, against a database
 * that has its limits. The work of each step is what `test/cost/sale.ts` counts.
 *
 * Every terminal is two actors: the device, which tries to connect, and its object, which tells the database that the
 * device has gone or is there, and tells it again where the database refused.
 */
import { askedWait, reconnectWait } from "../../../src/client/terminal/reconnect.ts";
import { TERMINAL_RECONNECT } from "../../../src/client/limits.ts";
import { pause } from "../../../src/objects/untold/decisions.ts";
import { D1_PATIENCE } from "../../../src/objects/untold/limits.ts";
import { RETRY_AFTER_SECONDS } from "../../../src/protocol/limits/messages.ts";
import { randomOf } from "../../../src/simulator/random.ts";
import { CONNECT_NOTE_WAIT, PRESENCE_DELAY } from "../../../src/terminal/limits.ts";
import type { D1Work } from "../d1-work.ts";
import { AddressLimit } from "./address-limit.ts";
import { Database, type DatabaseLimits } from "./database.ts";
import { Series } from "./series.ts";
import { Timetable } from "./timetable.ts";

/** How long a terminal waits before its next try; see `reconnectWait`. */
export type TerminalWait = (failed: number, atLeast: number, random: () => number) => number;

const CLIENTS_WAIT: TerminalWait = (failed, atLeast, random) =>
  reconnectWait(failed, atLeast, TERMINAL_RECONNECT, random);

/** Times are milliseconds from the start of the run, which is when the connections end. */
export interface StormOptions {
  terminals: number;
  /** From the loss of all connections until the gateway can be reached again. */
  outage: number;
  /** The run stops here even if terminals are still without a connection. */
  until: number;
  seed: number;
  database: DatabaseLimits;
  /** Calls to D1 of each step. */
  work: { lost: D1Work; login: D1Work; connect: D1Work };
  /** Terminals that share one address, and how often an address may log in within a minute. */
  perAddress: number;
  loginsPerAddress: number;
  /** One exchange between a terminal and the gateway. */
  roundTrip: number;
  /** Length of one step of the series. */
  step: number;
  /** The client's own, unless a test wants to know what another one would do. */
  wait?: TerminalWait;
}

export interface Storm {
  series: Series;
  /** Steps that the run took. */
  steps: number;
  /** Terminals that are connected at the end. */
  connected: number;
  /** Terminals of which the database has not been told how they are. */
  unlisted: number;
  /** Milliseconds from the end of the outage until this share of all terminals was back; null: not within the run. */
  backAfter: (share: number) => number | null;
}

/** What a device does in its next turn. */
const TRY = 0;
const CONNECT = 1;
const OPEN = 2;
const BE_READY = 3;
const NOTHING = 4;

/** Plays an outage and what follows until every terminal is back and the database knows it, or the time is over. */
export function playStorm(options: StormOptions): Storm {
  const storm = new Terminals(options);
  return storm.play();
}

class Terminals {
  readonly #options: StormOptions;
  readonly #series: Series;
  readonly #database: Database;
  readonly #limit: AddressLimit;
  readonly #random: () => number;
  readonly #wait: TerminalWait;
  /** Devices from 0, and their objects behind them. */
  readonly #timetable: Timetable;
  readonly #next: Uint8Array;
  readonly #failed: Uint8Array;
  /** 1: the database has yet to be told how the terminal is. */
  readonly #hasNews: Uint8Array;
  readonly #openedAt: Int32Array;
  readonly #readyAt: Float64Array;
  #connected = 0;
  #unlisted = 0;

  constructor(options: StormOptions) {
    const { terminals } = options;
    this.#options = options;
    this.#series = new Series(options.step, options.until);
    this.#database = new Database(options.database, this.#series);
    this.#limit = new AddressLimit(terminals, options.perAddress, options.loginsPerAddress);
    this.#random = randomOf(options.seed).next;
    this.#wait = options.wait ?? CLIENTS_WAIT;
    this.#timetable = new Timetable(2 * terminals, this.#random);
    this.#next = new Uint8Array(terminals);
    this.#failed = new Uint8Array(terminals);
    this.#hasNews = new Uint8Array(terminals);
    this.#openedAt = new Int32Array(terminals);
    this.#readyAt = new Float64Array(terminals).fill(Infinity);
  }

  play(): Storm {
    const { terminals, outage, until, step } = this.#options;
    for (let terminal = 0; terminal < terminals; terminal++) {
      this.#timetable.plan(terminal, this.#wait(0, 0, this.#random));
      this.#timetable.plan(terminals + terminal, PRESENCE_DELAY);
    }
    const end = this.#timetable.run(until, (actor, now) => {
      if (actor < terminals) this.#device(actor, now);
      else this.#object(actor - terminals, now);
    });
    const sorted = this.#readyAt.toSorted();
    return {
      series: this.#series,
      steps: Math.ceil(end / step),
      connected: this.#connected,
      unlisted: this.#unlisted,
      backAfter: (share) => {
        const at = sorted[Math.ceil(share * terminals) - 1] ?? Infinity;
        return at === Infinity ? null : Math.max(0, at - outage);
      },
    };
  }

  #device(terminal: number, now: number): void {
    switch (this.#next[terminal]) {
      case TRY:
        return this.#try(terminal, now);
      case CONNECT:
        return this.#connect(terminal, now);
      case OPEN:
        return this.#open(terminal, now);
      default:
        return this.#beReady(terminal, now);
    }
  }

  /** Logs in: the token of a connection that was ready has expired, and one that led to none is not used again. */
  #try(terminal: number, now: number): void {
    const { outage, work, roundTrip } = this.#options;
    this.#series.add("tries", now);
    if (now < outage) return this.#fail(terminal, now, 0);
    if (!this.#limit.admits(terminal, now)) {
      this.#series.add("limited", now);
      return this.#fail(terminal, now, askedWait(RETRY_AFTER_SECONDS * 1_000, this.#random));
    }
    const answered = this.#database.call(now, work.login.reads, work.login.writes);
    if (answered === null) return this.#turnAway(terminal, now);
    this.#series.add("logins", answered);
    this.#plan(terminal, CONNECT, answered + roundTrip);
  }

  #connect(terminal: number, now: number): void {
    const answered = this.#database.call(now, this.#options.work.connect.reads, 0);
    if (answered === null) return this.#turnAway(terminal, now);
    this.#plan(terminal, OPEN, answered);
  }

  /** The upgrade waits a little for the database to be told, and goes on without. */
  #open(terminal: number, now: number): void {
    this.#next[terminal] = BE_READY;
    this.#openedAt[terminal] = now;
    const told = this.#tell(terminal, now);
    const waited = Math.min(told ?? now, now + CONNECT_NOTE_WAIT);
    this.#plan(terminal, BE_READY, waited + this.#options.roundTrip);
  }

  #beReady(terminal: number, now: number): void {
    this.#next[terminal] = NOTHING;
    this.#readyAt[terminal] = now;
    this.#connected += 1;
    this.#series.add("connects", now);
  }

  #fail(terminal: number, now: number, atLeast: number): void {
    const failed = Math.min(255, (this.#failed[terminal] ?? 0) + 1);
    this.#failed[terminal] = failed;
    this.#plan(terminal, TRY, now + this.#options.roundTrip + this.#wait(failed, atLeast, this.#random));
  }

  /** The database refused: the terminal gets a 500, or an upgrade that fails. */
  #turnAway(terminal: number, now: number): void {
    this.#series.add("turnedAway", now);
    this.#fail(terminal, now, 0);
  }

  #plan(terminal: number, next: number, at: number): void {
    this.#next[terminal] = next;
    this.#timetable.plan(terminal, at);
  }

  /** A while after the loss, or after the database refused. */
  #object(terminal: number, now: number): void {
    const isBack = (this.#next[terminal] ?? TRY) >= BE_READY;
    const wasRefused = this.#hasNews[terminal] === 1;
    if (!isBack || wasRefused) this.#tell(terminal, now);
  }

  /** @returns when the database has been told; null: it refused, and is told again later */
  #tell(terminal: number, now: number): number | null {
    const { terminals, work } = this.#options;
    const isBack = (this.#next[terminal] ?? TRY) >= BE_READY;
    if (this.#hasNews[terminal] === 0) {
      this.#hasNews[terminal] = 1;
      this.#unlisted += 1;
    }
    const { reads, writes } = isBack ? { reads: 0, writes: work.connect.writes } : work.lost;
    const told = this.#database.call(now, reads, writes);
    if (told !== null) {
      this.#hasNews[terminal] = 0;
      this.#unlisted -= 1;
    } else if (!this.#timetable.has(terminals + terminal)) {
      const age = now - (isBack ? (this.#openedAt[terminal] ?? now) : 0);
      this.#timetable.plan(terminals + terminal, now + pause(age, D1_PATIENCE, this.#random()));
    }
    return told;
  }
}
