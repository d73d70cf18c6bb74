import measured from "../speed.json" with { type: "json" };
import { grouped } from "./figures.ts";
import { markdownTable } from "./markdown.ts";
import { LOGINS, QUIET_PERCENT, type Measured, type SpeedFigures } from "./speed-figures.ts";

const figures: SpeedFigures = measured;

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
};

function measuredWhere(): string {
  const parts: Measured<unknown>[] = Object.values(figures);
  if (parts.length === 0) return "Nothing is measured yet.";
  const days = [...new Set(parts.map(({ at }) => at.slice(0, 10)))].toSorted();
  const cores = [...new Set(parts.map(({ machine }) => /\d+ cores/u.exec(machine)?.[0] ?? machine))];
  const disk = parts.every(({ onDisk }) => onDisk) ? "on disk" : "partly in memory";
  const others = Math.max(...parts.map(({ othersPercent }) => othersPercent));
  const where = `Measured on ${days.join(" and ")} on ${cores.join(" or ")}, with databases ${disk}.`;
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
  const rows = [...loadRows(), ...accountRows(), ...loginRows(), ...coldRows(), ...distanceRows()];
  return markdownTable(
    ["Situation", "Sales a second", "Median", "p99", "CPU of a sale", "Baseline: median, p99"],
    rows,
  );
}

function loadRows(): Cells[] {
  return (figures.load?.figures ?? []).map(({ terminals, rows }) =>
    cells(`${grouped(terminals)} ${terminals === 1 ? "terminal sells" : "terminals sell"} without a pause`, rows),
  );
}

function accountRows(): Cells[] {
  if (figures.account === undefined) return [];
  const { perSecond, terminals, rows } = figures.account.figures;
  const situation = `${perSecond} a second of one account with ${grouped(terminals)} terminals`;
  const ofOne = rows.map(({ one }) => one);
  return [cells(situation, ofOne)];
}

function loginRows(): Cells[] {
  return (figures.logins?.figures ?? []).map(({ kind, atOnce, beside }) =>
    cells(`Next to ${atOnce} ${LOGINS[kind] ?? kind} at once`, [beside]),
  );
}

function coldRows(): Cells[] {
  const rows = figures.cold?.figures.rows ?? [];
  const [gateway, baseline] = rows.map(({ sale }) => milliseconds(sale.median));
  return gateway === undefined ? [] : [["First sale of a new process", "", gateway, "", "", baseline ?? ""]];
}

/** Each state, at the nearest terminal that was measured. */
function distanceRows(): Cells[] {
  const rows = figures.distance?.figures.rows ?? [];
  const terminal = Math.min(...rows.map((row) => row.terminal));
  const near = Map.groupBy(
    rows.filter((row) => row.terminal === terminal),
    ({ state }) => state,
  );
  return [...near].map(([state, own]) => cells(`At a distance, ${state}`, own));
}

/** The distances of `distanceRows`. */
function distances(): string {
  if (figures.distance === undefined) return "Distances are not measured yet.";
  const { till, object, rows } = figures.distance.figures;
  return `${till} ms to the till, ${object} ms to each object, ${Math.min(...rows.map((row) => row.terminal))} ms to the terminal`;
}

/** No line ends at this space: cells are narrow. */
const UNBROKEN = "\u00A0";

function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(1) : grouped(Math.round(time))}${UNBROKEN}ms`;
}
