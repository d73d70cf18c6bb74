/** What the steps that cut connections or restart a terminal say of it, with all that it sends. No time passes. */
import { describe, it } from "vitest";
import { textOf } from "../../../../../src/sdk/conformance/message.ts";
import { TerminalScene } from "../../../../../src/sdk/conformance/terminal/scene.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import {
  exchange,
  frame,
  hello,
  KEPT,
  PATIENCE,
  result,
  run,
  said,
  SECRET,
  type Sent,
  useStoppedClock,
} from "./played.ts";

useStoppedClock();

const refused = (reason: string) => frame({ type: "refused", reason });

const ID = "1000000001";

describe("a terminal whose connection is cut", () => {
  const away = "blocked: the terminal did not come back after the connection was cut (see “reconnects”)";

  /** `open`: of the next hello; null: it does not come back. `comes`: about the request; `all`: what ever came about it. */
  interface Cut {
    open?: string[] | null;
    comes?: (Sent | null)[];
    all?: object[];
  }

  const forgets = ["ack 00", "completed", "completed"];
  const sendsAgain = ["ack 00", "completed", "skip", "send {}"];

  it.for<[string, string, Cut, string[]]>([
    ["stored", "kept", { open: ["1", ID] }, []],
    ["stored", "an empty open", { open: [] }, []],
    ["stored", "open with 1 others", { open: ["1"] }, []],
    ["stored", away, { open: null }, []],
    ["barrier", "kept", { open: [ID], comes: [frame({ type: "accepted" })] }, ["send {}"]],
    ["barrier", "kept", { open: ["1"] }, ["send {}"]],
    ["barrier", "accepted", { open: [], comes: [frame({ type: "accepted" })] }, ["send {}"]],
    ["barrier", away, { open: null }, ["send {}"]],
    ["result-kept", "kept", { open: [ID], comes: [result()] }, []],
    ["result-kept", "an empty open", { open: [], comes: [result()] }, []],
    ["result-kept", "none within 4 s", { open: [ID] }, []],
    [
      "result-kept",
      "another result: result 11 00, with other details",
      { open: [ID], comes: [result({ statusCode: "11" })] },
      [],
    ],
    ["ack-forgets", "kept", { open: [], all: [result()] }, forgets],
    ["ack-forgets", "it is listed in open", { open: [ID] }, ["ack 00", "completed"]],
    ["ack-forgets", "result 00 00", { open: [], all: [result(), { ...result(), connection: 2 }] }, forgets],
    ["ack-forgets", away, { open: null }, ["ack 00", "completed"]],
    ["never-again", "kept", { comes: [refused("expired")] }, sendsAgain],
    ["never-again", "refused busy", { comes: [refused("busy")] }, sendsAgain],
    ["never-again", "accepted expired", { comes: [frame({ type: "accepted", reason: "expired" })] }, sendsAgain],
    ["never-again", "nothing", {}, sendsAgain],
    ["other-ack", "kept", { open: [ID], comes: [result()] }, ["ack 22", "completed"]],
    ["other-ack", "an empty open", { open: [] }, ["ack 22", "completed"]],
    ["ack-22", "kept", { open: [ID], comes: [result({ statusCode: "22" })] }, ["ask", "ack 22", "completed"]],
    ["ack-22", "an empty open", { open: [], comes: [result({ statusCode: "22" })] }, ["ask", "ack 22", "completed"]],
    ["ack-22", "blocked: it did not answer ask with 22 (see “ask”)", { comes: [result()] }, ["ask"]],
    ["unknown-request", "kept", { open: ["1"] }, ["unknown_request", "completed", "abandoned"]],
    ["unknown-request", "it is listed in open", { open: [ID] }, ["unknown_request", "completed"]],
  ])("does what it must (%s): %s", async ([name, seen, does, did], { expect }) => {
    const { open = [], comes = [], all = [] } = does;
    const one = { ...exchange(ID, ...comes), all };
    const line = {
      number: 1,
      send: (told: JsonObject) => one.did.push(told["requestId"] === ID ? textOf(told, "code") : "?"),
    };
    const made = { exchange: one, result: result(), work: one };
    const verdict = await run(name, {
      options: { patience: PATIENCE, counterpart: { secret: SECRET } },
      line: async () => line,
      concluded: async () => ({ ok: true, value: made }),
      atWork: async () => ({ ok: true, value: made }),
      draft: () => one,
      completed: async () => void one.did.push("completed"),
      cutAndReturn: async () => (open === null ? null : { number: 2, hello: hello("m", ...open) }),
    });
    expect(said(verdict)).toBe(seen);
    expect([...one.did, ...(one.abandoned ? ["abandoned"] : [])]).toEqual(did);
  });
});

const failed = async () => ({ ok: false, error: { kind: "blocked", why: "no payment" } });
const progress = (stage: string) => frame({ type: "progress", stage });
/** `asked`: on which connections the terminal is asked about it. */
function asks(...comes: (Sent | null)[]) {
  const asked: number[] = [];
  const paying = { ...exchange(ID, ...comes), ask: ({ number }: { number: number }) => void asked.push(number) };
  return { asked, begin: () => paying };
}
const begin = (...comes: Sent[]) => ({ begin: () => exchange(ID, ...comes) });

const again = (members: JsonObject, connection = 2) => frame({ requestId: "1000000002", ...members }, { connection });

describe("a terminal that is restarted", () => {
  interface Restart {
    before?: ReturnType<typeof hello>;
    after?: ReturnType<typeof hello> | null;
    ofEnded?: Sent | null;
    ofCutOff?: object[];
    ofLower?: Sent | null;
  }
  const expired = frame({ type: "refused", reason: "expired", attempt: 1 });
  const cancelled = again({ type: "result", statusCode: "11", responseCode: "RESTARTED" });

  function scene(does: Restart, more: object = {}) {
    const { before = hello(), after = hello("m", ID, "1000000002"), ofEnded = result() } = does;
    const { ofCutOff = [again({ type: "accepted" }, 1), cancelled], ofLower = expired } = does;
    const ended = exchange(ID, ofEnded);
    const did: string[] = [];
    const cutOff = { ...exchange("1000000002"), did, all: ofCutOff, outcome: async () => void did.push("outcome") };
    const lower: unknown[] = [];
    return {
      lower,
      exchanges: [ended, cutOff],
      options: { restart: async () => undefined, patience: PATIENCE, counterpart: { secret: SECRET } },
      line: async () => ({ number: 1, hello: before }),
      lineAfter: async (number: number) => (after === null || number !== 1 ? null : { number: 2, hello: after }),
      concluded: async () => ({ ok: true, value: { exchange: ended, result: result() } }),
      atWork: async () => ({ ok: true, value: { work: cutOff } }),
      atHost(line: never) {
        return TerminalScene.prototype.atHost.call(this as never, line);
      },
      draft: (wish: string, changes: object, requestId: string) => {
        const one = exchange(requestId, ofLower);
        lower.push([wish, changes, requestId, one.did]);
        return one;
      },
      ...more,
    };
  }

  it.for<[string, string, Restart]>([
    ["restart-memory", "kept", {}],
    ["restart-memory", "another memory", { after: hello("n", ID, "1000000002") }],
    ["restart-memory", "1 of them missing", { after: hello("m", "1000000002") }],
    ["restart-memory", "2 of them missing", { after: hello("m") }],
    ["restart-result", "kept", {}],
    ["restart-result", "none within 4 s", { ofEnded: null }],
    ["restart-result", "another result: result 11 00, with other details", { ofEnded: result({ statusCode: "11" }) }],
    [
      "restart-result",
      "there is no signature",
      { ofEnded: frame({ type: "result", statusCode: "00", responseCode: "00" }) },
    ],
    ["restart-before-card", "kept", {}],
    ["restart-before-card", "nothing", { ofCutOff: [] }],
    ["restart-before-card", "result 00", { ofCutOff: [again({ type: "result", statusCode: "00" })] }],
    [
      "restart-before-card",
      "result 00",
      { ofCutOff: ["22", "00"].map((statusCode) => again({ type: "result", statusCode })) },
    ],
    ["restart-before-card", "result 22", { ofCutOff: [again({ type: "result", statusCode: "22" })] }],
    [
      "restart-before-card",
      "progress present",
      { ofCutOff: [again({ type: "progress", stage: "present" }), cancelled] },
    ],
    ["restart-before-card", "accepted", { ofCutOff: [cancelled, again({ type: "accepted" })] }],
    ["restart-number", "kept", {}],
    ["restart-number", "accepted", { ofLower: frame({ type: "accepted" }) }],
    ["restart-number", "blocked: the terminal did not come back after its restart", { after: null }],
  ])("keeps its duties or is found out (%s): %s", async ([name, seen, does], { expect }) => {
    const played = scene(does);
    expect(said(await run(name, played))).toBe(seen);
    // What came before the restart does not count.
    const isBack = does.after !== null;
    expect(played.exchanges.map(({ did }) => did)).toEqual([["skip"], isBack ? ["skip", "outcome"] : ["skip"]]);
    expect(played.lower).toEqual(isBack ? [["wait", {}, ID, ["send {}"]]] : []);
  });

  it.for(["restart-memory", "restart-at-host"])(
    "is not judged (%s) if nobody can restart it, or while offline",
    async (name, { expect }) => {
      const nobody = { options: { restart: null, patience: PATIENCE } };
      expect(said(await run(name, scene({}, nobody)))).toMatch(/^left-out: nobody is there to restart the terminal/u);
      expect(said(await run(name, scene({}, { line: async () => null })))).toBe(
        "blocked: the terminal is not connected",
      );
    },
  );

  it("is not judged if a payment before it fails", async ({ expect }) => {
    expect(said(await run("restart-memory", scene({}, { concluded: failed })))).toBe("blocked: no payment");
    expect(said(await run("restart-memory", scene({}, { atWork: failed })))).toBe("blocked: no payment");
  });

  it("is restarted once for all these steps", async ({ expect }) => {
    let restarts = 0;
    const options = { patience: PATIENCE, counterpart: { secret: SECRET }, restart: async () => void (restarts += 1) };
    const played = scene({}, { options });
    for (const name of ["restart-memory", "restart-result", "restart-before-card", "restart-number"]) {
      expect(await run(name, played)).toMatchObject(KEPT);
    }
    expect(restarts).toBe(1);
  });

  it.for<[string, JsonObject | null]>([
    ["kept", { type: "result", statusCode: "22" }],
    ["progress present", { type: "progress", stage: "present" }],
    ["accepted", { type: "accepted" }],
    ["refused expired", { type: "refused", reason: "expired" }],
    ["nothing", null],
  ])("reports only results about a payment at its host: %s", async ([seen, told], { expect }) => {
    const { asked, ...more } = asks(progress("authorising"), progress("pin"), told && again(told));
    expect(said(await run("restart-at-host", scene({}, more)))).toBe(seen);
    expect(asked).toEqual([2]);
  });

  it("must list a payment that is at its host", async ({ expect }) => {
    const { asked, ...more } = asks(progress("authorising"));
    const played = scene({ after: hello("m", "1000000002") }, more);
    expect([said(await run("restart-at-host", played)), asked]).toEqual(["it does not", []]);
  });

  it("is not judged at its host without a stage or a return", async ({ expect }) => {
    const unseen = scene({}, begin(progress("pin"), result(), progress("authorising")));
    expect(said(await run("restart-at-host", unseen))).toMatch(/^left-out: it sends no stage “authorising”/u);
    const away = scene({ after: null }, begin(progress("authorising")));
    expect(said(await run("restart-at-host", away))).toBe("blocked: the terminal did not come back after its restart");
  });
});
