import { FIRST_TRANSACTION_NUMBER } from "../../../protocol/limits.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import { dataOf, textOf, UNESCAPED_TEXT } from "../message.ts";
import { blockedVerdict, leftOutVerdict, stepsWith, type KitStep, type StepVerdict } from "../step.ts";
import type { RunningCommand, Tester } from "../tester.ts";
import { A_MOMENT, type Patience } from "../times.ts";
import { keptIfCharged, type CountCharges } from "./charges.ts";
import { ACCOUNT, type Counterpart } from "./counterpart.ts";
import { Exchange, type TerminalLine } from "./exchange.ts";
import { isFinal, openOf, refusedAs, frameStatus, typeOf, type Heard } from "./judge.ts";
import type { Milliseconds } from "../../../protocol/time/units.ts";

/** What the terminal's customer and host should do, and the amount at which a simulated terminal does it. */
export type Wish = "approve" | "wait" | "pending";

interface SceneOptions {
  counterpart: Counterpart;
  tester: Tester;
  patience: Patience;
  amounts: Record<Wish, string>;
  bindKey: string;
  /** Null lets any terminal in. */
  terminalId: string | null;
  /** Restarts the terminal's process, or asks a person to; null if neither is possible. */
  restart: (() => Promise<void>) | null;
  /** Starts a second process of the terminal on the same store; null if nobody can. */
  second: (() => RunningCommand) | null;
  /** Also runs steps that take a minute or more. */
  patient: boolean;
  countCharges?: CountCharges | undefined;
}

export class TerminalScene {
  readonly options: SceneOptions;
  /** Why no further step can run; null while steps can. */
  hopeless: string | null = null;
  /** The waits before the terminal reconnected, if it alone decided them. */
  readonly returns: Milliseconds[] = [];
  /** Of all requests of the run. */
  readonly exchanges: Exchange[] = [];
  #lastNumber: number;
  #firstLine = true;

  constructor(options: SceneOptions) {
    this.options = options;
    this.#lastNumber = firstNumber(Date.now());
  }

  judge(step: KitStep<TerminalScene>): Promise<StepVerdict> {
    return step.run(this);
  }

  /** On a bound terminal; null if no connection opens in time. */
  async line(): Promise<TerminalLine | null> {
    const { counterpart, patience } = this.options;
    const line =
      (await this.lineAfter(0, this.#firstLine ? patience.start : patience.reconnect)) ?? (await this.#revived());
    if (line === null) return null;
    this.#firstLine = false;
    counterpart.letBind();
    if (counterpart.binding.posId === null) counterpart.bindTo(ACCOUNT);
    return line;
  }

  /**
   * Restarts a terminal that does not come back, such as a crashed program. If that is impossible, no further step
   * runs: each would wait in vain.
   */
  async #revived(): Promise<TerminalLine | null> {
    const { restart, patience } = this.options;
    if (this.#firstLine) return null;
    await restart?.();
    const line = restart === null ? null : await this.lineAfter(0, patience.restart);
    if (line === null) this.hopeless = "the terminal did not come back (see its log for the step before)";
    return line;
  }

  /** Null if none opens in time. */
  async lineAfter(number: number, within: number): Promise<TerminalLine | null> {
    const wanted = (line: TerminalLine): boolean => line.number > number && line.usable;
    return (await this.options.counterpart.greeted.next({ wanted, within }))?.item ?? null;
  }

  /** Cuts the connection, or closes it with `code`, and waits for the next one. */
  async cutAndReturn(line: TerminalLine, code?: number): Promise<TerminalLine | null> {
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

  /** Returns a number that is higher than every earlier one. `gap` leaves numbers unused below it. */
  newNumber(gap = 0): string {
    this.#lastNumber += gap + 1;
    return String(this.#lastNumber);
  }

  draft(wish: Wish, changes: JsonObject = {}, requestId = this.newNumber(1)): Exchange {
    const { counterpart, amounts } = this.options;
    const { posId, merchantId, currency } = counterpart.binding.posId === null ? ACCOUNT : counterpart.binding;
    const request: JsonObject = {
      type: "request",
      requestId,
      transType: "sale",
      posId,
      merchantId,
      referenceId: `KIT-${requestId}`,
      currency,
      transId: requestId,
      // A terminal may return `metadata`, and then signs it.
      transData: { transAmt: amounts[wish], paymentMethod: "bankCard", metadata: UNESCAPED_TEXT },
      ...changes,
    };
    const exchange = new Exchange(request, counterpart);
    this.exchanges.push(exchange);
    return exchange;
  }

  begin(line: TerminalLine, wish: Wish, changes: JsonObject = {}, sending: JsonObject = {}): Exchange {
    const exchange = this.draft(wish, changes);
    this.options.tester.tell(instruction(wish, exchange.request));
    exchange.send(line, sending);
    return exchange;
  }

  /** A request in progress that waits for its customer. */
  async atWork(line: TerminalLine, sending: JsonObject = {}): Promise<Result<{ work: Exchange }, StepVerdict>> {
    const work = this.begin(line, "wait", {}, sending);
    const accepted = await work.next(this.options.patience.answer, "accepted", "refused");
    if (typeOf(accepted) !== "accepted")
      return err(blockedVerdict("the terminal did not accept a request (see “accepted”)"));
    const early = await work.next(A_MOMENT, "result");
    if (early === null) return ok({ work });
    const { wait } = this.options.amounts;
    return err(
      leftOutVerdict(`the payment of ${wait} did not wait for its customer (set one that does with --wait AMOUNT)`),
    );
  }

  /** A sale that the terminal has just sent to its host. */
  async atHost(line: TerminalLine): Promise<Result<{ sale: Exchange }, StepVerdict>> {
    const sale = this.begin(line, "approve");
    for (;;) {
      const heard = await sale.next(this.options.patience.payment, "progress", "result");
      if (typeOf(heard) !== "progress")
        return err(leftOutVerdict("it sends no stage “authorising”, so the kit cannot find the moment"));
      if (textOf(heard?.frame, "stage") === "authorising") return ok({ sale });
    }
  }

  async concluded(line: TerminalLine): Promise<Result<{ exchange: Exchange; result: Heard }, StepVerdict>> {
    const exchange = this.begin(line, "approve");
    const result = await exchange.outcome(this.options.patience.payment);
    if (result === null)
      return err(blockedVerdict("a payment had no final result (see “accepted” and “result-fields”)"));
    return ok({ exchange, result });
  }

  /**
   * Waits until the terminal has handled everything sent so far: it handles frames in order and answers this question.
   */
  async completed(line: TerminalLine): Promise<void> {
    const fence = this.draft("wait", {}, this.newNumber());
    fence.ask(line);
    await fence.next(this.options.patience.silence);
  }

  /** Also asks the terminal's host before a step about this request counts as kept. */
  keptIfCharged(exchange: Exchange, verdict: StepVerdict): Promise<StepVerdict> {
    return keptIfCharged(this.options.countCharges, exchange, verdict);
  }

  /** Ends what a step has left open, so that the next step starts with an idle terminal. */
  async tidy(): Promise<void> {
    const open = this.exchanges.filter((one) => isAwaited(one, this.options.counterpart.line));
    for (const exchange of open) {
      const line = await this.line();
      if (line === null) return;
      if (exchange.final === undefined) exchange.cancel(line);
      const result = exchange.final ?? (await exchange.outcome(this.options.patience.payment));
      if (result !== null) exchange.acknowledge(line, frameStatus(result));
      else exchange.abandoned = true;
    }
  }
}

/** Accepted, by its frames or the last hello, with a final result that is not acknowledged. */
function isAwaited(exchange: Exchange, line: TerminalLine | null): boolean {
  if (exchange.abandoned) return false;
  const said = exchange.all;
  const final = said.findLast(isFinal);
  if (final !== undefined) return exchange.acknowledged !== frameStatus(final);
  if (openOf(line?.hello?.frame)?.includes(exchange.requestId) === true) return true;
  return said.some((heard) => ["accepted", "result", "progress"].includes(typeOf(heard)));
}

const INSTRUCTIONS: Record<Wish, (what: string) => string> = {
  approve: (what) => `complete ${what} so that it is approved.`,
  wait: (what) => `do nothing for ${what}, and present no card.`,
  pending: (what) => `complete ${what} so that it stays pending at the host.`,
};

function instruction(wish: Wish, request: JsonObject): string {
  const amount = textOf(dataOf(request), "transAmt");
  const what = `the ${textOf(request, "transType")}${amount === "" ? "" : ` of ${amount}`}`;
  return `At the terminal: ${INSTRUCTIONS[wish](what)}`;
}

/** Returns tenths of a second since 2026: higher than every number of an earlier run, ten digits until 2054. */
function firstNumber(now: number): number {
  return FIRST_TRANSACTION_NUMBER + Math.floor((now - Date.UTC(2026, 0, 1)) / 100);
}

export const anyTime = stepsWith(async (scene: TerminalScene) => ok({ ...scene.options, scene }));

export type OnLine = SceneOptions & { scene: TerminalScene; line: TerminalLine };

function prepared<Made>(prepare: (on: OnLine) => Promise<Result<Made, StepVerdict>>) {
  return stepsWith(async (scene: TerminalScene): Promise<Result<OnLine & Made, StepVerdict>> => {
    const line = await scene.line();
    if (line === null) return err(blockedVerdict("the terminal is not connected (see the steps about connecting)"));
    const on = { ...scene.options, scene, line };
    const made = await prepare(on);
    return made.ok ? ok({ ...on, ...made.value }) : made;
  });
}

export const onLine = prepared(async () => ok({}));

export const atWork = prepared(({ scene, line }) => scene.atWork(line));

export const atHost = prepared(({ scene, line }) => scene.atHost(line));

export const withResult = prepared(({ scene, line }) => scene.concluded(line));

export async function refuses(
  { line, patience }: Pick<OnLine, "line" | "patience">,
  reason: string,
  request: Exchange,
  sending: JsonObject = {},
): Promise<StepVerdict> {
  request.send(line, sending);
  return refusedAs(reason, await request.next(patience.answer));
}
