import { ok } from "../../../protocol/result.ts";
import { dataOf, textOf } from "../message.ts";
import {
  blockedVerdict,
  brokenVerdict,
  keptUnless,
  leftOutVerdict,
  stepsWith,
  type PossibleProblems,
  type KitStep,
  type StepVerdict,
  type StepWords,
} from "../step.ts";
import type { SimulatedTerminal } from "../../simulator/simulated-terminal.ts";
import type { Action, Driver, PosAnswer } from "./drive.ts";
import { loseAnswer, type Script } from "./faults.ts";
import { moneyProblem, refusalOfAll, refusalText, answerKindText, type RecordedMessage } from "./judge.ts";
import type { FaultProxy } from "./proxy.ts";
import type { Milliseconds } from "../../../protocol/time/units.ts";

interface PosSceneOptions {
  proxy: FaultProxy;
  /** The terminal, at the gateway behind the proxy. */
  terminal: SimulatedTerminal;
  /** Asks the gateway about a transaction until its outcome is certain, so that the terminal is free for the next step. */
  settle: (referenceId: string) => Promise<void>;
  driver: Driver;
  patient: boolean;
  /** One action of the POS must end within this time. */
  within: Milliseconds;
}

export interface Driven {
  messages: RecordedMessage[];
  shown: PosAnswer;
}

/** A reference that has come before, and the title of the step that it belongs to. */
interface Used {
  reference: string;
  owner: string;
}

export class PosScene {
  readonly options: PosSceneOptions;
  hopeless: string | null = null;
  /** Why no sale can be made; null: it can. Steps about messages that have come are judged anyway. */
  noSales: string | null = null;
  #cents = 0;
  /** The title of the step that each reference belongs to. */
  readonly #owners = new Map<string, string>();
  #older: Used | null = null;
  #repeated: Used | null = null;
  readonly #broken = new Set<string>();
  /** What is wrong between the terminal's charges and what the POS showed in this step. */
  #money: { shown: PosAnswer; problem: string }[] = [];

  constructor(options: PosSceneOptions) {
    this.options = options;
  }

  /** Different for each sale, so that a person can tell them apart. */
  newAmount(): string {
    this.#cents += 1;
    return `1.${String(this.#cents).padStart(2, "0")}`;
  }

  /**
   * A POS that sends an older sale first fails one step after the other. This is reported once, at the step that the
   * sale belongs to or else here, and the steps after it are not judged. Nothing can be judged of a POS that gives a new
   * sale an older reference: this step says so, and the others refer to it.
   */
  async judge(step: KitStep<PosScene>): Promise<StepVerdict> {
    const { items } = this.options.proxy.messages;
    this.#older = null;
    this.#money = [];
    const from = items.length;
    const judged = this.#withMoney(await step.run(this));
    const verdict = this.#repeated === null ? this.#withoutOlder(judged) : this.#repeats(this.#repeated, step.title);
    if (verdict.kind === "broken") this.#broken.add(step.title);
    for (const { body } of items.slice(from)) {
      const reference = textOf(body, "referenceId");
      if (!this.#owners.has(reference)) this.#owners.set(reference, step.title);
    }
    return verdict;
  }

  #withMoney(verdict: StepVerdict): StepVerdict {
    const found = this.#money;
    if (found.length === 0) return verdict;
    const problems = found.map(({ problem }) => problem);
    if (verdict.kind === "broken") return { ...verdict, seen: [verdict.seen, ...problems].join("; ") };
    const shown = found.map((one) => answerKindText(one.shown));
    const seen = [...shown, ...problems].join("; ");
    return brokenVerdict("for each purchase at most one charge, and the POS shows what was charged", seen);
  }

  /** Ends the faults of the step, and what they have left open at the gateway. */
  async tidy(): Promise<void> {
    const { proxy, settle } = this.options;
    proxy.endFaults();
    const newest = new Map(
      proxy.messages.items.flatMap((message): [string, string][] =>
        message.statusCode === "" ? [] : [[aboutOf(message), message.statusCode]],
      ),
    );
    for (const [reference, statusCode] of newest) if (statusCode === "22") await settle(reference);
  }

  #withoutOlder(verdict: StepVerdict): StepVerdict {
    if (this.#older === null || verdict.kind === "kept" || verdict.kind === "left-out") return verdict;
    const { reference, owner } = this.#older;
    const seen = `the POS first sent an older reference, ${reference} of “${owner}”`;
    if (this.#broken.has(owner)) return blockedVerdict(seen);
    this.#broken.add(owner);
    return brokenVerdict("messages about the new sale", seen);
  }

  #repeats({ reference, owner }: Used, title: string): StepVerdict {
    this.hopeless = `the POS gave a new sale a used referenceId (see “${title}”)`;
    return brokenVerdict("a new referenceId for each transaction", `the new sale has ${reference} of “${owner}”`);
  }

  async sale(script: Script = { faults: [] }, sold: Partial<Action> = {}, within?: number): Promise<Driven> {
    if (this.noSales !== null) return { messages: [], shown: "nothing" };
    this.options.proxy.follow(script);
    const action: Action = { kind: "sale", about: this.newAmount(), ...sold };
    const { messages, shown } = await this.drive(action, within);
    for (const message of messages) {
      const reference = aboutOf(message);
      const owner = this.#owners.get(reference);
      if (owner === undefined) continue;
      message.isOlder = true;
      // An older sale has its own amount.
      if (textOf(dataOf(message.body), "transAmt") === action.about) this.#repeated = { reference, owner };
      else this.#older ??= { reference, owner };
    }
    if (this.#older === null) this.#compare(action.about, shown);
    return { messages: messages.filter(({ isOlder }) => isOlder !== true), shown };
  }

  #compare(amount: string, shown: PosAnswer): void {
    const { charges } = this.options.terminal.ledger;
    const standing = charges.filter(({ transAmt, voidedBy }) => transAmt === amount && voidedBy === null);
    const problem = moneyProblem(standing.length, shown);
    if (problem !== false) this.#money.push({ shown, problem });
  }

  async drive(action: Action, within = this.options.within): Promise<Driven> {
    return this.#messagesDuring(within, (situation) => this.options.driver.drive(action, situation));
  }

  /** Starts the POS again; null if this driver cannot. */
  async recover(): Promise<Driven | null> {
    const { driver, within } = this.options;
    if (driver.recover === undefined) return null;
    return this.#messagesDuring(within, async (situation) => (await driver.recover?.(situation)) ?? "nothing");
  }

  /** Makes the POS sell without an answer, kills it and starts it again; null if that is not possible. */
  async crash({ beside }: { beside: boolean }): Promise<(Omit<Driven, "shown"> & { shown: PosAnswer | null }) | null> {
    const { proxy, driver, within } = this.options;
    if (driver[beside ? "crashBeside" : "crash"] === undefined) return null;
    if (this.noSales !== null) return { messages: [], shown: "nothing" };
    proxy.follow({ faults: [loseAnswer("silence")] });
    const [sale, other] = [this.newAmount(), this.newAmount()].map((about): Action => ({ kind: "sale", about }));
    if (sale === undefined || other === undefined) throw new Error("There are two.");
    const driven = await this.#messagesDuring(within, async (situation) => {
      const shown = beside ? driver.crashBeside?.(sale, other, situation) : driver.crash?.(sale, situation);
      return (await shown) ?? null;
    });
    for (const { about } of [sale, other]) this.#compare(about, "unknown");
    return driven;
  }

  async #messagesDuring<T>(
    within: number,
    act: (situation: { url: string; within: number; heard: Promise<void> }) => Promise<T>,
  ): Promise<{ messages: RecordedMessage[]; shown: T }> {
    const { proxy } = this.options;
    const { url } = proxy;
    proxy.drive += 1;
    const { drive } = proxy;
    const from = proxy.messages.items.length;
    const heard = proxy.messages.next({ from, within }).then(() => undefined);
    const shown = await act({ url, within, heard });
    return { messages: proxy.messages.items.filter((message) => message.drive === drive), shown };
  }
}

/** The reference that the message names, otherwise its own. */
function aboutOf({ body }: RecordedMessage): string {
  return textOf(dataOf(body), "referenceId") || textOf(body, "referenceId");
}

/** Without a sale that the gateway processes, there is no answer for the POS to handle. Null if there is one. */
export function withoutSale(scene: PosScene, messages: readonly RecordedMessage[]): StepVerdict | null {
  if (scene.noSales !== null) return blockedVerdict(scene.noSales);
  if (messages.length === 0) return blockedVerdict("no sale arrived (see “sale”, “refresh” and “login-again”)");
  const refusal = refusalOfAll(messages);
  return refusal === null ? null : blockedVerdict(refusalText(refusal));
}

export const atAnyTime = stepsWith(async (scene: PosScene) => ok({ ...scene.options, scene }));

export interface OnSale extends StepWords {
  script: Script;
  note?: string;
  expected: string;
  problems: (driven: Driven) => PossibleProblems;
  /** Set if the step takes minutes: it then runs only with `--patient`. */
  minutes?: Milliseconds;
}

export function onSale({ script, note, expected, problems, minutes, ...words }: OnSale): KitStep<PosScene> {
  return {
    ...words,
    async run(scene) {
      if (minutes !== undefined && !scene.options.patient) return leftOutVerdict("it takes minutes (use --patient)");
      const driven = await scene.sale(script, note === undefined ? {} : { note }, minutes);
      return withoutSale(scene, driven.messages) ?? keptUnless(problems(driven), expected);
    },
  };
}
