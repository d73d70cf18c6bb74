/** What the bench has measured (`npm run bench --save`), for the page about speed. */
import figures from "../speed.json" with { type: "json" };
import { grouped, markdownTable } from "./figures.ts";

/** With more other work than this, measured times are too long. */
export const QUIET_PERCENT = 10;

/** The kind of answer that is an approval. */
export const APPROVED = "00";

/** What the p99 of an account's sales may be, in milliseconds. */
export const PROMPT = 250;

/** At this rate, all sales are approved, and promptly. */
export function isCarried({ p99, answers }: { p99: number; answers: readonly { kind: string }[] }): boolean {
  return p99 <= PROMPT && answers.every(({ kind }) => kind === APPROVED);
}

/** How the tills log in, by kind. */
export const LOGINS: Record<string, string> = {
  signed: "signed logins",
  drawn: "logins with the gateway's passwords",
  chosen: "logins with chosen passwords",
};

/** The text for `speed NAME`. Throws for an unknown name. */
export function speedInsert(name: string): string {
  const insert = INSERTS[name];
  if (insert === undefined) throw new Error(`The page about speed has no ${name}.`);
  return insert();
}

const INSERTS: Record<string, () => string> = {
  run: measuredWhere,
  "answers table": answersTable,
  distances,
  account: accountLimit,
  "account table": accountTable,
};

function measuredWhere(): string {
  const days = Map.groupBy(Object.entries(figures), ([, { at }]) => at.slice(0, 10));
  const parts = Object.values(figures);
  const dated = [...days].map(([day, own]) => `${own.map(([name]) => `\`--${name}\``).join(", ")} on ${day}`);
  const cores = [...new Set(parts.map(({ machine }) => /\d+ cores/u.exec(machine)?.[0] ?? machine))];
  const disk = parts.every(({ onDisk }) => onDisk) ? "on disk" : "partly in memory";
  const others = Math.max(...parts.map(({ othersPercent }) => othersPercent));
  const where =
    `Measured on ${cores.join(" or ")}, with databases ${disk}: ${dated.join("; ")}. The machine's speed changes by the day: ` +
    "compare a row with its own baseline.";
  if (others <= QUIET_PERCENT) return where;
  return `${where} **Other work took up to ${others} % of the machine: times are too long.**`;
}

type Cells = [situation: string, perSecond: string, median: string, p99: string, cpu: string, baseline: string];

interface Row {
  perSecond?: number;
  p50: number;
  p99: number;
  /** Seconds per 1,000 sales, so milliseconds for one. */
  cpu?: number | null;
}

/** @param rows the gateway's and the baseline's */
function cells(situation: string, [gateway, baseline]: Row[]): Cells {
  if (gateway === undefined) throw new Error(`speed.json has no row of the gateway: ${situation}.`);
  const { perSecond, p50, p99, cpu = null } = gateway;
  return [
    situation,
    perSecond?.toFixed(0) ?? "",
    milliseconds(p50),
    milliseconds(p99),
    cpu === null ? "" : milliseconds(cpu),
    baseline === undefined ? "" : `${milliseconds(baseline.p50)}, ${milliseconds(baseline.p99)}`,
  ];
}

function answersTable(): string {
  const { load, logins, cold } = figures;
  const [first = "", baseline = ""] = cold.figures.rows.map(({ sale }) => milliseconds(sale.median));
  const rows: Cells[] = [
    ...load.figures.map(({ terminals, rows: measured }) =>
      cells(`${grouped(terminals)} ${terminals === 1 ? "terminal sells" : "terminals sell"} without a pause`, measured),
    ),
    ...logins.figures.map(({ kind, atOnce, beside }) =>
      cells(`Next to ${atOnce} ${LOGINS[kind] ?? kind} at once`, [beside]),
    ),
    ["First sale of a new process", "", first, "", "", baseline],
    ...distanceRows(),
  ];
  return markdownTable(
    ["Situation", "Sales a second", "Median", "p99", "CPU of a sale", "Baseline: median, p99"],
    rows,
  );
}

/** Of the terminals that were measured, in milliseconds to and fro. */
function nearest(): number {
  return Math.min(...figures.distance.figures.rows.map(({ terminal }) => terminal));
}

/** Each state, at the nearest terminal. */
function distanceRows(): Cells[] {
  const near = figures.distance.figures.rows.filter(({ terminal }) => terminal === nearest());
  return [...Map.groupBy(near, ({ state }) => state)].map(([state, own]) => cells(`At a distance, ${state}`, own));
}

/** The distances of `distanceRows`. */
function distances(): string {
  const { till, object } = figures.distance.figures;
  return `${till} ms to the till, ${object} ms to each object, ${nearest()} ms to the terminal`;
}

/** What the account carries, and the most that it approves. */
function accountLimit(): string {
  const { terminals, rates } = figures.account.figures;
  const carried = Math.max(0, ...rates.filter(isCarried).map(({ perSecond }) => perSecond));
  const most = Math.max(...rates.map(({ approved }) => approved));
  return `${carried} a second with a p99 of at most ${PROMPT} ms, and ${most.toFixed(0)} with a longer one, at ${grouped(terminals)} terminals`;
}

function accountTable(): string {
  return markdownTable(
    ["Sent a second", "Approved a second", "Median", "p99", "Gateway's thread", "Tills and terminals", "Other answers"],
    figures.account.figures.rates.map(({ perSecond, approved, p50, p99, thread, loadCpu, answers }) => [
      String(perSecond),
      approved.toFixed(0),
      milliseconds(p50),
      milliseconds(p99),
      percent(thread),
      percent(loadCpu),
      answers
        .filter(({ kind }) => kind !== APPROVED)
        .map(({ kind, count }) => `${grouped(count)} × ${kind}`)
        .join(", "),
    ]),
  );
}

function percent(share: number): string {
  return `${Math.round(100 * share)}${UNBROKEN}%`;
}

/** No line ends at this space: cells are narrow. */
const UNBROKEN = "\u00A0";

function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(1) : grouped(Math.round(time))}${UNBROKEN}ms`;
}
