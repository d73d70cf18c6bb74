/**
 * Enrols many terminals. What was begun and what is done are in two files, each written before and after its call: stopped
 * anywhere, the same command goes on, no secret is lost, and no terminal of somebody else gets a new one.
 */
import { appendFile, readFile, rm } from "node:fs/promises";
import { DemoError, describe } from "../../development/operator.ts";
import type { Operator } from "../../development/operator.ts";
import { inParallel } from "../../parallel.ts";
import { readIfThere, writePrivate } from "../private-file.ts";
import { UsageError } from "../settings.ts";
import { parseCsv, readTerminals } from "./csv.ts";
import type { WantedTerminal } from "./csv.ts";
import { detailsOf, oneOf } from "./lists.ts";

/** Enrolments at the same time: other operators call the gateway, too. */
const AT_ONCE = 5;

const HEAD = "terminalId,secret\n";
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Somebody else has enrolled it after it was begun. */
const takenLine = (terminalId: string): string => `${terminalId} taken`;

export interface Enrolled {
  terminalId: string;
  /** `taken`: there is such a terminal already, and it was left alone. `refused`: the gateway does not take the line. */
  outcome: "enrolled" | "enrolled before" | "taken" | "refused";
  detail: string | null;
}

/** @param secretsTo the CSV file that gets the secrets; its owner alone can read it */
export async function enrolAll(
  operator: Operator,
  csv: string,
  secretsTo: string,
  progress: (done: number, all: number) => void,
): Promise<Enrolled[]> {
  const wanted = readTerminals(await readFile(csv, "utf8"));
  if (!wanted.ok) throw new UsageError(`${csv}: ${wanted.error}`);
  const begunPath = `${secretsTo}.begun`;
  const done = await openSecrets(secretsTo);
  const begun = new Set((await readIfThere(begunPath))?.split("\n"));
  let count = 0;
  const enrolled = await inParallel(wanted.value, AT_ONCE, async (terminal): Promise<Enrolled> => {
    const { terminalId } = terminal;
    const outcome = done.has(terminalId)
      ? ({ terminalId, outcome: "enrolled before", detail: null } as const)
      : await enrolOne(operator, terminal, { secretsTo, begunPath, begun });
    progress(++count, wanted.value.length);
    return outcome;
  });
  await rm(begunPath, { force: true });
  return enrolled;
}

/** Makes the file of secrets, or reads it: the terminals whose secrets it has. */
async function openSecrets(path: string): Promise<Set<string>> {
  const before = await readIfThere(path);
  if (before !== null && !before.startsWith(HEAD)) {
    throw new UsageError(`${path} is no file of terminals' secrets. Name a new one.`);
  }
  // A line that was being written when the run was stopped is not complete.
  const rows = parseCsv((before ?? "").slice(HEAD.length)).filter(([, secret = ""]) => SECRET.test(secret));
  await writePrivate(path, HEAD + rows.map((cells) => `${cells.join(",")}\n`).join(""));
  return new Set(rows.map(([terminalId = ""]) => terminalId));
}

interface Files {
  secretsTo: string;
  begunPath: string;
  begun: Set<string>;
}

async function enrolOne(
  operator: Operator,
  terminal: WantedTerminal,
  { secretsTo, begunPath, begun }: Files,
): Promise<Enrolled> {
  const { terminalId } = terminal;
  const path = `/terminals/${encodeURIComponent(terminalId)}`;
  const known = await oneOf(operator, path);
  if (known !== null && (!begun.has(terminalId) || begun.has(takenLine(terminalId)))) {
    return { terminalId, outcome: "taken", detail: known["status"] === "retired" ? "It is retired." : null };
  }
  if (known === null) await appendFile(begunPath, `${terminalId}\n`, { mode: 0o600 });
  // Begun by a run that was stopped before it had the secret: nobody has that one.
  const answer = await (known === null
    ? operator.call("POST", "/terminals", terminal)
    : operator.call("POST", `${path}/secret`));
  if (answer.status === 400) return { terminalId, outcome: "refused", detail: detailsOf(answer.body).trim() };
  if (answer.status === 409) {
    await appendFile(begunPath, `${takenLine(terminalId)}\n`);
    return { terminalId, outcome: "taken", detail: null };
  }
  if (answer.status >= 300) throw new DemoError(`${terminalId}: ${describe(answer)}`);
  await appendFile(secretsTo, `${terminalId},${String(answer.body["secret"])}\n`);
  return { terminalId, outcome: "enrolled", detail: null };
}
