/** Tells other objects what they lack: one call per object and attempt. */
import { log } from "../../outcomes/log.ts";
import { within } from "../../bounds/within.ts";
import type { Answer, UntoldRow, Waiting } from "./decisions.ts";
import { TELL_WAIT } from "../limits.ts";
import type { Conclusion, Source } from "./teller.ts";
import type { Untold } from "../storage/untold.ts";

export interface ObjectsParts {
  untold: Untold;
  /** What receivers are. */
  kind: "account" | "terminal";
  /** For log lines: who tells. */
  about: () => Record<string, string | undefined>;
  /**
   * Reads the state before it returns, and tells it. The result applies the object's answer, within a turn.
   *
   * @param id of the object
   */
  tell: (id: string, row: UntoldRow) => Promise<(now: number) => Answer>;
}

export class Objects implements Source {
  readonly #parts: ObjectsParts;

  constructor(parts: ObjectsParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.kind;
  }

  get #rows(): UntoldRow[] {
    return this.#parts.untold.of(`${this.#parts.kind}:`);
  }

  waiting(): ReadonlyMap<string, Waiting> {
    const first = new Map<string, Waiting>();
    for (const { receiver, notBefore } of this.#rows) {
      first.set(receiver, { notBefore: Math.min(notBefore, first.get(receiver)?.notBefore ?? Infinity) });
    }
    return first;
  }

  /** One row, the oldest that is due. */
  async tell(receiver: string, at: number): Promise<Conclusion> {
    const { untold, kind, about, tell } = this.#parts;
    const row = this.#rows.find((one) => one.receiver === receiver && one.notBefore <= at);
    if (row === undefined) return () => undefined;
    const id = receiver.slice(kind.length + 1);
    const facts = { ...about(), [kind]: id };
    const [topic] = row.topic.split(":");
    try {
      const judge = await within(TELL_WAIT, tell(id, row));
      return (now) => {
        const answer = judge(now);
        untold.answered(row, answer, now);
        if (answer === "refused") log("warning", `${topic}-refused`, facts);
      };
    } catch (error) {
      log("warning", `${topic}-not-told`, { ...facts, detail: String(error) });
      return (now) => untold.answered(row, "failed", now);
    }
  }
}
