import type { TransferType } from "../../../protocol/transfer-types.ts";
import { runCommand, type Output, type Tester } from "../tester.ts";
import { orTimeout } from "../times.ts";
import type { Milliseconds } from "../../../protocol/time/units.ts";

/** The words of an action: a variable for a command, and a request to a person. */
interface Words {
  variable: string;
  asks: (about: string) => string;
}

/** A new type does not compile without a decision: null if no step needs it. */
const ACTIONS = {
  sale: { variable: "AMOUNT", asks: (amount) => `make a sale of ${amount}, and wait until it shows an outcome.` },
  void: { variable: "TRANS_ID", asks: (transId) => `void the sale ${transId}.` },
  inquiry: { variable: "TRANS_ID", asks: (transId) => `ask what became of the sale ${transId}.` },
  cancel: { variable: "REFERENCE_ID", asks: (referenceId) => `cancel the sale with the reference ${referenceId}.` },
  cashOut: null,
  getLast: null,
} as const satisfies Record<TransferType | "cancel", Words | null>;

/** `about` is the amount of a sale, the reference to cancel, or the transId of the sale. */
export interface Action {
  kind: Exclude<keyof typeof ACTIONS, "cashOut" | "getLast">;
  about: string;
  /** A text for a sale's receipt. */
  note?: string;
}

/**
 * `failed`: an error, no money moved; `failed-unknown`: an error, outcome unknown; `unsupported`: the POS does not
 * have this action; `crashed`: the command exited with any other status; `nothing`: it did not end in time.
 */
export type PosAnswer =
  "approved" | "not-approved" | "unknown" | "failed" | "failed-unknown" | "unsupported" | "crashed" | "nothing";

interface Situation {
  url: string;
  /** The action must end within this time. */
  within: Milliseconds;
  /** Resolves when the kit has received the POS's message. */
  heard: Promise<void>;
}

/** Each optional part is absent if this driver cannot do it. */
export interface Driver {
  drive(action: Action, situation: Situation): Promise<PosAnswer>;
  /** Starts the POS again, which completes what is open. Resolves to what it shows then. */
  recover?(situation: Situation): Promise<PosAnswer>;
  /**
   * Kills the POS when the message of a sale has come, and starts it again. Resolves to what it shows then; null: nobody
   * knows.
   */
  crash?(sale: Action, situation: Situation): Promise<PosAnswer | null>;
  /** As `crash`; another process of the same POS makes the second sale before the first is killed. */
  crashBeside?(first: Action, second: Action, situation: Situation): Promise<PosAnswer>;
}

/** By exit status, as in `npm run pos`. */
const BY_STATUS: readonly PosAnswer[] = [
  "approved",
  "not-approved",
  "unknown",
  "failed",
  "failed-unknown",
  "unsupported",
];

/** The command reads the action from its environment: see the kit's usage. */
export function commandDriver(
  command: string,
  account: Record<string, string>,
  { output, restart }: { output: Output; restart?: ((url: string) => void) | undefined },
): Driver {
  const begin = (action: Action | null, url: string) =>
    runCommand(command, { ...account, GATEWAY_URL: url, ...makeEnvironment(action) }, output);
  const drive = async (action: Action | null, { url, within }: Situation): Promise<PosAnswer> => {
    const running = begin(action, url);
    const ended = await orTimeout(running.ended, within);
    if (ended === "late") {
      running.end("SIGTERM");
      return "nothing";
    }
    // A program that crashed is not "unsupported", and neither is a shell's 126 or 127, which found no program.
    return ended === null ? "nothing" : (BY_STATUS[ended] ?? "crashed");
  };
  const crash = async (sale: Action, second: Action | null, situation: Situation): Promise<PosAnswer> => {
    const running = begin(sale, situation.url);
    await orTimeout(Promise.race([situation.heard, running.ended]), situation.within);
    if (second !== null) await drive(second, situation);
    running.end("SIGKILL");
    await running.ended;
    restart?.(situation.url);
    return drive(null, situation);
  };
  return {
    drive,
    recover: (situation) => drive(null, situation),
    crash: (sale, situation) => crash(sale, null, situation),
    crashBeside: crash,
  };
}

/** Without an action, the POS starts after a crash, and completes what is open. */
function makeEnvironment(action: Action | null): Record<string, string> {
  const none = { AMOUNT: "", TRANS_ID: "", REFERENCE_ID: "", NOTE: "", ACTION: "recover", ARGUMENTS: "" };
  if (action === null) return none;
  const { kind, about, note = "" } = action;
  return { ...none, ACTION: kind, ARGUMENTS: about, NOTE: note, [ACTIONS[kind].variable]: about };
}

/** What a person says that the POS shows. An error on the screen does not say whether money moved. */
const SAID = {
  approved: "approved",
  "not approved": "not-approved",
  unknown: "unknown",
  error: "failed-unknown",
  "does not know this": "unsupported",
} as const satisfies Record<string, PosAnswer>;

export function personDriver(tester: Tester): Driver {
  return {
    async drive(action, { heard }) {
      const note = action.note === undefined ? "" : ` Its note, for the receipt: ${action.note}`;
      tester.tell(`At the POS: ${ACTIONS[action.kind].asks(action.about)}${note}`);
      await heard;
      const choices = Object.keys(SAID) as (keyof typeof SAID)[];
      const said = await tester.choose("What does the POS show when it is done?", choices);
      return said === null ? "nothing" : SAID[said];
    },
    async crash({ about }, { heard }) {
      tester.tell(`At the POS: make a sale of ${about}, and switch the POS off at once. Then start it again.`);
      await heard;
      await tester.confirm("Has the POS started again, and have you done what it asked?");
      return null;
    },
  };
}
