/** Ten faults, each of which breaks a promise: a run that does not report one of them looks away. */
import type { PromiseId } from "../check/check.ts";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { copySource, replaceIn } from "../../support/source-copy.ts";
import { ROOT } from "../gateway/gateway.ts";

interface InsertedFault {
  says: string;
  /** The promise that it breaks first. */
  breaks: PromiseId;
  changes: readonly Change[];
}

/** A file below `src`, a text that it has once, and what stands there instead. */
type Change = readonly [file: string, right: string, wrong: string];

export const INSERTED = {
  "charges-otherwise": {
    says: "A terminal gets another amount than its till has sent.",
    breaks: "I1",
    changes: [["terminal/frames.ts", "return { ...terms,", 'return { ...terms, transAmt: "1.00",']],
  },
  "declines-the-lost": {
    says: "A request whose terminal is lost is 11 at its end.",
    breaks: "I2",
    changes: [
      [
        "terminal/lane/deadlines.ts",
        "if (!latest.ended && latest.endsAt <= draft.now) conclude(draft, latest, { ended: true });",
        'if (!latest.ended && latest.endsAt <= draft.now) completeAs(draft, latest, "TERMINAL_OFFLINE");',
      ],
    ],
  },
  "takes-a-second-result": {
    says: "A second result with another status or amount replaces the first.",
    breaks: "I2",
    changes: [
      [
        "terminal/lane/reports.ts",
        'if (transaction.state === "completed") isStored =',
        'if (transaction.state === "completed" && report.statusCode !== transaction.outcome?.statusCode) complete(draft, transaction, report.outcome, "terminal");\n' +
          '  else if (transaction.state === "completed") isStored =',
      ],
      // A row that is completed is in no step's hands any more: it would be inserted a second time, which fails.
      ["terminal/storage/journal.ts", "INSERT INTO transactions", "INSERT OR REPLACE INTO transactions"],
    ],
  },
  "ignores-the-operator": {
    says: "What an operator decides is confirmed and not stored.",
    breaks: "I2",
    changes: [
      [
        "terminal/lane/arrivals.ts",
        'const completed = complete(draft, transaction, { outcome, completedBy: "operator", resolvedBy: operator });',
        'const completed = { ...transaction, outcome, state: "completed" as const };',
      ],
    ],
  },
  "answers-otherwise": {
    says: "The same request gets an answer with other bytes each time.",
    breaks: "I3",
    changes: [
      [
        "terminal/lane/arrivals.ts",
        "outcome: withKnownData(transaction, transaction.outcome ?? unresolvedAnswer(transaction)),",
        "outcome: { ...withKnownData(transaction, transaction.outcome ?? unresolvedAnswer(transaction)), softwareVersion: String(Date.now()) },",
      ],
    ],
  },
  "acknowledges-and-forgets": {
    says: "Of three results, one is acknowledged and not stored.",
    breaks: "I4",
    changes: [
      [
        "terminal/lane/reports.ts",
        "else if (report.contradicts) {",
        "else if (requestId % 3 === 0) isStored = true;\n  else if (report.contradicts) {",
      ],
    ],
  },
  "keeps-no-conflict": {
    says: "A result that contradicts what is completed is acknowledged and not kept.",
    breaks: "I4",
    changes: [
      ["terminal/lane/reports.ts", 'return keep(draft, transaction.requestId, "conflict", kept);', "return true;"],
    ],
  },
  "logs-tokens": {
    says: "The log has the token of each request.",
    breaks: "I6",
    changes: [
      [
        "http/transport.ts",
        'log("info", "request", {',
        'log("info", "request", { authorization: c.req.header("Authorization"),',
      ],
    ],
  },
  "skips-events": {
    says: "Every second transaction is not recorded in the account's feed.",
    breaks: "I7",
    changes: [
      [
        "account/feed.ts",
        'if (completedAt !== null) return "transaction.completed";',
        'if (completedAt !== null) return requestId % 2 === 0 ? null : "transaction.completed";',
      ],
    ],
  },
  "miscounts-the-day": {
    says: "A day is closed with every second outcome that is recorded for it.",
    breaks: "I7",
    changes: [
      [
        "account/fold.ts",
        "for (const { transaction } of completed) count(",
        "for (const { number, transaction } of completed) if (number % 2 === 0) count(",
      ],
    ],
  },
} as const satisfies Record<string, InsertedFault>;

export type FaultName = keyof typeof INSERTED;

export const FAULT_NAMES = Object.keys(INSERTED) as FaultName[];

/**
 * Copies the project, with a fault or as it is, so that nobody changes it during a run. Resolves to the copy's folder. Its gateway
 * serves the site as it is now, and starts without building it.
 */
export async function projectWith(name: FaultName | null, folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, [join(ROOT, "src/development/build.mjs"), "site"], { cwd: ROOT });
  const copy = join(folder, "project");
  await copySource(ROOT, copy, ["dist", "migrations", "package.json", "wrangler.toml"]);
  await replaceIn(join(copy, "wrangler.toml"), /^\[build\]\n(?:.+\n)*/mu, "");
  const changes: readonly Change[] = name === null ? [] : INSERTED[name].changes;
  for (const [file, right, wrong] of changes) await replaceIn(join(copy, "src", file), right, wrong);
  return copy;
}
