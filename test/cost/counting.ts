/**
 * Counts what the gateway does to the platform, without changing the gateway: the Worker, the objects and the test
 * share one isolate, so that a spy on a prototype of the platform sees the calls of all of them.
 *
 * It counts calls. It does not see what the platform does by itself (auto-responses, replication), nor how long
 * anything takes; and the local D1 and SQLite count rows as the deployed ones are documented to.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";
import { Account, Coordinator, Terminal } from "../../src/gateway/index.ts";
import { type Counts, NONE } from "./sale.ts";
import { COUNTS_REFUSALS } from "../support/database.ts";
import { eventually } from "../support/patience.ts";

/** A method as a spy finds it, on any object. */
type Method = (this: unknown, ...given: unknown[]) => unknown;

export class Meter {
  #counts: Counts = { ...NONE };
  /** Every call, message, close and alarm that an object was woken for, in order. */
  #events: string[] = [];
  /** How many SQL statements each object has executed, by its storage. */
  readonly #statements = new Map<unknown, number>();
  /** A cursor knows its rows once it has been read, which the object does before it does anything else. */
  #cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

  /** Counts from now on; needs an object, any one, to reach the prototypes of its storage. Ends with the test. */
  static async start(terminalId: string): Promise<Meter> {
    const meter = new Meter();
    await runInDurableObject(env.TERMINAL.getByName(terminalId), (_object, { storage }) => {
      meter.#watchStorage(storage);
    });
    meter.#watchD1();
    meter.#watchObjects();
    meter.#watchSockets();
    spy(console, "log", (call) => {
      meter.#counts.logLines++;
      return call();
    });
    return meter;
  }

  /** What was counted since the last look. */
  read(): Counts {
    this.#collect();
    const counts = this.#counts;
    this.#counts = { ...NONE };
    return counts;
  }

  /** Forgets what was counted. */
  restart(): void {
    this.read();
    this.events();
    this.#statements.clear();
  }

  /** What objects were woken for since the last look. */
  events(): string[] {
    return this.#events.splice(0);
  }

  /** Waits until objects have been woken so many times for this. */
  async until(event: string, times: number): Promise<void> {
    await eventually(() => {
      if (this.#events.filter((one) => one === event).length >= times) return;
      throw new Error(`objects were woken for ${this.#events.join(", ")}, not ${times} times for ${event}`);
    });
  }

  /** The SQL statements of these objects since the last look. */
  async statements<Name extends string>(objects: Record<Name, DurableObjectStub>): Promise<Record<Name, number>> {
    const executed = new Map(this.#statements);
    const counts = await Promise.all(
      Object.entries<DurableObjectStub>(objects).map(async ([name, stub]) => {
        const sql = await runInDurableObject(stub, (_object, { storage }) => storage.sql);
        return [name, executed.get(sql) ?? 0];
      }),
    );
    return Object.fromEntries(counts) as Record<Name, number>;
  }

  #watchStorage(storage: DurableObjectStorage): void {
    spy(prototypeOf(storage.sql), "exec", (call, _given, sql) => {
      this.#statements.set(sql, (this.#statements.get(sql) ?? 0) + 1);
      this.#collect();
      const cursor = call() as SqlStorageCursor<Record<string, SqlStorageValue>>;
      this.#cursors.push(cursor);
      return cursor;
    });
    spy(prototypeOf(storage), "setAlarm", (call) => {
      this.#counts.alarmsSet++;
      return call();
    });
  }

  #collect(): void {
    for (const { rowsRead, rowsWritten } of this.#cursors.splice(0)) {
      this.#counts.objectRowsRead += rowsRead;
      this.#counts.objectRowsWritten += rowsWritten;
    }
  }

  #watchD1(): void {
    const count = (answer: unknown): void => {
      const results = [answer].flat() as D1Result[];
      this.#counts.d1RoundTrips++;
      if (results.some(({ meta }) => meta.rows_written > 0)) this.#counts.d1Writes++;
      for (const { meta } of results) {
        this.#counts.d1RowsRead += meta.rows_read;
        this.#counts.d1RowsWritten += meta.rows_written;
      }
    };
    const statements = prototypeOf(env.DATABASE.prepare("SELECT 1"));
    const all = Reflect.get(statements, "all") as Method;
    for (const [of, method] of [
      [prototypeOf(env.DATABASE), "batch"],
      [statements, "run"],
      [statements, "all"],
    ] as const) {
      spy(of, method, async (call, _given, self) => {
        const answer = await call();
        if (!writesRefusals(self)) count(answer);
        return answer;
      });
    }
    // Its answer does not say how many rows were read: the same is asked in a way that does.
    spy(statements, "first", async (_call, [column], statement) => {
      const answer = (await all.call(statement)) as D1Result<Record<string, unknown>>;
      count(answer);
      const row = answer.results[0] ?? null;
      return row === null || typeof column !== "string" ? row : row[column];
    });
    for (const [of, method] of [
      [prototypeOf(env.DATABASE), "exec"],
      [statements, "raw"],
    ] as const) {
      spy(of, method, () => {
        throw new Error(`nobody counts the rows of D1's ${method}`);
      });
    }
  }

  #watchObjects(): void {
    for (const { prototype } of [Terminal, Account, Coordinator]) {
      for (const method of Object.getOwnPropertyNames(prototype)) {
        if (method === "constructor") continue;
        spy(prototype, method, (call) => {
          this.#events.push(method);
          if (method === "alarm") this.#counts.alarms++;
          else if (method === "webSocketClose" || method === "webSocketError") this.#counts.socketsEnded++;
          else if (method !== "webSocketMessage") this.#counts.objectRequests++;
          return call();
        });
      }
    }
  }

  /** Both ends of every socket are in this isolate, the test runner's own too: a text's type tells who sent it. */
  #watchSockets(): void {
    spy(WebSocket.prototype, "send", (call, [text]) => {
      const type = typeOf(String(text));
      if (FROM_TERMINAL.has(type)) this.#counts.framesFromTerminal++;
      else if (TO_TERMINAL.has(type)) this.#counts.framesToTerminal++;
      else if (TO_WORKER.has(type)) this.#counts.framesToWorker++;
      return call();
    });
  }
}

const FROM_TERMINAL = new Set(["hello", "accepted", "refused", "progress", "result", "pong"]);
const TO_TERMINAL = new Set(["welcome", "ready", "request", "ask", "cancel", "ack", "binding", "error", "ping"]);

/** What the waiting Worker receives. */
const TO_WORKER = new Set(["conclusion", "stage"]);

function writesRefusals(statement: unknown): boolean {
  const { statement: text } = statement as { statement?: string };
  return text?.includes(COUNTS_REFUSALS) === true;
}

/** A frame's type, a bare text itself. */
function typeOf(text: string): string {
  if (!text.startsWith("{")) return text;
  return String((JSON.parse(text) as { type?: unknown }).type);
}

function prototypeOf(object: object): object {
  return Object.getPrototypeOf(object) as object;
}

/** What stands in the place of a method: `call` calls it. */
type Around = (call: () => unknown, given: unknown[], self: unknown) => unknown;

/** Puts `around` in the place of a method until the test ends. */
function spy(of: object, name: string, around: Around): void {
  const holder = of as Record<string, Method>;
  const method = holder[name];
  if (method === undefined) throw new Error(`the platform has no ${name} to be counted`);
  const counted: Method = function counted(...given) {
    return around(() => method.apply(this, given), given, this);
  };
  const spied = vi.spyOn(holder, name).mockImplementation(counted);
  onTestFinished(() => spied.mockRestore());
}
