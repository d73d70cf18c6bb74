/** Following an account's events with the client: each event once and in order, despite failures (I7). */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { type AccountEvent, type EventsOptions, PosClient, PosError } from "../../../../src/sdk/client/pos.ts";
import { POS_OPTIONS } from "./pos/scripted.ts";
import { eventually } from "../../../support/patience.ts";

/** The gateway's answer to one call; a number is a page with the events after `after` up to this one. */
type Answer = number | Response | "lost" | "hangs";

const SESSION = 30_000;

/** Records the waits between calls, in milliseconds, and ends them at once. */
let waits: number[] = [];

beforeEach(() => {
  waits = [];
  const original = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (callback: () => void, milliseconds = 0) => {
    if (milliseconds >= SESSION) return original(callback, milliseconds);
    waits.push(milliseconds);
    return original(callback, 0);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function event(number: number): AccountEvent {
  return { id: `evt_POS-1_${number}`, number, type: "transaction.completed", timestamp: "", data: {} } as AccountEvent;
}

function pageOf(numbers: number[], next: number, skipped?: number): Response {
  return Response.json({ data: numbers.map(event), next, skipped });
}

/** A gateway that answers reads of events as a test says, and then hangs. */
class Script {
  readonly #answers: Answer[];
  /** `after` and `Prefer` of every read. */
  readonly reads: string[] = [];
  readonly logins: string[] = [];
  readonly tokens: string[] = [];
  readonly client: PosClient;

  constructor(...answers: Answer[]) {
    this.#answers = answers;
    this.client = new PosClient({
      ...POS_OPTIONS,
      random: () => 0.1,
      fetch: (request) => this.#fetch(request),
    });
  }

  /** The numbers of the first events. */
  async take(count: number, options: EventsOptions): Promise<number[]> {
    const numbers: number[] = [];
    for await (const { number } of this.client.events(options)) {
      numbers.push(number);
      if (numbers.length === count) break;
    }
    return numbers;
  }

  async #fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname.startsWith("/auth/")) {
      this.logins.push(url.pathname);
      const token = { token: `token-${this.logins.length}`, expiresAt: new Date(Date.now() + 900_000).toISOString() };
      return Response.json({ access: token, refresh: token });
    }
    const after = url.searchParams.get("after");
    this.reads.push(`${after ?? "-"} ${request.headers.get("Prefer") ?? "-"}`);
    this.tokens.push(request.headers.get("Authorization") ?? "");
    const answer = this.#answers.shift() ?? "hangs";
    if (answer === "lost") throw new TypeError("connection reset");
    if (answer === "hangs") return new Promise(() => undefined);
    if (answer instanceof Response) return answer;
    const numbers = Array.from({ length: answer - Number(after) }, (_, index) => Number(after) + index + 1);
    return pageOf(numbers, answer);
  }
}

function refused(status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ code: status * 100, message: "no", details: [], traceId: "a trace" }, { status, headers });
}

describe("a reader that follows events", () => {
  it("asks for what follows its last event, and waits", async ({ expect }) => {
    const script = new Script(2, 3);
    expect(await script.take(3, { after: 0 })).toEqual([1, 2, 3]);
    expect(script.reads).toEqual(["0 wait=60", "2 wait=60"]);
  });

  it("gets each event once, even if the gateway repeats one", async ({ expect }) => {
    const script = new Script(pageOf([1, 2], 2), pageOf([1, 2, 3], 3), pageOf([2], 2), pageOf([4], 4));
    expect(await script.take(4, { after: 0 })).toEqual([1, 2, 3, 4]);
    expect(script.reads.map((read) => read.split(" ")[0])).toEqual(["0", "2", "3", "3"]);
  });

  it("begins with what comes from now on if it names no number", async ({ expect }) => {
    const script = new Script(pageOf([], 7), 8);
    expect(await script.take(1, {})).toEqual([8]);
    expect(script.reads.map((read) => read.split(" ")[0])).toEqual(["-", "7"]);
  });

  it("continues after failures with growing pauses, and reports them", async ({ expect }) => {
    const problems: (string | null)[] = [];
    const onProblem: EventsOptions["onProblem"] = (problem) => problems.push(problem?.kind ?? null);
    const script = new Script(1, "lost", refused(500), "lost", refused(429, { "Retry-After": "7" }), 2, "lost", 3);
    expect(await script.take(3, { after: 0, onProblem })).toEqual([1, 2, 3]);
    expect(script.reads.map((read) => Number(read.split(" ")[0]))).toEqual([0, 1, 1, 1, 1, 1, 2, 2]);
    expect(problems).toEqual(["unreachable", "unreachable", "unreachable", "rate_limited", null, "unreachable", null]);
    // Longer than the pause behind an event.
    expect(waits.filter((wait) => wait > 250)).toEqual([275, 550, 1_100, 7_400, 275]);
  });

  it("gets a new token when one is refused, and continues", async ({ expect }) => {
    const script = new Script(1, refused(401), 2);
    expect(await script.take(2, { after: 0 })).toEqual([1, 2]);
    expect(script.tokens).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
    expect(script.reads.map((read) => read.split(" ")[0])).toEqual(["0", "1", "1"]);
  });

  it("ends after the last event if it does not want to wait", async ({ expect }) => {
    const script = new Script(2, 2);
    expect(await script.take(Infinity, { after: 0, follow: false })).toEqual([1, 2]);
    expect(script.reads).toEqual(["0 -", "2 -"]);
  });

  it("stops while it waits, with its signal or with return", async ({ expect }) => {
    const stop = new AbortController();
    const script = new Script(1);
    const events = script.client.events({ after: 0, signal: stop.signal });
    expect((await events.next()).value?.number).toBe(1);
    const next = events.next();
    await eventually(() => expect(script.reads).toHaveLength(2));
    stop.abort();
    expect(await next).toEqual({ value: undefined, done: true });

    const other = new Script(1);
    const more = other.client.events({ after: 0 });
    await more.next();
    const waiting = more.next();
    await eventually(() => expect(other.reads).toHaveLength(2));
    await more.return?.();
    expect([await waiting, await more.next()]).toEqual([
      { value: undefined, done: true },
      { value: undefined, done: true },
    ]);
  });

  it("reports how many events were deleted before it read them", async ({ expect }) => {
    const told: unknown[] = [];
    const script = new Script(pageOf([7, 9], 9, 7), pageOf([10], 10));
    const events = script.client.events({ after: 0, onSkipped: (skipped) => told.push(`${skipped} skipped`) });
    for (let count = 0; count < 3; count++) told.push((await events.next()).value?.number);
    expect(told).toEqual(["7 skipped", 7, 9, 10]);
  });

  it("fails if it cannot continue", async ({ expect }) => {
    for (const [answers, kind] of [
      [[refused(400)], "invalid_request"],
      [[refused(403)], "forbidden"],
      [[refused(401), refused(401)], "unauthorized"],
    ] as const) {
      const failure = await new Script(...answers).take(1, { after: 5 }).catch((error: unknown) => error);
      if (!(failure instanceof PosError)) throw new Error(`not a PosError: ${String(failure)}`);
      expect([failure.kind, failure.outcomeUnknown]).toEqual([kind, false]);
    }
  });

  it("asks again after an answer that is not the gateway's", async ({ expect }) => {
    for (const foreign of [
      Response.json({ data: [{ id: "x" }], next: 1 }),
      Response.json({ data: [], next: 1, skipped: "all" }),
      new Response("<html>"),
    ]) {
      const script = new Script(foreign, 1);
      expect(await script.take(1, { after: 0 })).toEqual([1]);
      expect(script.reads).toHaveLength(2);
    }
  });

  it("gets events of unknown types", async ({ expect }) => {
    const later = { ...event(1), type: "something.new" };
    const script = new Script(Response.json({ data: [later], next: 1 }));
    const { value } = await script.client.events({ after: 0 }).next();
    expect(value).toEqual(later);
  });

  it.for([true, false])("ends with the reason when its time is over (follow: %s)", async (follow, { expect }) => {
    vi.useFakeTimers();
    const client = new PosClient({
      baseUrl: "https://gateway.test",
      posId: "POS-1",
      merchantId: "M-1",
      signingKey: "key",
      // Signing takes real time, of which this test has none.
      password: "password",
      random: () => 0,
      fetch: async () => {
        throw new TypeError("connection refused");
      },
    });
    const problems: unknown[] = [];
    const reading = client.events({ after: 0, follow, within: 3_000, onProblem: (problem) => problems.push(problem) });
    const ended = reading.next().catch((reason: unknown) => reason);
    await vi.runAllTimersAsync();
    const error: unknown = await ended;
    // Before the stubbed timer is taken back: it is what the false ones stand in for.
    vi.useRealTimers();
    expect(error).toMatchObject({ kind: "unreachable", cause: new TypeError("connection refused") });
    expect(problems).toHaveLength(3);
  });
});
