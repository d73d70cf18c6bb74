/**
 * What the page remembers of an enrolment. What it has begun, with the ids of the enrolments, is in the browser's storage, so that the run can
 * continue after the page was closed. The secrets are only in the page's memory (I6).
 */
import type { EnrolmentMemory } from "../../../enrolment/enrol.ts";
import { secretLine, SECRETS_HEAD } from "../../../enrolment/secrets.ts";

const KEY = "enrolment begun";

/** The part of `localStorage` that is used. */
export type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class PageMemory implements EnrolmentMemory {
  readonly #store: Store;
  readonly #begun: Map<string, string>;
  readonly #secrets = new Map<string, string>();
  readonly #saved = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
    this.#begun = new Map(readPairs(store.getItem(KEY)));
  }

  /** How many secrets are not saved yet. */
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

  /** It does not belong to this run: somebody else has it, or the gateway does not accept it. */
  leave(terminalId: string): void {
    this.#begun.delete(terminalId);
    this.#write();
  }

  noteSecret = async (terminalId: string, secret: string): Promise<void> => {
    this.#secrets.set(terminalId, secret);
  };

  /**
   * Returns the secrets as CSV, once. They are then deleted here, and their terminals never get new ones from this run.
   */
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
