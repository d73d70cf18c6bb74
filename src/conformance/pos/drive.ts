/** Drives a till, and reads what it shows. */
import { runCommand } from "../shell.ts";
import type { Tester } from "../tester.ts";

export type Action =
  | { kind: "sale"; amount: string }
  | { kind: "void"; transId: string }
  | { kind: "inquiry"; transId: string }
  | { kind: "cancel"; referenceId: string };

/**
 * `failed`: an error, no money moved; `failed-unknown`: an error, outcome unknown; `unsupported`: the till does not have
 * this action; `crashed`: the command exited with any other status; `nothing`: it did not end in time.
 */
export type Shown =
  "approved" | "not-approved" | "unknown" | "failed" | "failed-unknown" | "unsupported" | "crashed" | "nothing";

export interface Driver {
  /**
   * Makes the till do `action`, and resolves to what it shows at the end. Gives up after `within` milliseconds. `heard`
   * resolves when the kit has received the till's message.
   */
  drive(action: Action, situation: { url: string; within: number; heard: Promise<void> }): Promise<Shown>;
}

/** By exit status, as in `npm run pos`. */
const BY_STATUS: readonly Shown[] = ["approved", "not-approved", "unknown", "failed", "failed-unknown", "unsupported"];

/** A command that reads the action from its environment: see the usage of the kit. */
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
      // Not "unsupported": a program that crashed, or a shell's 126 and 127, which found no program.
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
        // An error on the screen does not tell whether money moved.
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
      return `At the till: make a sale of ${action.amount}, and wait until it shows an outcome.`;
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
