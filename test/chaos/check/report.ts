/** A verdict as Markdown: what was done, what was checked and how often, what was not, and every violation. */
import { FAULTS, type Fault, OPERATOR_ACTIONS, type OperatorAction } from "../journal.ts";
import { waitOf } from "./asking-again.ts";
import { type Call, typeOf } from "./calls.ts";
import { type CheckResult, type PromiseId, PROMISES } from "./check.ts";
import type { History, Line } from "./history.ts";
import type { Verdict } from "./judge.ts";
import { takenState } from "./references.ts";
import { textAt } from "./wire.ts";

/** More of one check are counted, not shown. */
const SHOWN_VIOLATIONS = 20;

/** Rarer answers are counted together. */
const SHOWN_ANSWERS = 16;

/** The longest text of an entry: a read of a feed has a hundred events. */
const ENTRY_LENGTH = 1_200;

/** Markdown with headings of the second level and below, for a page or a file of its own. */
export function report(verdict: Verdict): string {
  const { history, checks } = verdict;
  return `${[
    summary(verdict),
    "## What was done",
    workload(history),
    faultsText(history),
    operatorText(history),
    "## What was checked",
    "Every rule is held against the run's journal each time that the run gives a chance to. **not checked** means that it gave none.",
    checksTable(checks),
    "## What was not checked",
    notChecked(verdict),
    "## Violations",
    violations(checks),
    "## Answers and waits",
    answersTable(history),
    waitsTable(history),
  ].join("\n\n")}\n`;
}

/** What the documentation shows of a verdict, as Markdown without headings. */
export function publishedReport(verdict: Verdict): string {
  const { checks, history } = verdict;
  const rows = (Object.keys(PROMISES) as PromiseId[]).map((id) => {
    const own = checks.filter(({ promise }) => promise === id);
    const made = own.reduce((sum, one) => sum + one.made, 0);
    const found = own.reduce((sum, one) => sum + one.violations.length, 0);
    return [`${id} ${PROMISES[id]}`, ...[own.length, made, found].map(grouped)];
  });
  const kinds = new Set(history.faults.all.map(({ fault }) => fault)).size;
  return [
    summary(verdict),
    table(["Promise", "Rules", "Checks", "Violations"], rows, 1),
    `${plural(history.faults.all.length, "fault")} of ${plural(kinds, "kind")} came between ` +
      `${plural(history.calls.length, "request")} about ${plural(transactionsOf(history).length, "transaction")}.`,
  ].join("\n\n");
}

function summary({ outcome, isComplete, unchecked, checks, history: { run, lines, end } }: Verdict): string {
  const made = checks.reduce((sum, one) => sum + one.made, 0);
  const found = checks.reduce((sum, one) => sum + one.violations.length, 0);
  const sentence = {
    held: `**All promises held**: ${grouped(made)} checks, no violation.`,
    violated: `**${plural(found, "violation")}** in ${grouped(made)} checks.`,
    "not checked":
      `No violation in ${grouped(made)} checks, but ` +
      (isComplete
        ? `the run gave no chance to check ${unchecked.length} of ${checks.length} rules.`
        : "the run did not reach its end: this says little."),
  }[outcome];
  if (run === null) return sentence;
  const { date, versions = {}, seed, seconds, terminals, accounts } = run;
  const lasted = Math.round((end - (lines[0]?.at ?? 0)) / 1_000);
  const facts = [
    ...(date === undefined ? [] : [date]),
    `seed ${seed}`,
    `${lasted < 120 ? `${lasted} s` : `${Math.round(lasted / 60)} min`} in all`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
  ];
  const size = `--seconds ${seconds} --terminals ${terminals.length} --accounts ${accounts.length}`;
  return `${sentence}\n\n${facts.join(", ")}.\n\n\`\`\`bash\nnpm run chaos -- ${size} --seed ${seed}\n\`\`\``;
}

/** The references that some till sent a transaction with. */
function transactionsOf({ references }: History) {
  return [...references.values()].filter(({ transfers }) => transfers.length > 0);
}

function workload(history: History): string {
  const count = (kind: Line["kind"]): number => history.of(kind).length;
  const ended = (status: string): number =>
    history.of("terminal.ended").filter(({ statusCode }) => statusCode === status).length;
  const references = transactionsOf(history);
  const events = [...history.events.values()].reduce((sum, { size }) => sum + size, 0);
  const taken = history.of("webhook.received").filter(({ status }) => status >= 200 && status < 300);
  return (
    `${plural(history.run?.accounts.length ?? 0, "account")} with ` +
    `${plural(history.run?.terminals.length ?? 0, "terminal")} sent ${plural(history.calls.length, "request")} about ` +
    `${plural(references.length, "transaction")}. Terminals got ${grouped(count("terminal.received"))}, started ` +
    `${grouped(count("terminal.started"))}, and ended ${grouped(ended("00"))} with money moved and ` +
    `${grouped(ended("11"))} without; the gateway acknowledged ${plural(count("terminal.acknowledged"), "result")}. ` +
    `The feeds have ${plural(events, "event")}; receivers got ` +
    `${plural(count("webhook.received"), "delivery", "deliveries")} and took ${grouped(taken.length)}.`
  );
}

function faultsText({ faults, run, end }: History): string {
  const rows = mostFrequent(faults.all, ({ fault }) => fault).map(([fault, all]) => {
    const active = all.reduce((sum, { began, ended }) => sum + (ended?.at ?? end) - began.at, 0);
    return [FAULTS[fault as Fault], grouped(all.length), grouped(Math.round(active / 1_000))];
  });
  const left = (run?.omitted ?? []).map(({ fault, why }) => `- Left out of “${FAULTS[fault]}”: ${why}`);
  const active = rows.length === 0 ? "No faults were caused." : table(["Fault", "Times", "Seconds in all"], rows, 1);
  return [active, ...(left.length === 0 ? [] : [left.join("\n")])].join("\n\n");
}

function operatorText(history: History): string {
  const done = mostFrequent(history.operator, ({ asked }) => asked.action).map(([action, all]) => {
    const succeeded = all.filter(({ answered }) => (answered?.status ?? 500) < 300);
    return `${OPERATOR_ACTIONS[action as OperatorAction]} (${grouped(succeeded.length)} of ${grouped(all.length)} succeeded)`;
  });
  const actions = done.length === 0 ? "No operator acted." : `An operator tried to ${done.join(", ")}.`;
  const decisions = [...history.references.values()].flatMap((reference) => reference.decisions.map(takenState));
  return (
    `${actions} Terminals lost their memory ${plural(history.of("terminal.forgot").length, "time")}; an operator decided ` +
    `${plural(decisions.filter((one) => one === "yes").length, "transaction")}, and ` +
    `${grouped(decisions.filter((one) => one === "unknown").length)} more whose answer was lost.`
  );
}

function checksTable(checks: readonly CheckResult[]): string {
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

function notChecked({ checks, unchecked }: Verdict): string {
  const never = unchecked.map(({ promise, says }) => `- ${promise}: ${says} Never.`);
  const left = checks.flatMap(({ promise, says, left: reasons }) =>
    Object.entries(reasons).map(([why, times]) => `- ${promise}: ${says} ${plural(times, "case")} left out: ${why}.`),
  );
  const lines = [...never, ...left];
  return lines.length === 0 ? "Nothing was left out." : lines.join("\n");
}

function violations(checks: readonly CheckResult[]): string {
  const found = checks.flatMap(({ promise, says, violations: all }) => {
    if (all.length === 0) return [];
    const shown = all.slice(0, SHOWN_VIOLATIONS).map(({ says: text, lines }) => {
      const entries = lines.map((line) => shortened(JSON.stringify(line)));
      return `${text}\n\n\`\`\`json\n${entries.join("\n")}\n\`\`\``;
    });
    const more = all.length - SHOWN_VIOLATIONS;
    return [`### ${promise}: ${says}`, ...shown, ...(more > 0 ? [`And ${grouped(more)} more.`] : [])];
  });
  return found.length === 0 ? "None." : found.join("\n\n");
}

function shortened(text: string): string {
  return text.length <= ENTRY_LENGTH ? text : `${text.slice(0, ENTRY_LENGTH)}…`;
}

function answersTable({ calls }: History): string {
  const answers = mostFrequent(calls, answerText).map(([answer, all]) => [answer, all.length] as const);
  const others = answers.splice(SHOWN_ANSWERS);
  const rest = others.reduce((sum, [, times]) => sum + times, 0);
  if (rest > 0) answers.push([`${others.length} others`, rest]);
  const most = Math.max(1, ...answers.map(([, times]) => times));
  const rows = answers.map(([answer, times]) => [
    answer,
    grouped(times),
    `${((times / calls.length) * 100).toFixed(1)} %`,
    "█".repeat(Math.round((times / most) * 20)),
  ]);
  return table(["Answer", "Times", "Share", ""], rows, 1);
}

/** How a call ended, in a word or two. */
function answerText({ end }: Call): string {
  if (end?.kind !== "till.answered") return "no answer";
  if (end.status !== 200) return String(end.status);
  return [textAt(end.answer, "statusCode"), textAt(end.answer, "responseCode")].join(" ");
}

function waitsTable({ calls }: History): string {
  const rows = mostFrequent(calls, ({ asked }) => typeOf(asked)).map(([transType, all]) => {
    const waits = all.flatMap((call) => waitOf(call) ?? []).toSorted((a, b) => a - b);
    const [median, p99] = [0.5, 0.99].map((share) => waits[Math.floor(waits.length * share)]);
    const times = [median, p99, waits.at(-1)].map((wait) => (wait === undefined ? "" : (wait / 1_000).toFixed(2)));
    return [transType, grouped(all.length), grouped(all.length - waits.length), ...times];
  });
  return table(["Request", "Sent", "Without an answer", "Median s", "99 % within s", "Longest s"], rows, 1);
}

/** Groups by a text, the largest first. */
function mostFrequent<Of>(all: readonly Of[], textOf: (one: Of) => string): [string, Of[]][] {
  return [...Map.groupBy(all, textOf)].toSorted(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1));
}

/** @param left number of columns of text; the others are numbers */
function table(head: readonly string[], rows: readonly (readonly string[])[], left: number): string {
  const rule = head.map((_, index) => (index < left ? "---" : "--:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
