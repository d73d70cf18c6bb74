/** What the steps from login to hello and bind say of a terminal, with all that it sends. No time passes. */
import { describe, it } from "vitest";
import { UNBOUND } from "../../../../../src/sdk/conformance/terminal/counterpart.ts";
import { now } from "../../../../../src/sdk/conformance/times.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import { withSignature } from "../../../../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../../../../src/protocol/time/datetime.ts";
import { exchange, frame, PATIENCE, Played, run, said, SECRET, type Sent, text, useStoppedClock } from "./played.ts";

useStoppedClock();

const at = (offset: number) => formatDatetime(now() + offset);
const connect = (token: string, query = "") => ({ at: 0, query, protocols: ["pos-terminal.v1"], token });

const login = (changes: JsonObject = {}, more: object = {}) => ({
  at: 0,
  body: withSignature({ terminalId: "T-1", datetime: at(0), ...changes }, SECRET),
  signatureHolds: true,
  status: 200,
  query: "",
  ...more,
});

const call = () => ({
  at: 0,
  body: withSignature({ key: "K", datetime: at(0) }, SECRET),
  tokenHolds: true,
  skew: 0,
  status: 200,
});

describe("a terminal that connects", () => {
  it.for<[string, () => object | null, boolean]>([
    ["kept", () => login(), false],
    ["nothing within 7 ms", () => null, true],
    ["the URL has a query; a login belongs in the body", () => login({}, { query: "a=b" }), false],
    ["terminalId must be T-1", () => login({ terminalId: "T-2" }), false],
  ])("logs in: %s", async ([seen, first, isHopeless], { expect }) => {
    const one = first();
    const scene = {
      hopeless: null as string | null,
      options: {
        counterpart: { secret: SECRET, logins: new Played(...(one === null ? [] : [one])) },
        patience: PATIENCE,
        terminalId: "T-1",
      },
    };
    expect(said(await run("login", scene))).toBe(seen);
    expect(scene.hopeless).toBe(isHopeless ? "the terminal did not log in" : null);
  });

  it.for<[string, () => object[]]>([
    ["blocked: the terminal did not log in (see “login”)", () => []],
    ["left-out: its first login had the right time, or no time", () => [login()]],
    ["no other login within 20 s", () => [login({}, { status: 400 })]],
    ["kept", () => [login({}, { status: 400 }), login()]],
    ["kept", () => [login({}, { status: 400 }), login({ datetime: at(-15 * 60_000) })]],
    ["a login that is 15 min off", () => [login({}, { status: 400 }), login({ datetime: at(-15 * 60_000 - 1_000) })]],
    ["a login without a datetime", () => [login({}, { status: 400 }), login({ datetime: "now" })]],
  ])("takes the gateway's time: %s", async ([seen, logins], { expect }) => {
    const counterpart = { logins: new Played(...logins()) };
    expect(said(await run("login-clock", { options: { counterpart, patience: PATIENCE } }))).toBe(seen);
  });

  it.for<[string, number, object[]]>([
    ["blocked: the terminal did not log in (see “login”)", 0, []],
    ["none", 1, []],
    ["kept", 1, [connect("protocol"), connect("url")]],
    ["the token is in the URL", 1, [connect("url", "t=1")]],
  ])("opens its WebSocket: %s", async ([seen, logins, connects], { expect }) => {
    const played = new Played(...connects);
    const counterpart = { logins: { items: Array.from({ length: logins }) }, connects: played };
    expect(said(await run("connect", { options: { counterpart, patience: PATIENCE } }))).toBe(seen);
    expect(played.waits).toEqual(logins === 0 ? [] : [20_000]);
  });

  const whole: JsonObject = { type: "hello", nonce: "n", softwareVersion: "1", terminalSn: "S", memory: "m", open: [] };

  interface Answers {
    connects?: object[];
    took?: number;
    before?: object[];
    is?: JsonObject | null;
  }

  it.for<[string, Answers, string | null]>([
    ["kept", {}, null],
    ["kept", { took: 10_000, before: [text(0, "ping")] }, null],
    ["kept", { before: [text(0, "pong", 2)] }, null],
    ["it arrived after 10 s", { took: 10_001 }, null],
    ["before it: “pong”", { before: [text(0, "pong")] }, null],
    ["memory is missing", { is: { ...whole, memory: "" } }, null],
    ["blocked: the terminal did not open its WebSocket (see “connect”)", { connects: [connect("nowhere")] }, null],
    ["nothing", { is: null }, "the terminal did not send hello"],
    [
      "“ping”, “pong”, a text that is not a frame, “ping”, “ping”",
      { is: null, before: ["ping", "pong", "{", "ping", "ping", "ping"].map((what) => text(0, what)) },
      "the terminal did not send hello",
    ],
  ])("answers welcome: %s", async ([seen, does, hopeless], { expect }) => {
    const { connects = [connect("nowhere"), connect("authorization")], took = 0, before = [], is = whole } = does;
    const sent = frame(is ?? {}, { at: took });
    const heard = [...before, ...(is === null ? [] : [sent])];
    const greeted = new Played(...(is === null ? [] : [{ hello: sent, openedAt: 0, number: 1 }]));
    const scene = {
      hopeless: null as string | null,
      options: {
        counterpart: { connects: new Played(...connects), greeted, heard: { items: heard } },
        patience: PATIENCE,
      },
    };
    expect(said(await run("hello", scene))).toBe(seen);
    expect(scene.hopeless).toBe(hopeless);
    if (greeted.waits.length > 0) expect(greeted.waits).toEqual([10_500]);
  });

  it.for<[string, string, JsonObject, boolean, string | null]>([
    ["hello-nonce", "kept", whole, true, null],
    ["hello-nonce", "another nonce, or none", { ...whole, nonce: "other" }, true, null],
    ["hello-signature", "kept", withSignature(whole, SECRET), false, null],
    ["hello-signature", "there is no signature", whole, true, null],
    [
      "hello-signature",
      "there is no signature",
      whole,
      false,
      "neither login nor hello is signed with this secret: fix that first",
    ],
  ])("proves its identity (%s): %s", async ([name, seen, is, signatureHolds, hopeless], { expect }) => {
    const greeted = new Played({ hello: frame(is), nonce: "n" });
    const logins = { items: [{ signatureHolds: false }, { signatureHolds }] };
    const scene = {
      hopeless: null as string | null,
      options: { counterpart: { greeted, logins, secret: SECRET }, patience: PATIENCE },
    };
    expect([said(await run(name, scene)), scene.hopeless]).toEqual([seen, hopeless]);
    const nobody = { options: { counterpart: { greeted: new Played(), logins, secret: SECRET }, patience: PATIENCE } };
    expect(said(await run(name, nobody))).toBe("blocked: there was no hello (see “hello”)");
  });

  it.for<[string, object | null, object, Sent | null]>([
    ["kept", {}, UNBOUND, frame({ type: "refused", reason: "unbound", attempt: 1 })],
    ["accepted", {}, UNBOUND, frame({ type: "accepted" })],
    ["left-out: it was bound before it connected", {}, { posId: "POS-1" }, null],
    ["blocked: the terminal did not open its WebSocket (see “connect”)", null, UNBOUND, null],
  ])("works for nobody while it is unbound: %s", async ([seen, line, binding, answer], { expect }) => {
    const did: string[] = [];
    const counterpart = { binding, letBind: () => did.push("may bind") };
    const verdict = await run("unbound", {
      options: { counterpart, patience: PATIENCE },
      lineAfter: async () => line,
      draft: () => exchange("1", answer),
    });
    expect([said(verdict), did]).toEqual([seen, answer === null ? [] : ["may bind"]]);
  });

  it.for<[string, (() => object) | null]>([
    ["kept", () => ({})],
    ["left-out: no call within 3 s; the kit bound the terminal", null],
    ["another token, or none", () => ({ tokenHolds: false, status: 401 })],
    ["another key", () => ({ status: 400 })],
    ["datetime is 20 min off", () => ({ skew: 20 * 60_000 })],
  ])("binds itself: %s", async ([seen, changes], { expect }) => {
    const did: string[] = [];
    const counterpart = {
      secret: SECRET,
      letBind: () => did.push("may bind"),
      binds: new Played(...(changes === null ? [] : [{ ...call(), ...changes() }])),
    };
    const tester = { tell: (what: string) => did.push(what) };
    const verdict = await run("bind", { options: { counterpart, patience: PATIENCE, tester, bindKey: "TESTKEYS" } });
    expect([said(verdict), did]).toEqual([seen, ["may bind", "At the terminal: bind it with the key TEST-KEYS."]]);
  });
});
