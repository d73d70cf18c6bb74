/** A verdict as Markdown: what was done, what was checked and how often, what was not, and every violation. */
import { FAULTS, type Fault, OPERATOR_ACTIONS, type OperatorAction } from "../journal.ts";
import { type Check, type PromiseId, PROMISES, type Violation } from "./check.ts";
import type { History } from "./history.ts";
import type { Verdict } from "./judge.ts";

/** The exit status of a run, and of the checker's command: a promise that got no chance is not a promise that is kept. */
export const EXIT = { held: 0, violated: 1, "not checked": 3 } as const;

const WORDS = {
  held: "Every promise is kept",
  violated: "Promises are broken",
  "not checked": "Nothing is broken, but not everything was checked",
} as const;

/** Violations of a sentence that the report and the summary show. The report counts all. */
const SHOWN = 20;
const SHOWN_IN_SUMMARY = 2;

/** The longest text of an entry: a read of a feed has a hundred events. */
const ENTRY_LENGTH = 1_000;

/** Markdown with headings of the second level and below, for a page or a file of its own. */
export function report(verdict: Verdict): string {
  const { history, checks } = verdict;
  return `${[
    summary(verdict),
    "## What was done",
    table(
      ["Entry of the journal", "Times"],
      timesOf(history.lines, ({ kind }) => kind),
    ),
    faultsText(history),
    operatorTable(history),
    "## What was checked",
    "Every rule is held against the run's journal each time that the run gives a chance to. **not checked** means that it gave none.",
    checksTable(checks),
    "## What was not checked",
    notChecked(verdict),
    "## Violations",
    violations(checks, SHOWN).join("\n\n") || "None.",
  ].join("\n\n")}\n`;
}

/** What the documentation shows of a verdict, as Markdown without headings. */
export function publishedReport(verdict: Verdict): string {
  const { checks, history } = verdict;
  const rows = Object.entries(PROMISES).map(([id, name]) => {
    const own = checks.filter(({ promise }) => promise === id);
    const found = own.flatMap((one) => one.violations);
    return [`${id} ${name}`, ...[own.length, madeIn(own), found.length].map(grouped)];
  });
  const kinds = new Set(history.faults.all.map(({ fault }) => fault)).size;
  const transactions = [...history.references.values()].filter(({ transfers }) => transfers.length > 0);
  return [
    summary(verdict),
    table(["Promise", "Rules", "Checks", "Violations"], rows),
    `${plural(history.faults.all.length, "fault")} of ${plural(kinds, "kind")} came between ` +
      `${plural(history.calls.length, "request")} about ${plural(transactions.length, "transaction")}.`,
  ].join("\n\n");
}

/**
 * A verdict in lines: the first violations of each sentence, because where the report is gone, as after a test, this is all that
 * is left of them; each sentence that was not checked; and a last line that counts all.
 */
export function summaryOf({ outcome, isComplete, checks, unchecked }: Verdict): string {
  const left = checks.flatMap((check) => Object.values(check.left)).reduce((sum, times) => sum + times, 0);
  const counts = `${madeIn(checks)} checks, ${unchecked.length} of ${checks.length} sentences not checked, ${left} cases left out`;
  const end = isComplete ? "" : " The run did not reach its end.";
  return [...violations(checks, SHOWN_IN_SUMMARY), ...never(unchecked), `${WORDS[outcome]}: ${counts}.${end}`].join(
    "\n",
  );
}

function summary({ outcome, isComplete, unchecked, checks, history: { run, lines, end } }: Verdict): string {
  const made = grouped(madeIn(checks));
  const sentence = {
    held: `**All promises held**: ${made} checks, no violation.`,
    violated: `**${plural(checks.flatMap((one) => one.violations).length, "violation")}** in ${made} checks.`,
    "not checked":
      `No violation in ${made} checks, but ` +
      (isComplete
        ? `the run gave no chance to check ${unchecked.length} of ${checks.length} rules.`
        : "the run did not reach its end: this says little."),
  }[outcome];
  if (run === null) return sentence;
  const { date, versions, seed, seconds, terminals, accounts } = run;
  const lasted = Math.round((end - (lines[0]?.at ?? 0)) / 1_000);
  const facts = [
    date,
    `seed ${seed}`,
    `${lasted < 120 ? `${lasted} s` : `${Math.round(lasted / 60)} min`} in all`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
  ];
  const size = `--seconds ${seconds} --terminals ${terminals.length} --accounts ${accounts.length}`;
  return `${sentence}\n\n${facts.join(", ")}.\n\n\`\`\`bash\nnpm run chaos -- ${size} --seed ${seed}\n\`\`\``;
}

function madeIn(checks: readonly Check[]): number {
  return checks.reduce((sum, { made }) => sum + made, 0);
}

function faultsText({ faults, run, end }: History): string {
  const rows = timesOf(faults.all, ({ fault }) => fault).map(([fault, times]) => {
    const active = faults.all
      .filter((one) => one.fault === fault)
      .reduce((sum, { began, ended }) => sum + (ended?.at ?? end) - began.at, 0);
    return [FAULTS[fault as Fault], times, grouped(Math.round(active / 1_000))] as const;
  });
  const left = (run?.omitted ?? []).map(({ fault, why }) => `- Left out of “${FAULTS[fault]}”: ${why}`);
  return [table(["Fault", "Times", "Seconds in all"], rows), ...(left.length === 0 ? [] : [left.join("\n")])].join(
    "\n\n",
  );
}

function operatorTable({ operator }: History): string {
  const rows = timesOf(operator, ({ asked }) => asked.action).map(([action, times]) => {
    const done = operator.filter(({ asked, answered }) => asked.action === action && (answered?.status ?? 500) < 300);
    return [OPERATOR_ACTIONS[action as OperatorAction], times, grouped(done.length)];
  });
  return table(["What an operator tried to", "Times", "Succeeded"], rows);
}

function checksTable(checks: readonly Check[]): string {
  const rows = (Object.keys(PROMISES) as PromiseId[]).flatMap((id) =>
    checks
      .filter(({ promise }) => promise === id)
      .map(({ says, made, violations: found }, index) => [
        index === 0 ? `${id} ${PROMISES[id]}` : "",
        says,
        made === 0 ? "**not checked**" : grouped(made),
        found.length === 0 ? (made === 0 ? "" : "0") : `**${grouped(found.length)}**`,
      ]),
  );
  return table(["Promise", "What must hold", "Checks", "Violations"], rows, 2);
}

function never(unchecked: readonly Check[]): string[] {
  return unchecked.map(({ promise, says }) => `- ${promise}: ${says} Never.`);
}

function notChecked({ checks, unchecked }: Verdict): string {
  const left = checks.flatMap(({ promise, says, left: reasons }) =>
    Object.entries(reasons).map(([why, times]) => `- ${promise}: ${says} ${plural(times, "case")} left out: ${why}.`),
  );
  return [...never(unchecked), ...left].join("\n") || "Nothing was left out.";
}

function violations(checks: readonly Check[], most: number): string[] {
  return checks
    .filter(({ violations: found }) => found.length > 0)
    .flatMap(({ promise, says, violations: found }) => [
      `### ${promise}: ${says}`,
      `${plural(found.length, "violation")}.`,
      ...found.slice(0, most).map((one) => `${one.says}\n\n\`\`\`json\n${entriesOf(one)}\n\`\`\``),
    ]);
}

function entriesOf({ lines }: Violation): string {
  return lines.map((line) => JSON.stringify(line).slice(0, ENTRY_LENGTH)).join("\n");
}

/** How often each text occurs, the most frequent first. */
function timesOf<Of>(all: readonly Of[], textOf: (one: Of) => string): [text: string, times: string][] {
  return [...Map.groupBy(all, textOf)]
    .toSorted(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
    .map(([text, those]) => [text, grouped(those.length)]);
}

/** @param left number of columns of text; the others are numbers */
function table(head: readonly string[], rows: readonly (readonly string[])[], left = 1): string {
  const rule = head.map((_, index) => (index < left ? "---" : "--:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function plural(count: number, one: string): string {
  return `${grouped(count)} ${count === 1 ? one : `${one}s`}`;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
