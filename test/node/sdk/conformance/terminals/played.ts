/** Scenes in which a test plays what a terminal sends, for the steps of the kit. */
import { afterEach, beforeEach, vi } from "vitest";
import { textOf } from "../../../../../src/sdk/conformance/message.ts";
import type { StepVerdict } from "../../../../../src/sdk/conformance/step.ts";
import { TERMINAL_STEPS } from "../../../../../src/sdk/conformance/terminal/kit.ts";
import { now } from "../../../../../src/sdk/conformance/times.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import { withSignature } from "../../../../../src/protocol/signing/signature.ts";
import { runStep } from "../run-step.ts";

export const KEPT: StepVerdict = { kind: "kept" };
export const SECRET = "a secret of the kit's test";

/** Each test of the file begins at the same moment, at which the clock stands still. */
export function useStoppedClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance", "Date"], now: Date.UTC(2026, 0, 2, 3, 4, 5) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

export interface Query {
  from?: number;
  wanted?: (item: never) => boolean;
  within?: number;
}

/** What has come, and comes; it is not waited for. */
export class Played<Item extends object> {
  readonly items: Item[];
  /** How long the step would have waited. */
  readonly waits: (number | undefined)[] = [];

  constructor(...items: Item[]) {
    this.items = items;
  }

  async next({ from = 0, wanted = () => true, within }: Query): Promise<{ item: Item; index: number } | null> {
    this.waits.push(within);
    const index = this.items.findIndex((one, place) => place >= from && wanted(one as never));
    const item = this.items[index];
    return item === undefined ? null : { item, index };
  }
}

async function keptIfCharged(_exchange: unknown, verdict: StepVerdict): Promise<StepVerdict> {
  return verdict;
}

/** At a host that has charged what the terminal reports. */
export function run(name: string, scene: object): Promise<StepVerdict> {
  return runStep(TERMINAL_STEPS, name, Object.assign(scene, { keptIfCharged }));
}

export const PATIENCE = {
  start: 7,
  answer: 4_000,
  payment: 5_000,
  reconnect: 20_000,
  silence: 500,
  outage: 6_000,
  bind: 3_000,
  restart: 90_000,
};

/** What a verdict says is seen, `kept`, or why there is none. What is expected is said, too. */
export function said(verdict: StepVerdict): string {
  if (verdict.kind === "broken") return verdict.expected === "" ? "nothing is expected" : verdict.seen;
  return verdict.kind === "kept" ? "kept" : `${verdict.kind}: ${verdict.why}`;
}

export const text = (at: number, what: string, connection = 1) => ({ at, text: what, connection, frame: null });
export const frame = (members: JsonObject, more: object = {}) => ({
  at: 0,
  text: "{}",
  connection: 1,
  frame: members,
  ...more,
});
export const result = (members: JsonObject = {}, at = 0) =>
  frame(
    withSignature(
      { type: "result", requestId: "1000000001", statusCode: "00", responseCode: "00", ...members },
      SECRET,
    ),
    { at },
  );
export const hello = (memory = "m", ...open: string[]) => frame({ type: "hello", memory, open });

export type Sent = ReturnType<typeof frame>;

/** An exchange about a request, to which these frames come. */
export function exchange(requestId: string, ...comes: (Sent | null)[]) {
  const waits: unknown[] = [];
  return {
    requestId,
    request: { requestId, referenceId: `R-${requestId}` },
    waits,
    did: [] as string[],
    attempt: 1,
    respondBy: now() + 3_000,
    abandoned: false,
    final: undefined,
    all: [] as object[],
    next: async (within: number, ...types: string[]) => {
      waits.push(within);
      const isWanted = (one: Sent | null) => types.length === 0 || types.includes(textOf(one?.frame, "type"));
      while (comes[0] !== undefined && comes[0] !== null && !isWanted(comes[0])) comes.shift();
      return comes.shift() ?? null;
    },
    outcome: async () => comes.shift() ?? null,
    send(_: unknown, changes: object = {}, forge?: (signed: JsonObject) => JsonObject) {
      const sent = forge?.({ signature: "right", transType: "sale" }) ?? changes;
      this.did.push(`send ${JSON.stringify(sent)}`);
    },
    cancel() {
      this.did.push("cancel");
    },
    ask() {
      this.did.push("ask");
    },
    skip() {
      this.did.push("skip");
    },
    acknowledge(_: unknown, status: string) {
      this.did.push(`ack ${status}`);
    },
  };
}
