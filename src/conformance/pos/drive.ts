/** How a till is made to do something, and how it is known what it showed then. */
import { runCommand } from "../shell.ts";
import type { Tester } from "../tester.ts";

export type Action =
  | { kind: "sale"; amount: string }
  | { kind: "void"; transId: string }
  | { kind: "inquiry"; transId: string }
  | { kind: "cancel"; referenceId: string };

/**
 * `failed`: an error without money moved; `failed-unknown`: an error with the outcome unknown; `unsupported`: the till
 * does not know this action; `crashed`: its command ended with a status that means none of these; `nothing`: it came to
 * no end in time.
 */
export type Shown =
  "approved" | "not-approved" | "unknown" | "failed" | "failed-unknown" | "unsupported" | "crashed" | "nothing";

export interface Driver {
  /**
   * Makes the till do it, and resolves to what it showed in the end. Gives up after `within` milliseconds. `heard`
   * resolves when the kit has heard of it.
   */
  drive(action: Action, situation: { url: string; within: number; heard: Promise<void> }): Promise<Shown>;
}

/** By exit status, as `npm run pos` has them. */
const BY_STATUS: readonly Shown[] = ["approved", "not-approved", "unknown", "failed", "failed-unknown", "unsupported"];

/** A command that does what its environment says: see the usage of the kit. */
export function commandDriver(command: string, account: Record<string, string>): Driver {
  return {
    async drive(action, { url, within }) {
      const running = runCommand(command, { ...account, GATEWAY_URL: url, ...environmentOf(action) });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<"late">((resolve) => {
        timer = setTimeout(() => resolve("late"), within);
      });
      const ended = await Promise.race([running.ended, late]);
      clearTimeout(timer);
      if (ended === "late") {
        running.end();
        return "nothing";
      }
      // Not what the till does not know: a program that broke down, or 126 and 127 of the shell, which found none.
      return ended === null ? "nothing" : (BY_STATUS[ended] ?? "crashed");
    },
  };
}

function environmentOf(action: Action): Record<string, string> {
  const none = { AMOUNT: "", TRANS_ID: "", REFERENCE_ID: "" };
  switch (action.kind) {
    case "sale":
      return { ...none, ACTION: "sale", ARGUMENTS: action.amount, AMOUNT: action.amount };
    case "void":
    case "inquiry":
      return { ...none, ACTION: action.kind, ARGUMENTS: action.transId, TRANS_ID: action.transId };
    case "cancel":
      return { ...none, ACTION: "cancel", ARGUMENTS: action.referenceId, REFERENCE_ID: action.referenceId };
    default:
      return action satisfies never;
  }
}

/** A person at the till. */
export function personDriver(tester: Tester): Driver {
  return {
    async drive(action, { heard }) {
      tester.tell(instruction(action));
      await heard;
      const shown = await tester.choose("What does the till show when it is done?", [
        "approved",
        "not approved",
        "unknown",
        "error",
        "does not know this",
      ]);
      switch (shown) {
        case "approved":
        case "unknown":
          return shown;
        // Whether money was moved an error on a screen does not tell.
        case "error":
          return "failed-unknown";
        case "not approved":
          return "not-approved";
        case "does not know this":
          return "unsupported";
        case null:
          return "nothing";
        default:
          return shown satisfies never;
      }
    },
  };
}

function instruction(action: Action): string {
  switch (action.kind) {
    case "sale":
      return `At the till: make a sale of ${action.amount}, and let it do what it does until it has an outcome.`;
    case "void":
      return `At the till: void the sale ${action.transId}.`;
    case "inquiry":
      return `At the till: ask what became of the sale ${action.transId}.`;
    case "cancel":
      return `At the till: cancel the sale with the reference ${action.referenceId}.`;
    default:
      return action satisfies never;
  }
}
