import { FIRST_TRANSACTION_NUMBER } from "../../protocol/limits/transfers.ts";
import type { BindingMembers } from "../../protocol/binding.ts";
import type { JsonObject } from "../../signing/json.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";
import { dataOf, textOf } from "../message.ts";
import { blocked, leftOut, stepsWith, type Verdict } from "../step.ts";
import type { Tester } from "../tester.ts";
import { A_MOMENT } from "../times.ts";
import type { Counterpart } from "./counterpart.ts";
import { Exchange, type Line } from "./exchange.ts";
import { isFinal, openOf, statusOf, typeOf, type Heard } from "./heard.ts";

/** What the terminal's customer and host should do, and the amount at which a simulated terminal does it. */
export type Wish = "approve" | "wait" | "pending";

/** Milliseconds. */
export interface Patience {
  /** Until the terminal logs in for the first time. */
  start: number;
  /** An answer that needs no person: `accepted`, `refused`, or a stored result. */
  answer: number;
  /** A payment, including the customer's part. */
  payment: number;
  /** Until the terminal is back after it lost its connection. */
  reconnect: number;
  /** Until it is back after a restart. */
  restart: number;
  /** How long to listen before a step concludes that nothing arrives. */
  silence: number;
  /** How long the gateway is down in the step about outages. */
  outage: number;
  /** How long the kit waits for the terminal to bind itself. */
  bind: number;
}

export interface SceneOptions {
  counterpart: Counterpart;
  /** The kit's clock, epoch milliseconds. It is some hours ahead of the machine's. */
  now: () => number;
  secret: string;
  tester: Tester;
  patience: Patience;
  amounts: Record<Wish, string>;
  account: BindingMembers;
  bindKey: string;
  /** Null: any terminal. */
  terminalId: string | null;
  /** Restarts the terminal's process, or asks a person to; null if neither is possible. */
  restart: (() => Promise<void>) | null;
  /** Whether to run steps that take a minute or more. */
  patient: boolean;
}

/** The state that the steps of one run share. */
export class TerminalScene {
  readonly options: SceneOptions;
  /** Why no further step can run; null while steps can. */
  hopeless: string | null = null;
  /** The terminal's waits before it reconnected, milliseconds; only the waits that the terminal alone decided. */
  readonly returns: number[] = [];
  readonly #exchanges: Exchange[] = [];
  #lastNumber: number;
  #firstLine = true;

  constructor(options: SceneOptions) {
    this.options = options;
    this.#lastNumber = firstNumber(Date.now());
  }

  /** A usable connection of a bound terminal; null if none opens in time. */
  async line(): Promise<Line | null> {
    const { counterpart, account, patience } = this.options;
    const line =
      (await this.lineAfter(0, this.#firstLine ? patience.start : patience.reconnect)) ?? (await this.#revived());
    if (line === null) return null;
    this.#firstLine = false;
    counterpart.letBind();
    if (counterpart.binding.posId === null) counterpart.bindTo(account);
    return line;
  }

  /**
   * Restarts a terminal that does not come back, such as a crashed program, if that is possible. Otherwise no further step
   * runs: each would wait in vain.
   */
  async #revived(): Promise<Line | null> {
    const { restart, patience } = this.options;
    if (this.#firstLine) return null;
    await restart?.();
    const line = restart === null ? null : await this.lineAfter(0, patience.restart);
    if (line === null) this.hopeless = "the terminal did not come back (see its log for the step before)";
    return line;
  }

  /** The first usable connection after this one. */
  async lineAfter(number: number, within: number): Promise<Line | null> {
    const wanted = (line: Line): boolean => line.number > number && line.usable;
    return (await this.options.counterpart.greeted.next({ wanted, within }))?.item ?? null;
  }

  /** Cuts the connection, or closes it with a close code, and waits for the next one. */
  async cutAndReturn(line: Line, code?: number): Promise<Line | null> {
    const { counterpart, patience } = this.options;
    const [logins, connects] = [counterpart.logins.items.length, counterpart.connects.items.length];
    const at = performance.now();
    if (code === undefined) line.cut();
    else line.close(code, "");
    const next = await this.lineAfter(line.number, patience.reconnect);
    const back = counterpart.logins.items[logins] ?? counterpart.connects.items[connects];
    if (back !== undefined) this.returns.push(back.at - at);
    return next;
  }

  /** A requestId higher than every earlier one. `gap` leaves numbers unused below it. */
  newNumber(gap = 0): string {
    this.#lastNumber += gap + 1;
    return String(this.#lastNumber);
  }

  /** A request, not sent yet. */
  draft(wish: Wish, changes: JsonObject = {}, requestId = this.newNumber(1)): Exchange {
    const { counterpart, account, amounts } = this.options;
    const { posId, merchantId, currency } = { ...account, ...boundTo(counterpart.binding) };
    const request: JsonObject = {
      type: "request",
      requestId,
      transType: "sale",
      posId,
      merchantId,
      referenceId: `KIT-${requestId}`,
      currency,
      transId: requestId,
      transData: { transAmt: amounts[wish], paymentMethod: "bankCard" },
      ...changes,
    };
    const exchange = new Exchange(request, this.options);
    this.#exchanges.push(exchange);
    return exchange;
  }

  /** Sends a new request and tells the person at the terminal what to do. */
  begin(line: Line, wish: Wish, changes: JsonObject = {}, sending: JsonObject = {}): Exchange {
    const exchange = this.draft(wish, changes);
    this.options.tester.tell(instruction(wish, exchange.request));
    exchange.send(line, sending);
    return exchange;
  }

  /** A request that is in progress at the terminal and waits for its customer. */
  async atWork(line: Line, sending: JsonObject = {}): Promise<Result<Exchange, Verdict>> {
    const exchange = this.begin(line, "wait", {}, sending);
    const accepted = await exchange.next(this.options.patience.answer, "accepted", "refused");
    if (typeOf(accepted) !== "accepted") return err(blocked("the terminal did not accept a request (see “accepted”)"));
    const early = await exchange.next(A_MOMENT, "result");
    if (early === null) return ok(exchange);
    const { wait } = this.options.amounts;
    return err(leftOut(`the payment of ${wait} did not wait for its customer (set one that does with --wait AMOUNT)`));
  }

  /** A request with a final result that is not acknowledged yet. */
  async concluded(line: Line): Promise<Result<{ exchange: Exchange; result: Heard }, Verdict>> {
    const exchange = this.begin(line, "approve");
    const result = await exchange.outcome(this.options.patience.payment);
    if (result === null) return err(blocked("a payment had no final result (see “accepted” and “result-fields”)"));
    return ok({ exchange, result });
  }

  /** Waits until the terminal has handled everything sent so far: it handles frames in order and answers this question. */
  async completed(line: Line): Promise<void> {
    const fence = this.draft("wait", {}, this.newNumber());
    fence.ask(line);
    await fence.next(this.options.patience.silence);
  }

  /** Ends what a step has left open, so that the next step starts with an idle terminal. */
  async tidy(): Promise<void> {
    const open = this.#exchanges.filter((one) => isOwed(one, this.options.counterpart.line));
    for (const exchange of open) {
      const line = await this.line();
      if (line === null) return;
      if (exchange.final === undefined) exchange.cancel(line);
      const result = exchange.final ?? (await exchange.outcome(this.options.patience.payment));
      if (result !== null) exchange.acknowledge(line, statusOf(result));
      else exchange.abandoned = true;
    }
  }
}

/** Whether it was accepted, as its frames or the last hello show, and its final result is not acknowledged. */
function isOwed(exchange: Exchange, line: Line | null): boolean {
  if (exchange.abandoned) return false;
  const said = exchange.all;
  const final = said.findLast(isFinal);
  if (final !== undefined) return exchange.acknowledged !== statusOf(final);
  if (openOf(line?.hello?.frame)?.includes(exchange.requestId) === true) return true;
  return said.some((heard) => ["accepted", "result", "progress"].includes(typeOf(heard)));
}

function boundTo({ posId, merchantId, currency }: BindingMembers): Partial<BindingMembers> {
  return posId === null ? {} : { posId, merchantId, currency };
}

function instruction(wish: Wish, request: JsonObject): string {
  const name = textOf(request, "transType");
  const amount = textOf(dataOf(request), "transAmt");
  const what = amount === "" ? `the ${name}` : `the ${name} of ${amount}`;
  switch (wish) {
    case "approve":
      return `At the terminal: complete ${what} so that it is approved.`;
    case "wait":
      return `At the terminal: do nothing for ${what}, and present no card.`;
    case "pending":
      return `At the terminal: complete ${what} so that it stays pending at the host.`;
    default:
      return wish satisfies never;
  }
}

/** Tenths of a second since 2026: higher than every number of an earlier run, ten digits until 2054. */
function firstNumber(now: number): number {
  return FIRST_TRANSACTION_NUMBER + Math.floor((now - Date.UTC(2026, 0, 1)) / 100);
}

/** Steps that need nothing. */
export const anyTime = stepsWith(async (scene: TerminalScene) => ok({ ...scene.options, scene }));

/** Steps on a usable connection. */
export const onLine = stepsWith(given);

/** Steps with a request that is in progress and waits for its customer. */
export const atWork = stepsWith(async (scene: TerminalScene) => {
  const on = await given(scene);
  if (!on.ok) return on;
  const work = await scene.atWork(on.value.line);
  return work.ok ? ok({ ...on.value, work: work.value }) : work;
});

/** Steps with a request whose final result is not acknowledged yet. */
export const withResult = stepsWith(async (scene: TerminalScene) => {
  const on = await given(scene);
  if (!on.ok) return on;
  const made = await scene.concluded(on.value.line);
  return made.ok ? ok({ ...on.value, ...made.value }) : made;
});

/** What a step on a connection has at hand. */
export type OnLine = SceneOptions & { scene: TerminalScene; line: Line };

async function given(scene: TerminalScene): Promise<Result<OnLine, Verdict>> {
  const line = await scene.line();
  if (line === null) return err(blocked("the terminal is not connected (see the steps about connecting)"));
  return ok({ ...scene.options, scene, line });
}
