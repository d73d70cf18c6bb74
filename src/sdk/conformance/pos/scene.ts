import { ok } from "../../../protocol/result.ts";
import { dataOf, textOf } from "../message.ts";
import {
  blocked,
  broken,
  keptUnless,
  leftOut,
  stepsWith,
  type Problems,
  type Step,
  type Verdict,
  type Words,
} from "../step.ts";
import type { PosCounterpart } from "./counterpart.ts";
import type { Action, Driver, Shown } from "./drive.ts";
import type { MessageHeard } from "./judge.ts";
import { approvedAfter, type Script } from "./ledger.ts";

interface PosSceneOptions {
  counterpart: PosCounterpart;
  driver: Driver;
  patient: boolean;
  /** Milliseconds allowed for one action of the till. */
  within: number;
}

export interface Driven {
  messages: MessageHeard[];
  shown: Shown;
}

/** A reference that has come before, and the title of the step that it belongs to. */
interface Used {
  reference: string;
  owner: string;
}

export class PosScene {
  readonly options: PosSceneOptions;
  hopeless: string | null = null;
  #cents = 0;
  /** The title of the step that each reference belongs to. */
  readonly #owners = new Map<string, string>();
  #older: Used | null = null;
  #repeated: Used | null = null;
  readonly #broken = new Set<string>();

  constructor(options: PosSceneOptions) {
    this.options = options;
  }

  /** Different for each sale, so that a person can tell them apart. */
  newAmount(): string {
    this.#cents += 1;
    return `1.${String(this.#cents).padStart(2, "0")}`;
  }

  /**
   * A till that sends an older sale first fails one step after the other. This is reported once, at the step that the
   * sale belongs to or else here, and the steps after it are not judged. Nothing can be judged of a till that gives a new
   * sale an older reference: this step says so, and the others refer to it.
   */
  async judge(step: Step<PosScene>): Promise<Verdict> {
    const { items } = this.options.counterpart.messages;
    this.#older = null;
    const from = items.length;
    const judged = await step.run(this);
    const verdict = this.#repeated === null ? this.#withoutOlder(judged) : this.#repeats(this.#repeated, step.title);
    if (verdict.kind === "broken") this.#broken.add(step.title);
    for (const { body } of items.slice(from)) {
      const reference = textOf(body, "referenceId");
      if (!this.#owners.has(reference)) this.#owners.set(reference, step.title);
    }
    return verdict;
  }

  #withoutOlder(verdict: Verdict): Verdict {
    if (this.#older === null || verdict.kind === "kept" || verdict.kind === "left-out") return verdict;
    const { reference, owner } = this.#older;
    const seen = `the till first sent an older reference, ${reference} of “${owner}”`;
    if (this.#broken.has(owner)) return blocked(seen);
    this.#broken.add(owner);
    return broken("messages about the new sale", seen);
  }

  #repeats({ reference, owner }: Used, title: string): Verdict {
    this.hopeless = `the till gave a new sale a used referenceId (see “${title}”)`;
    return broken("a new referenceId for each transaction", `the new sale has ${reference} of “${owner}”`);
  }

  async sale(script: Script = approvedAfter(), amount = this.newAmount(), within?: number): Promise<Driven> {
    this.options.counterpart.ledger.follow(script);
    const { messages, shown } = await this.drive({ kind: "sale", about: amount }, within);
    for (const message of messages) {
      const reference = aboutOf(message);
      const owner = this.#owners.get(reference);
      if (owner === undefined) continue;
      message.isOlder = true;
      // An older sale has its own amount.
      if (textOf(dataOf(message.body), "transAmt") === amount) this.#repeated = { reference, owner };
      else this.#older ??= { reference, owner };
    }
    return { messages: messages.filter(({ isOlder }) => isOlder !== true), shown };
  }

  async drive(action: Action, within = this.options.within): Promise<Driven> {
    return this.#heard(within, (situation) => this.options.driver.drive(action, situation));
  }

  /** Makes the till sell without an answer, kills it and starts it again; null if that is not possible. */
  async crash(): Promise<(Omit<Driven, "shown"> & { shown: Shown | null }) | null> {
    const { counterpart, driver, within } = this.options;
    if (driver.crash === undefined) return null;
    counterpart.ledger.follow(approvedAfter({ kind: "silence" }));
    const sale: Action = { kind: "sale", about: this.newAmount() };
    return this.#heard(within, async (situation) => (await driver.crash?.(sale, situation)) ?? null);
  }

  async #heard<T>(
    within: number,
    act: (situation: { url: string; within: number; heard: Promise<void> }) => Promise<T>,
  ): Promise<{ messages: MessageHeard[]; shown: T }> {
    const { counterpart } = this.options;
    const { url } = counterpart;
    counterpart.drive += 1;
    const { drive } = counterpart;
    const from = counterpart.messages.items.length;
    const heard = counterpart.messages.next({ from, within }).then(() => undefined);
    const shown = await act({ url, within, heard });
    return { messages: counterpart.messages.items.filter((message) => message.drive === drive), shown };
  }
}

/** The reference that the message names, otherwise its own. */
function aboutOf({ body }: MessageHeard): string {
  return textOf(dataOf(body), "referenceId") || textOf(body, "referenceId");
}

/** Without a sale there is no answer for the till to handle. */
export const NO_SALE = blocked("no sale arrived (see “sale”, “refresh” and “login-again”)");

export const anyTime = stepsWith(async (scene: PosScene) => ok({ ...scene.options, scene }));

export interface OnSale extends Words {
  script: Script;
  expected: string;
  problems: (driven: Driven) => Problems;
  /** Set if the step takes minutes, in milliseconds: it then runs only with `--patient`. */
  minutes?: number;
}

export function onSale({ script, expected, problems, minutes, ...words }: OnSale): Step<PosScene> {
  return {
    ...words,
    async run(scene) {
      if (minutes !== undefined && !scene.options.patient) return leftOut("it takes minutes (use --patient)");
      const driven = await scene.sale(script, undefined, minutes);
      return driven.messages.length === 0 ? NO_SALE : keptUnless(problems(driven), expected);
    },
  };
}
