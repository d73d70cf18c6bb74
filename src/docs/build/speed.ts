import measured from "../speed.json" with { type: "json" };
import { grouped } from "./figures.ts";
import { markdownTable } from "./markdown.ts";
import {
  judge,
  QUIET_PERCENT,
  type AccountFigures,
  type ColdFigures,
  type DistanceFigures,
  type LoadFigures,
  type LoginFigures,
  type Measured,
  type PacedFigures,
  type SpeedFigures,
  type Spread,
} from "./speed-figures.ts";

const figures: SpeedFigures = measured;

/** The text for `speed NAME`. Throws for an unknown name. */
export function speedInsert(name: string): string {
  const insert = INSERTS[name];
  if (insert === undefined) throw new Error(`The page about speed has no ${name}.`);
  return insert();
}

const INSERTS: Record<string, () => string> = {
  run: measuredWhere,
  "goals table": goalsTable,
  "load table": () => tableOf(figures.load, loadTable),
  "ratios table": () => tableOf(figures.load, ratiosTable),
  "cold table": () => tableOf(figures.cold, coldTable),
  "distance table": () => tableOf(figures.distance, distanceTable),
  "logins table": () => tableOf(figures.logins, loginsTable),
  "account table": () => tableOf(figures.account, accountTable),
};

function tableOf<Figures>(part: Measured<Figures> | undefined, table: (measured: Figures) => string): string {
  return part === undefined ? "Not measured yet.\n" : table(part.figures);
}

function measuredWhere(): string {
  const parts: Measured<unknown>[] = Object.values(figures);
  if (parts.length === 0) return "Nothing is measured yet.";
  const days = [...new Set(parts.map(({ at }) => at.slice(0, 10)))].toSorted();
  const machines = [...new Set(parts.map(({ machine }) => machine))];
  const disk = parts.every(({ onDisk }) => onDisk) ? "on disk" : "partly in memory";
  const others = Math.max(...parts.map(({ othersPercent }) => othersPercent));
  const where = `Measured on ${days.join(" and ")} (${machines.join("; ")}), with databases ${disk}.`;
  if (others <= QUIET_PERCENT) return where;
  return `${where} **Other work took up to ${others} % of the machine: times are too long, and ratios vary more than they should.**`;
}

function goalsTable(): string {
  return markdownTable(
    ["Goal", "Bound", "Measured", "Half of the rounds", "Met"],
    judge(figures).map(({ goal, bound, measured: value, rounds, met }) => [
      goal,
      bound,
      value === null ? "not measured" : value.toFixed(2),
      rounds === null ? "" : between(rounds),
      met === null ? "" : met ? "yes" : "no",
    ]),
  );
}

function loadTable(load: readonly LoadFigures[]): string {
  return markdownTable(
    ["", "Terminals at work", "Transfers/s", "Median", "p95", "p99", "CPU per 1,000"],
    load.flatMap(({ terminals, rows }) =>
      rows.map(({ name, perSecond, p50, p95, p99, cpu }) => [
        name,
        grouped(terminals),
        perSecond.toFixed(0),
        ...[p50, p95, p99].map(milliseconds),
        cpu === null ? "unknown" : `${cpu.toFixed(1)}${UNBROKEN}s`,
      ]),
    ),
  );
}

function ratiosTable(load: readonly LoadFigures[]): string {
  return markdownTable(
    ["Terminals at work", "Throughput ×", "CPU ×", "Median +"],
    load.map(({ terminals, throughput, cpu, addedMedian }) => [
      grouped(terminals),
      spread(throughput),
      spread(cpu),
      `${spread(addedMedian)} ms`,
    ]),
  );
}

function coldTable({ rows }: ColdFigures): string {
  return markdownTable(
    ["", "First sale", "A terminal's connection to a new process", "Start of the process"],
    rows.map(({ name, sale, connection, start }) => [
      name,
      ...[sale, connection, start].map((one) => `${spread(one, 0)} ms`),
    ]),
  );
}

function distanceTable({ till, rows }: DistanceFigures): string {
  return markdownTable(
    ["", "State", "Terminal", "Median", "p99", "At best", "Round trips: till, objects, terminal"],
    rows.map(({ name, state, terminal, p50, p99, least, objectTrips, terminalTrips }) => [
      name,
      state,
      ...[terminal, p50, p99, least].map((time) => `${time.toFixed(0)}${UNBROKEN}ms`),
      [till > 0 ? 1 : 0, objectTrips, terminalTrips].join(", "),
    ]),
  );
}

const KINDS: Record<string, string> = {
  signed: "signed",
  drawn: "password of the gateway's",
  chosen: "chosen password",
};

function loginsTable(kinds: readonly LoginFigures[]): string {
  return markdownTable(
    ["Logins", "Sales without: median, p99", "Sales beside: median, p99", "p99 ×", "Logins: median, p99"],
    kinds.map(({ kind, without, beside, ratios, logins }) => [
      KINDS[kind] ?? kind,
      ...[without, beside].map(({ p50, p99 }) => `${milliseconds(p50)}, ${milliseconds(p99)}`),
      spread(ratios),
      logins.map(({ status, p50, p99 }) => `${milliseconds(p50)}, ${milliseconds(p99)} (${status})`).join("; "),
    ]),
  );
}

function accountTable({ perSecond, terminals, accounts, rows }: AccountFigures): string {
  return markdownTable(
    ["", ...rows.map(({ name }) => name)],
    [
      [
        `${perSecond} sales a second of one account with ${grouped(terminals)} terminals`,
        ...rows.map(({ one }) => paced(one)),
      ],
      [`The same of ${accounts} accounts`, ...rows.map(({ many }) => paced(many))],
      [`CPU per transfer at one account, × at ${accounts}`, ...rows.map(({ cpu }) => spread(cpu))],
    ],
  );
}

function paced({ perSecond, behind, refused, p50, p99 }: PacedFigures): string {
  const kept = `${perSecond.toFixed(0)} answered, ${behind} waiting and ${refused} refused at the end`;
  return `${kept}; median ${milliseconds(p50)}, p99 ${milliseconds(p99)}`;
}

function spread(found: Spread | null, digits = 2): string {
  return found === null ? "unknown" : `${found.median.toFixed(digits)} (${between(found, digits)})`;
}

function between({ lower, upper }: Spread, digits = 2): string {
  return `${lower.toFixed(digits)} to ${upper.toFixed(digits)}`;
}

/** No line ends at this space: cells are narrow. */
const UNBROKEN = "\u00A0";

function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(1) : grouped(Math.round(time))}${UNBROKEN}ms`;
}
