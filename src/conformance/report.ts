/** What a kit prints, and its exit status. */
import type { Outcome } from "./step.ts";

/** 0: every duty that was tried is kept; 1: some are broken, or could not be tried; 2: the kit was misused. */
export const EXIT = { kept: 0, broken: 1, misused: 2 };

export interface Counts {
  kept: number;
  broken: number;
  blocked: number;
  leftOut: number;
}

export function countsOf(outcomes: readonly Outcome[]): Counts {
  const count = (kind: Outcome["verdict"]["kind"]): number =>
    outcomes.filter(({ verdict }) => verdict.kind === kind).length;
  return { kept: count("kept"), broken: count("broken"), blocked: count("blocked"), leftOut: count("left-out") };
}

/** A run in which nothing was kept has shown nothing. */
export function exitStatusOf(outcomes: readonly Outcome[]): number {
  const { kept, broken, blocked } = countsOf(outcomes);
  return kept > 0 && broken === 0 && blocked === 0 ? EXIT.kept : EXIT.broken;
}

const INDENT = "    ";

/** One line; for a duty that is not kept, also what a person needs to mend it. */
export function outcomeText({ step, verdict }: Outcome): string {
  const { name, title, duty, harm, mend } = step;
  switch (verdict.kind) {
    case "kept":
      return `✓ ${title}${verdict.note === undefined ? "" : ` (${verdict.note})`}`;
    case "left-out":
      return `– ${title}: left out, ${verdict.why}`;
    case "blocked":
      return `– ${title}: could not be tried, ${verdict.why}`;
    case "broken":
      return [
        `✗ ${title} [${name}]`,
        `${INDENT}duty      ${duty}`,
        `${INDENT}expected  ${verdict.expected}`,
        `${INDENT}seen      ${verdict.seen}`,
        `${INDENT}the shop  ${harm}`,
        `${INDENT}mend      ${mend}`,
      ].join("\n");
    default:
      return verdict satisfies never;
  }
}

export function summaryText(outcomes: readonly Outcome[]): string {
  const { kept, broken, blocked, leftOut } = countsOf(outcomes);
  return [
    `${kept} kept, ${broken} broken`,
    ...(blocked === 0 ? [] : [`${blocked} could not be tried`]),
    `${leftOut} left out`,
  ].join(", ");
}

/** One line of JSON for programs. */
export function reportJson(kit: string, url: string, outcomes: readonly Outcome[]): string {
  const steps = outcomes.map(({ step, verdict, took }) => ({
    ...step,
    verdict: verdict.kind,
    ...("why" in verdict ? { why: verdict.why } : {}),
    ...(verdict.kind === "kept" && verdict.note !== undefined ? { note: verdict.note } : {}),
    ...(verdict.kind === "broken" ? { expected: verdict.expected, seen: verdict.seen } : {}),
    milliseconds: took,
  }));
  return JSON.stringify({ kit, url, ...countsOf(outcomes), steps });
}
