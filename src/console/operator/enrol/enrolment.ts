/**
 * The page's enrolment: the chosen terminals, and how far it is. It lives as long as the page: a user who opens another
 * section meanwhile stops nothing, begins no second one, and still has the secrets to save.
 */
import { signal } from "@preact/signals";
import { readTerminals } from "../../../enrolment/csv.ts";
import type { WantedTerminal } from "../../../enrolment/csv.ts";
import { enrolAll } from "../../../enrolment/enrol.ts";
import type { Enrolled } from "../../../enrolment/enrol.ts";
import { isCallError, problemOf } from "../calls.ts";
import type { Calls } from "../calls.ts";
import { enrolmentCalls } from "./calls.ts";
import { PageMemory } from "./memory.ts";
import type { Store } from "./memory.ts";

export interface Run {
  outcomes: Enrolled[];
  state: "running" | "stopped" | "ended";
  problem: string | null;
}

export interface EnrolmentState {
  wanted: WantedTerminal[];
  /** Why the chosen file cannot be used. */
  problem: string | null;
  /** null: not begun. */
  run: Run | null;
  /** How many secrets are not saved yet. */
  unsaved: number;
}

export class Enrolment {
  readonly state = signal<EnrolmentState>({ wanted: [], problem: null, run: null, unsaved: 0 });
  readonly #memory: PageMemory;

  constructor(store: Store) {
    this.#memory = new PageMemory(store);
  }

  /** Reads a CSV file, unless an enrolment is running. */
  choose(name: string, text: string): void {
    if (this.#isRunning) return;
    const read = readTerminals(text);
    this.#set(
      read.ok
        ? { wanted: read.value, problem: null, run: null }
        : { wanted: [], problem: `${name}: ${read.error}`, run: null },
    );
  }

  /** Enrols the chosen terminals, unless it is running already: a second run would replace the secrets of the first. */
  async enrol(calls: Calls): Promise<void> {
    if (this.#isRunning) return;
    const outcomes: Enrolled[] = [];
    const show = (state: Run["state"], problem: string | null): void =>
      this.#set({ run: { outcomes: [...outcomes], state, problem } });
    show("running", null);
    try {
      await enrolAll(this.state.value.wanted, enrolmentCalls(calls), this.#memory, (one) => {
        outcomes.push(one);
        if (one.outcome === "taken" || one.outcome === "refused") this.#memory.leave(one.terminalId);
        show("running", null);
      });
      show("ended", null);
    } catch (error) {
      if (!isCallError(error)) throw error;
      show("stopped", problemOf(error));
    }
  }

  /** The secrets as CSV, once. */
  takeSecrets(): string {
    const csv = this.#memory.takeSecrets();
    this.#set({});
    return csv;
  }

  get #isRunning(): boolean {
    return this.state.value.run?.state === "running";
  }

  #set(changes: Partial<EnrolmentState>): void {
    this.state.value = { ...this.state.value, ...changes, unsaved: this.#memory.unsaved };
  }
}

let kept: Enrolment | null = null;

/** One for the life of the page. */
export function pageEnrolment(): Enrolment {
  return (kept ??= new Enrolment(localStorage));
}
