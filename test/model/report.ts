/** A failed history, as its reader needs it: the broken promise, how to see it again, and a test to keep. */
import type { Violation } from "./oracle.ts";
import type { Action } from "./vocabulary.ts";
import type { Setting } from "./world.ts";

export interface Failure {
  violation: Violation;
  setting: Setting;
  actions: readonly Action[];
  /** How the very same history is played again. */
  again: string;
}

export function report({ violation, setting, actions, again }: Failure): string {
  const lines = actions.map((action) => `    ${JSON.stringify(action)},`);
  return [
    violation.message,
    "",
    `Play it again: ${again}`,
    "A test to keep, for test/model/regressions.test.ts:",
    "",
    'it("<what must hold, and under what>", ({ expect }) => {',
    `  const told = playActions(${JSON.stringify(setting)}, [`,
    ...lines,
    "  ]);",
    "  expect(told.violation).toBeNull();",
    "});",
    "",
  ].join("\n");
}
