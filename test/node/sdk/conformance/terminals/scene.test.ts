/** How the kit for terminals gets a connection, numbers its requests and tidies up after a step. No time passes. */
import { UNESCAPED_TEXT } from "../../../../../src/sdk/conformance/message.ts";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { ACCOUNT, type Counterpart, UNBOUND } from "../../../../../src/sdk/conformance/terminal/counterpart.ts";
import type { TerminalLine } from "../../../../../src/sdk/conformance/terminal/exchange.ts";
import { TerminalScene, type Wish } from "../../../../../src/sdk/conformance/terminal/scene.ts";
import { now, PATIENCE_WITH_PROGRAMS } from "../../../../../src/sdk/conformance/times.ts";
import { textOf } from "../../../../../src/sdk/conformance/message.ts";
import type { Heard } from "../../../../../src/sdk/conformance/terminal/judge.ts";
import type { JsonObject } from "../../../../../src/protocol/signing/json.ts";
import { verifySignature } from "../../../../../src/protocol/signing/signature.ts";

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 50);
const AMOUNTS = { approve: "10.00", wait: "10.89", pending: "10.22" };
const PATIENCE = { ...PATIENCE_WITH_PROGRAMS, start: 1, reconnect: 2, restart: 3, silence: 4, payment: 5 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

/** What has come; it is not waited for. */
class Come<Item> {
  readonly items: Item[] = [];
  readonly waits: (number | undefined)[] = [];
  /** Lets come what is waited for. */
  arrive: () => void = () => undefined;

  async next({
    from = 0,
    wanted = () => true,
    within,
  }: {
    from?: number;
    wanted?: (one: Item) => boolean;
    within?: number;
  }) {
    this.waits.push(within);
    this.arrive();
    const index = this.items.findIndex((one, place) => place >= from && wanted(one));
    const item = this.items[index];
    return item === undefined ? null : { item, index };
  }
}

/** A kit and what it does. `restarting`: what a restart leads to; null: nobody can restart the terminal. */
function played(restarting: (() => void) | null = null) {
  const did: unknown[] = [];
  const [greeted, heard, logins, connects] = [
    new Come<TerminalLine>(),
    new Come<Heard>(),
    new Come<object>(),
    new Come<object>(),
  ];
  const counterpart = {
    greeted,
    heard,
    logins,
    connects,
    binding: UNBOUND,
    known: new Set<string>(),
    secret: "secret",
    line: null as TerminalLine | null,
    letBind: () => did.push("may bind"),
    bindTo: (binding: Counterpart["binding"]) => {
      did.push("bound");
      counterpart.binding = binding;
    },
  };
  const restart =
    restarting === null
      ? null
      : async () => {
          did.push("restarted");
          restarting();
        };
  const tester = { tell: (text: string) => did.push(text) };
  const options = { counterpart, patience: PATIENCE, amounts: AMOUNTS, tester, restart };
  const scene = new TerminalScene(options as never);
  /** A connection; its frames are among what was done. */
  const line = (number: number, open: string[] = []): TerminalLine => {
    const made = {
      number,
      usable: true,
      hello: { frame: { open } },
      send: (frame: JsonObject) =>
        did.push(
          ["type", "requestId", "statusCode"]
            .map((name) => textOf(frame, name))
            .join(" ")
            .trim(),
        ),
      cut: () => did.push("cut"),
      close: (code: number, reason: string) => did.push(`close ${code}${reason}`),
    };
    return made as unknown as TerminalLine;
  };
  const hear = (frame: JsonObject): void => void heard.items.push({ at: 0, connection: 1, text: "{}", frame });
  return { scene, counterpart, did, line, hear };
}

/** Something comes so many milliseconds later. */
const back = (log: Come<object>, after: number) => () => void log.items.push({ at: performance.now() + after });

const typeOf = async (next: Promise<Heard | null>) => textOf((await next)?.frame, "type");

const result = (statusCode: string): JsonObject => ({ type: "result", statusCode });

describe("a connection for a step", () => {
  it("is waited for, long at first, and bound once", async ({ expect }) => {
    const { scene, counterpart, did, line } = played(() => undefined);
    expect([await scene.line(), scene.hopeless, did]).toEqual([null, null, []]);
    const first = line(1);
    counterpart.greeted.items.push(first);
    expect(await scene.line()).toBe(first);
    expect(counterpart.binding).toEqual(ACCOUNT);
    expect(await scene.line()).toBe(first);
    expect(did).toEqual(["may bind", "bound", "may bind"]);
    expect(counterpart.greeted.waits).toEqual([PATIENCE.start, PATIENCE.start, PATIENCE.reconnect]);
  });

  it("comes back with a restart, or blocks every step", async ({ expect }) => {
    for (const [can, returns] of [
      [true, true],
      [true, false],
      [false, false],
    ]) {
      const second = played().line(2);
      const { scene, counterpart, did, line } = played(
        can ? () => void (returns && counterpart.greeted.items.push(second)) : null,
      );
      counterpart.greeted.items.push(line(1));
      await scene.line();
      counterpart.greeted.items.length = 0;
      did.length = 0;
      counterpart.greeted.waits.length = 0;
      expect(await scene.line()).toBe(returns ? second : null);
      expect(did).toEqual([...(can ? ["restarted"] : []), ...(returns ? ["may bind"] : [])]);
      expect(counterpart.greeted.waits).toEqual(can ? [PATIENCE.reconnect, PATIENCE.restart] : [PATIENCE.reconnect]);
      const hopeless = "the terminal did not come back (see its log for the step before)";
      expect(scene.hopeless).toBe(returns ? null : hopeless);
    }
  });

  it("is a later one that can be used", async ({ expect }) => {
    const { scene, counterpart, line } = played();
    const [first, second, third] = [line(1), { ...line(2), usable: false } as TerminalLine, line(3)];
    counterpart.greeted.items.push(first, second, third);
    expect([await scene.lineAfter(0, 7), await scene.lineAfter(1, 7), await scene.lineAfter(3, 7)]).toEqual([
      first,
      third,
      null,
    ]);
  });

  it("is cut or closed, and the wait for a return is recorded", async ({ expect }) => {
    const { scene, counterpart, did, line } = played();
    const { logins, connects, greeted } = counterpart;
    logins.items.push({ at: performance.now() - 9 });
    vi.advanceTimersByTime(1_000);
    for (const [comes, code] of [
      [[back(connects, 40), back(logins, 30)], 4004],
      [[back(connects, 20)], undefined],
      [[], undefined],
    ] as const) {
      const cut = {
        ...line(1),
        cut: () => did.push("cut"),
        close: (given: number, reason: string) => did.push(`${given}${reason}`),
      } as unknown as TerminalLine;
      for (const name of ["cut", "close"] as const) {
        const act = cut[name].bind(cut) as (code?: number, reason?: string) => void;
        cut[name] = (...given: never[]) => {
          act(...given);
          for (const come of comes) come();
          greeted.items.push(line(2));
        };
      }
      expect((await scene.cutAndReturn(cut, code))?.number).toBe(2);
    }
    expect([did, scene.returns, greeted.waits]).toEqual([
      ["4004", "cut", "cut"],
      [30, 20],
      [2, 2, 2],
    ]);
  });
});

describe("a request of the kit", () => {
  it("has a higher number than all before, with ten digits for years", ({ expect }) => {
    const numbers = [0, 100, 27 * 365 * 86_400_000].map((later) => {
      vi.setSystemTime(START + later);
      const { scene } = played();
      return [scene.newNumber(), scene.newNumber(1), scene.newNumber()].map(Number);
    });
    // The kit was written in 2026, a tenth of a second is a number.
    expect(numbers[0]).toEqual([1, 3, 4].map((more) => 1_000_000_000 + ((24 + 3) * 3_600 + 4 * 60 + 5) * 10 + more));
    expect(Number(numbers[1]?.[0])).toBe(Number(numbers[0]?.[0]) + 1);
    expect(numbers.flat().every((number) => String(number).length === 10)).toBe(true);
  });

  it.for<[Wish, JsonObject, string]>([
    ["approve", {}, "complete the sale of 10.00 so that it is approved."],
    ["wait", {}, "do nothing for the sale of 10.89, and present no card."],
    ["pending", {}, "complete the sale of 10.22 so that it stays pending at the host."],
    ["approve", { transType: "void", transData: { transId: "1" } }, "complete the void so that it is approved."],
  ])("instructs the tester: %s %j", ([wish, changes, words], { expect }) => {
    const { scene, did, line } = played();
    const { request, requestId } = scene.begin(line(1), wish, changes);
    expect(did).toEqual([`At the terminal: ${words}`, `request ${requestId}`]);
    expect(request).toEqual({
      type: "request",
      requestId,
      transType: "sale",
      posId: "KIT-POS",
      merchantId: "KIT-M",
      referenceId: `KIT-${requestId}`,
      currency: "MYR",
      transId: requestId,
      transData: { transAmt: AMOUNTS[wish], paymentMethod: "bankCard", metadata: UNESCAPED_TEXT },
      ...changes,
    });
  });

  it("is signed with its time and attempt, which inquiries repeat", ({ expect }) => {
    const { scene, counterpart, line } = played();
    const exchange = scene.draft("wait");
    const { request, requestId } = exchange;
    const sent: JsonObject[] = [];
    const only = { ...line(1), send: (frame: JsonObject) => sent.push(frame) } as unknown as TerminalLine;
    exchange.ask(only);
    expect(counterpart.known).toEqual(new Set());
    exchange.send(only);
    expect([exchange.respondBy, counterpart.known]).toEqual([now() + 75_000, new Set([requestId])]);
    exchange.send(only, { respondBy: 7 }, ({ signature: _signature, ...frame }) => frame);
    exchange.cancel(only);
    exchange.acknowledge(only, "22");
    const times = { deliverBy: now() + 10_000, respondBy: now() + 75_000 };
    expect(sent).toEqual([
      { type: "ask", requestId, attempt: 1 },
      { ...request, ...times, attempt: 1, signature: expect.any(String) },
      { ...request, ...times, attempt: 2, respondBy: 7 },
      { type: "cancel", requestId, attempt: 2 },
      { type: "ack", requestId, statusCode: "22" },
    ]);
    expect(verifySignature(sent[1] ?? {}, "secret")).toBe(true);
    expect([exchange.respondBy, exchange.acknowledged]).toEqual([7, "22"]);
  });

  it("receives its own messages once each, of the wanted types", async ({ expect }) => {
    const { scene, hear } = played();
    const exchange = scene.draft("wait");
    const { requestId } = exchange;
    for (const type of ["accepted", "progress", "refused"]) hear({ type, requestId });
    hear({ type: "result", statusCode: "00", requestId: "1" });
    for (const statusCode of ["22", "11"]) hear({ type: "result", statusCode, requestId });
    expect(await typeOf(exchange.next(1))).toBe("accepted");
    expect(await typeOf(exchange.next(1, "refused", "result"))).toBe("refused");
    expect(textOf((await exchange.outcome(1))?.frame, "statusCode")).toBe("11");
    expect(await exchange.next(1)).toBeNull();
    expect([exchange.all.length, textOf(exchange.final?.frame, "statusCode")]).toEqual([5, "11"]);
    hear({ type: "accepted", requestId });
    exchange.skip();
    expect(await exchange.next(1)).toBeNull();
    // What came before it was drafted is not about it.
    expect(await scene.draft("wait", {}, requestId).next(1)).toBeNull();
  });

  it("is for the account that the terminal was given last", ({ expect }) => {
    const { scene, counterpart } = played();
    counterpart.binding = { posId: "P", merchantId: "M", currency: "USD", timezone: "Etc/UTC" };
    expect(scene.draft("wait").request).toMatchObject({ posId: "P", merchantId: "M", currency: "USD" });
  });

  it("is a fence if it is a question with a short wait", async ({ expect }) => {
    const { scene, counterpart, did, line } = played();
    await scene.completed(line(1));
    expect([did, counterpart.heard.waits]).toEqual([[expect.stringMatching(/^ask \d{10}$/u)], [PATIENCE.silence]]);
  });
});

describe("what a step leaves open", () => {
  it.for<[string, JsonObject[], string[], JsonObject[]]>([
    ["nothing was accepted", [], [], []],
    ["it was refused", [{ type: "refused" }], [], []],
    ["it is accepted", [{ type: "accepted" }], ["cancel", "ack 11"], [result("11")]],
    ["it is in progress", [{ type: "progress" }], ["cancel", "ack 00"], [result("00")]],
    ["it is pending, and its accepted was lost", [result("22")], ["cancel", "ack 11"], [result("22"), result("11")]],
    ["it is accepted, and never ends", [{ type: "accepted" }], ["cancel"], []],
    ["it has a final result", [{ type: "accepted" }, result("00")], ["ack 00"], []],
  ])("is ended if %s", async ([, said, does, comes], { expect }) => {
    const { scene, counterpart, did, line, hear } = played();
    const only = line(1);
    counterpart.line = only;
    counterpart.greeted.items.push(only);
    const { requestId } = scene.begin(only, "wait");
    for (const frame of said) hear({ ...frame, requestId });
    hear({ type: "accepted", requestId: "1" });
    counterpart.heard.arrive = () => {
      for (const one of comes) hear({ ...one, requestId });
    };
    did.length = 0;
    await scene.tidy();
    const about = did.filter((one) => one !== "may bind" && one !== "bound");
    expect(about).toEqual(does.map((one) => one.replace(/^\w+/u, `$& ${requestId}`)));
    // Once: what never ends is given up.
    did.length = 0;
    await scene.tidy();
    expect(did).toEqual([]);
    expect(counterpart.heard.waits).toEqual(does.includes("cancel") ? [PATIENCE.payment] : []);
  });

  it("is listed in the last hello, and kept while offline", async ({ expect }) => {
    const { scene, counterpart, did, line } = played();
    const { requestId } = scene.draft("wait");
    await scene.tidy();
    expect(counterpart.greeted.waits).toEqual([]);
    counterpart.line = line(2, ["1", requestId]);
    await scene.tidy();
    expect(did).toEqual([]);
    counterpart.greeted.items.push(counterpart.line);
    await scene.tidy();
    expect(did).toEqual(["may bind", "bound", `cancel ${requestId}`]);
  });
});
