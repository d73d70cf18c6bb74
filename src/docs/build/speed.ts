/** The tables of the page about speed that `npm run bench` measured, from `speed.json`. */
import measured from "../speed.json" with { type: "json" };
import { grouped } from "./figures.ts";
import { markdownTable } from "./markdown.ts";
import {
  judge,
  QUIET_PERCENT,
  type AccountFigures,
  type ColdFigures,
  type DistanceFigures,
  type FleetFigures,
  type FollowingFigures,
  type JournalFigures,
  type LoadFigures,
  type LoginFigures,
  type Measured,
  type MemoryFigures,
  type PacedFigures,
  type SpeedFigures,
  type Spread,
} from "./speed-figures.ts";

const figures: SpeedFigures = measured;

/** What stands for `speed NAME`. Throws for a name that there is not. */
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
  "following table": () => tableOf(figures.following, followingTable),
  "fleet table": () => tableOf(figures.fleet, fleetTable),
  "account table": () => tableOf(figures.account, accountTable),
  "journal table": () => tableOf(figures.journal, journalTable),
  "memory table": () => tableOf(figures.memory, memoryTable),
};

function tableOf<Figures>(part: Measured<Figures> | undefined, table: (measured: Figures) => string): string {
  return part === undefined ? "Not measured yet.\n" : table(part.figures);
}

/** When and where, in sentences; of each part, if not all were measured at the same place. */
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
    ["Gateway next to", "Terminals at work", "Throughput ×", "CPU ×", "Median +"],
    load.flatMap(({ terminals, ratios }) =>
      ratios.map(({ to, throughput, cpu, addedMedian }) => [
        to,
        grouped(terminals),
        spread(throughput),
        spread(cpu),
        `${spread(addedMedian)} ms`,
      ]),
    ),
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

/** How the tills of each kind say who they are. */
const KINDS: Record<string, string> = {
  signed: "signed",
  drawn: "password of the gateway's",
  chosen: "chosen password",
  forged: "forged signatures, 40 a second",
  "forged-terminal": "forged logins of the terminal, 20 a second",
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

function followingTable(following: readonly FollowingFigures[]): string {
  return markdownTable(
    ["Terminals at work", "Each account has", "Median +", "CPU per 1,000 +"],
    following.flatMap(({ terminals, rows }) =>
      rows.map(({ what, addedMedian, addedCpu }) => [
        grouped(terminals),
        what === "reader" ? "a reader that waits" : "a webhook",
        `${spread(addedMedian)} ms`,
        addedCpu === null ? "unknown" : `${spread(addedCpu)} s`,
      ]),
    ),
  );
}

function memoryTable({ rows }: MemoryFigures): string {
  return markdownTable(
    ["", "A connected terminal, asleep", "An account in memory", "An account that was evicted"],
    rows.map(({ name, terminal, awakeAccount, evictedAccount }) => [
      name,
      ...[terminal, awakeAccount, evictedAccount].map(kilobytes),
    ]),
  );
}

function fleetTable({ few, many, waiting, customer, rows }: FleetFigures): string {
  const terminals = grouped(many);
  return markdownTable(
    ["", ...rows.map(({ name }) => name)],
    [
      [`CPU per transfer with ${terminals} connected terminals, × with ${few}`, ...rows.map(({ cpu }) => spread(cpu))],
      [`Objects that a minute of heartbeats of ${terminals} terminals wakes`, ...rows.map(({ awake }) => count(awake))],
      ["Files that it writes", ...rows.map(({ written }) => count(written))],
      [
        `Objects in memory while ${waiting} customers take ${customer / 1_000} seconds`,
        ...rows.map(({ awakeWaiting }) => count(awakeWaiting)),
      ],
      [`A sale at a sleeping terminal, ${few} at once`, ...rows.map(({ asleep }) => milliseconds(asleep))],
    ],
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

function journalTable({ journalRows, cpu }: JournalFigures): string {
  return markdownTable(
    ["", "gateway"],
    [[`CPU per transfer with ${grouped(journalRows)} rows in the journal, × with few`, spread(cpu)]],
  );
}

function paced({ perSecond, behind, refused, p50, p99, recordedAfter }: PacedFigures): string {
  const kept = `${perSecond.toFixed(0)} answered, ${behind} waiting and ${refused} refused at the end`;
  const recorded = recordedAfter === null ? "not all recorded" : `all recorded after ${milliseconds(recordedAfter)}`;
  return `${kept}; median ${milliseconds(p50)}, p99 ${milliseconds(p99)}; ${recorded}`;
}

function spread(found: Spread | null, digits = 2): string {
  return found === null ? "unknown" : `${found.median.toFixed(digits)} (${between(found, digits)})`;
}

function between({ lower, upper }: Spread, digits = 2): string {
  return `${lower.toFixed(digits)} to ${upper.toFixed(digits)}`;
}

/** A space at which no line ends: cells are narrow. */
const UNBROKEN = "\u00A0";

function milliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(1) : grouped(Math.round(time))}${UNBROKEN}ms`;
}

function kilobytes(bytes: number | null): string {
  if (bytes === null) return "unknown";
  return bytes < 0 ? "nothing measurable" : `${Math.round(bytes / 1_000)} kB`;
}

function count(found: number | null): string {
  return found === null ? "unknown" : grouped(found);
}
