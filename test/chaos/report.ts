/** A verdict in Markdown: every rule, the first violations of each, and a last line that counts all. */
import type { Line } from "./judge/history.ts";
import type { Verdict } from "./judge/judge.ts";

const WORDS = { held: "Every promise is kept", violated: "A PROMISE IS BROKEN", unchecked: "Nothing is broken" };

const shown = ({ line, ...entry }: Line): string => `${line}: ${JSON.stringify(entry).slice(0, 600)}`;

export function report({ outcome, rules, history }: Verdict): string {
  const faults = [...Map.groupBy(history.of("fault"), ({ fault }) => fault)];
  const checks = rules.reduce((total, { made }) => total + made, 0);
  const unchecked = rules.filter(({ made }) => made === 0).length;
  return [
    JSON.stringify(history.of("run")[0]),
    `${history.calls.length} messages about ${history.references.size} references.`,
    `Faults: ${faults.map(([fault, those]) => `${fault} ×${those.length}`).join(", ")}.`,
    ...rules.flatMap(({ promise, says, made, violations }) => [
      `- ${promise}: ${says} ${made} checks, ${violations.length} violations.`,
      ...violations.slice(0, 3).map((one) => `${one.says}\n${one.lines.map(shown).join("\n")}`),
    ]),
    `${WORDS[outcome]}: ${checks} checks, ${unchecked} of ${rules.length} rules not checked` +
      (history.isComplete ? "." : ". The run did not reach its end."),
  ].join("\n");
}
