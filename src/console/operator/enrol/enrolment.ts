/**
 * The enrolment lives as long as the page: a user who opens another section meanwhile stops nothing, begins no second
 * run, and still has the secrets to save.
 */
import { signal } from "@preact/signals";
import { readTerminals, secretLine, SECRETS_HEAD } from "../../../enrolment/csv.ts";
import type { WantedTerminal } from "../../../enrolment/csv.ts";
import { enrolAll, merchantsWithout } from "../../../enrolment/enrol.ts";
import type { Enrol, Enrolled, EnrolmentMemory } from "../../../enrolment/enrol.ts";
import type { AccountPage, TerminalSecret } from "../answers.ts";
import { isCallError, problemOf } from "../calls.ts";
import type { Calls } from "../calls.ts";

export interface Run {
  outcomes: Enrolled[];
  state: "running" | "stopped" | "ended";
  problem: string | null;
}

export interface EnrolmentState {
  wanted: WantedTerminal[];
  /** Of the chosen file. */
  problem: string | null;
  /** null: not begun. */
  run: Run | null;
  /** Merchants of the chosen terminals that no account has. */
  unknownMerchants: string[];
  /** Secrets not saved yet. */
  unsaved: number;
}

export class Enrolment {
  readonly state = signal<EnrolmentState>({ wanted: [], problem: null, run: null, unknownMerchants: [], unsaved: 0 });
  readonly #memory: PageMemory;

  constructor(store: Store) {
    this.#memory = new PageMemory(store);
  }

  choose(name: string, text: string): void {
    if (this.#isRunning) return;
    const read = readTerminals(text);
    this.#set(
      read.ok
        ? { wanted: read.value, problem: null, run: null, unknownMerchants: [] }
        : { wanted: [], problem: `${name}:\n${read.error}`, run: null, unknownMerchants: [] },
    );
  }

  /** Does nothing while an enrolment runs: a second run would replace the secrets of the first. */
  async enrol(calls: Calls): Promise<void> {
    if (this.#isRunning) return;
    const outcomes: Enrolled[] = [];
    const show = (state: Run["state"], problem: string | null): void =>
      this.#set({ run: { outcomes: [...outcomes], state, problem } });
    show("running", null);
    try {
      const { wanted } = this.state.value;
      const unknownMerchants = await merchantsWithout(wanted, (merchantId) => hasAccount(calls, merchantId));
      if (unknownMerchants.length > 0) this.#set({ unknownMerchants });
      await enrolAll(wanted, enrolWith(calls), this.#memory, (one) => {
        outcomes.push(one);
        if (one.outcome === "taken" || one.outcome === "refused") this.#memory.leave(one.terminalId);
        show("running", null);
      });
      show("ended", null);
    } catch (error) {
      show("stopped", problemOf(error));
    }
  }

  /** As CSV, once. */
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

export function pageEnrolment(): Enrolment {
  return (kept ??= new Enrolment(localStorage));
}

async function hasAccount(calls: Calls, merchantId: string): Promise<boolean> {
  const { data } = await calls.get<AccountPage>("/accounts", { merchantId });
  return data.some(({ status }) => status !== "deleted");
}

function enrolWith(calls: Calls): Enrol {
  return async (terminal) => {
    try {
      const { secret } = await calls.send<TerminalSecret>("POST", "/terminals", terminal);
      return { kind: "enrolled", secret };
    } catch (error) {
      if (isCallError(error) && error.status === 400) return { kind: "refused", problem: problemOf(error) };
      if (isCallError(error) && error.status === 409) return { kind: "taken" };
      throw error;
    }
  };
}

const KEY = "enrolment begun";

export type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * The browser's storage has the begun enrolments with their ids, so that the run can continue after the page was
 * closed. The secrets are only in the page's memory (I6).
 */
export class PageMemory implements EnrolmentMemory {
  readonly #store: Store;
  readonly #begun: Map<string, string>;
  readonly #secrets = new Map<string, string>();
  readonly #saved = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
    this.#begun = new Map(readPairs(store.getItem(KEY)));
  }

  get unsaved(): number {
    return this.#secrets.size;
  }

  isDone = (terminalId: string): boolean => this.#secrets.has(terminalId) || this.#saved.has(terminalId);

  begin = async (terminalId: string): Promise<string> => {
    const enrolmentId = this.#begun.get(terminalId) ?? crypto.randomUUID();
    this.#begun.set(terminalId, enrolmentId);
    this.#write();
    return enrolmentId;
  };

  /** The terminal does not belong to this run: somebody else has it, or the gateway does not accept it. */
  leave(terminalId: string): void {
    this.#begun.delete(terminalId);
    this.#write();
  }

  noteSecret = async (terminalId: string, secret: string): Promise<void> => {
    this.#secrets.set(terminalId, secret);
  };

  /** As CSV, once: the secrets are then deleted here, and their terminals never get new ones from this run. */
  takeSecrets(): string {
    const lines = [...this.#secrets].map(([terminalId, secret]) => secretLine(terminalId, secret));
    for (const terminalId of this.#secrets.keys()) {
      this.#begun.delete(terminalId);
      this.#saved.add(terminalId);
    }
    this.#secrets.clear();
    this.#write();
    return SECRETS_HEAD + lines.join("");
  }

  #write(): void {
    if (this.#begun.size === 0) this.#store.removeItem(KEY);
    else this.#store.setItem(KEY, JSON.stringify(Object.fromEntries(this.#begun)));
  }
}

function readPairs(text: string | null): [string, string][] {
  try {
    return Object.entries(JSON.parse(text ?? "{}") as Record<string, string>);
  } catch {
    return [];
  }
}
