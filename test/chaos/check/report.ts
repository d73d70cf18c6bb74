/** A verdict as Markdown: what was done, what was checked and how often, what was not, and every violation. */
import type { Fault, OperatorAction } from "../journal.ts";
import { type CheckResult, type PromiseId, PROMISES, type Violation } from "./check.ts";
import type { Figures } from "./figures.ts";
import type { Verdict } from "./judge.ts";
import type { Line } from "./lines.ts";

/** More of one check are counted, not shown. */
const SHOWN_VIOLATIONS = 20;

const FAULTS: Readonly<Record<Fault, string>> = {
  kill: "The gateway is killed (`SIGKILL`) and started again",
  restart: "The gateway is ended (`SIGTERM`) and started again",
  stop: "The gateway is stopped (`SIGSTOP`) and continued",
  cut: "Connections are cut",
  delay: "Bytes are delayed",
  duplicate: "Requests arrive twice",
  drop: "Bytes are swallowed",
  power: "Terminals lose power",
  memory: "Terminals lose their memory",
  clock: "Clocks of tills or terminals are wrong",
  disk: "A disk takes no writes",
  database: "D1 is not available",
  receiver: "Webhook receivers fail",
};

const ACTIONS: Readonly<Record<OperatorAction, string>> = {
  suspend: "suspend an account",
  resume: "activate it again",
  rotate: "rotate a signing key",
  password: "change a password",
  rebind: "bind a terminal to another account",
  zone: "move an account to another time zone",
  resolve: "complete a transaction",
  delete: "delete an account",
  "master-keys": "rotate the master keys",
};

/** Markdown with headings of the third level and below, for a page or a file of its own. */
export function report(verdict: Verdict, about: About): string {
  return `${[
    summary(verdict, about),
    "## What was done",
    workload(verdict.figures),
    faultsTable(verdict.figures),
    operatorText(verdict.figures),
    "## What was checked",
    "Every sentence is held against the run's journal each time that the run gives a chance to. **not checked** means that it gave none.",
    checksTable(verdict.checks),
    "## What was not checked",
    notChecked(verdict),
    "## Violations",
    violations(verdict.checks),
    "## Answers and waits",
    answersTable(verdict.figures),
    waitsTable(verdict.figures),
  ].join("\n\n")}\n`;
}

function summary(
  { outcome, isComplete, unchecked, checks, figures }: Verdict,
  { versions, command, date }: About,
): string {
  const made = checks.reduce((sum, one) => sum + one.made, 0);
  const found = checks.reduce((sum, one) => sum + one.violations.length, 0);
  const sentence = {
    held: `**All promises held**: ${grouped(made)} checks, no violation.`,
    violated: `**${plural(found, "violation")}** in ${grouped(made)} checks.`,
    "not checked":
      `No violation in ${grouped(made)} checks, but ` +
      (isComplete
        ? `the run gave no chance to check ${unchecked.length} of ${checks.length} sentences.`
        : "the run did not reach its end: this says little."),
  }[outcome];
  const of = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const seed = figures.seed === null ? [] : [`seed ${figures.seed}`];
  const facts = [...(date === undefined ? [] : [date]), ...seed, `${duration(figures.seconds)} in all`, ...of].join(
    ", ",
  );
  return `${sentence}\n\n${facts}.${command === undefined ? "" : `\n\n\`\`\`bash\n${command}\n\`\`\``}`;
}

function workload(figures: Figures): string {
  const { accounts, terminals, references, requests, terminal, events, deliveries } = figures;
  return (
    `${plural(accounts, "account")} with ${plural(terminals, "terminal")} sent ${plural(requests, "request")} about ` +
    `${plural(references, "transaction")}. Terminals got ${grouped(terminal.received)}, started ${grouped(terminal.started)}, ` +
    `and ended ${grouped(terminal.approved)} with money moved and ${grouped(terminal.notApproved)} without; the gateway ` +
    `acknowledged ${plural(terminal.acknowledged, "result")}. The feeds have ${plural(events, "event")}; receivers got ` +
    `${plural(deliveries.made, "delivery", "deliveries")} and took ${grouped(deliveries.taken)}.`
  );
}

function faultsTable({ faults, omitted }: Figures): string {
  const rows = faults.map(({ fault, times, seconds }) => [FAULTS[fault], grouped(times), grouped(seconds)]);
  const left = omitted.map(({ fault, why }) => `- Left out of “${FAULTS[fault]}”: ${why}`);
  const active = rows.length === 0 ? "No faults were caused." : table(["Fault", "Times", "Seconds in all"], rows, 1);
  return [active, ...(left.length === 0 ? [] : [left.join("\n")])].join("\n\n");
}

function operatorText({ operator, decisions, terminal }: Figures): string {
  const done = operator.map(
    ({ action, times, done: ok }) =>
      `${ACTIONS[action as OperatorAction]} (${grouped(ok)} of ${grouped(times)} succeeded)`,
  );
  const actions = done.length === 0 ? "No operator acted." : `An operator tried to ${done.join(", ")}.`;
  return (
    `${actions} Terminals lost their memory ${plural(terminal.forgot, "time")}; an operator decided ` +
    `${plural(decisions.taken, "transaction")}, and ${grouped(decisions.unknown)} more whose answer was lost.`
  );
}

function checksTable(checks: readonly CheckResult[]): string {
  const ids = Object.keys(PROMISES) as PromiseId[];
  const rows = ids.flatMap((id) =>
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
  const found = checks.filter((one) => one.violations.length > 0);
  if (found.length === 0) return "None.";
  return found
    .map(({ promise, says, violations: all }) => {
      const more = all.length - SHOWN_VIOLATIONS;
      const shown = all.slice(0, SHOWN_VIOLATIONS).map(violationText).join("\n\n");
      return `### ${promise}: ${says}\n\n${shown}${more > 0 ? `\n\nAnd ${grouped(more)} more.` : ""}`;
    })
    .join("\n\n");
}

function violationText({ says, lines }: Violation): string {
  return `${says}\n\n\`\`\`json\n${lines.map(entryText).join("\n")}\n\`\`\``;
}

/** The longest text of an entry: a read of a feed has a hundred events. */
const ENTRY_LENGTH = 1_200;

function entryText(line: Line): string {
  const text = JSON.stringify(line);
  return text.length <= ENTRY_LENGTH ? text : `${text.slice(0, ENTRY_LENGTH)}…`;
}

/** Rarer answers are counted together. */
const SHOWN_ANSWERS = 16;

function answersTable({ answers, requests }: Figures): string {
  const others = answers.slice(SHOWN_ANSWERS);
  const rest = others.reduce((sum, { times }) => sum + times, 0);
  const shown = [
    ...answers.slice(0, SHOWN_ANSWERS),
    ...(rest === 0 ? [] : [{ answer: `${others.length} others`, times: rest }]),
  ];
  const most = Math.max(1, ...shown.map(({ times }) => times));
  const rows = shown.map(({ answer, times }) => [
    answer,
    grouped(times),
    `${((times / Math.max(1, requests)) * 100).toFixed(1)} %`,
    "█".repeat(Math.round((times / most) * 20)),
  ]);
  return table(["Answer", "Times", "Share", ""], rows, 1);
}

function waitsTable({ waits }: Figures): string {
  const rows = waits.map(({ transType, calls, unanswered, median, p99, longest }) => [
    transType,
    grouped(calls),
    grouped(unanswered),
    ...[median, p99, longest].map(secondsText),
  ]);
  return table(["Request", "Sent", "Without an answer", "Median s", "99 % within s", "Longest s"], rows, 1);
}

function secondsText(milliseconds: number | null): string {
  return milliseconds === null ? "" : (milliseconds / 1000).toFixed(2);
}

/** @param left number of columns of text; the others are numbers */
function table(head: readonly string[], rows: readonly (readonly string[])[], left: number): string {
  const rule = head.map((_, index) => (index < left ? "---" : "--:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

export interface About {
  /** Versions, by name: the gateway's commit, Node, workerd. */
  versions: Readonly<Record<string, string>>;
  /** The command of the run. */
  command?: string;
  /** When it ended, `YYYY-MM-DD`. */
  date?: string;
}

/** Reads it from a report, so that a journal can be judged again by a newer checker. */
export function aboutOf(text: string): About {
  const date = /^(\d{4}-\d\d-\d\d), /mu.exec(text)?.[1];
  const command = /```bash\n(.*)\n```/u.exec(text)?.[1];
  const versions = (/ in all, (.*)\.$/mu.exec(text)?.[1] ?? "").split(", ").flatMap((one) => {
    const [name, version] = one.split(" ");
    return name && version ? [[name, version] as const] : [];
  });
  return {
    versions: Object.fromEntries(versions),
    ...(command === undefined ? {} : { command }),
    ...(date === undefined ? {} : { date }),
  };
}
