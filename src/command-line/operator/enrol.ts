/**
 * Enrols many terminals. Two files record the enrolments that are begun, before each call, and done, after it, so that
 * the same command continues a run that stopped anywhere.
 */
import { readFile, rm } from "node:fs/promises";
import { CommandError, describe, detailsOf, type Operator } from "./client.ts";
import { parseCsv, readTerminals, SECRET, secretLine, SECRETS_HEAD } from "../../enrolment/csv.ts";
import { enrolAll, merchantsWithout } from "../../enrolment/enrol.ts";
import type { Enrol, Enrolled, EnrolmentMemory } from "../../enrolment/enrol.ts";
import type { AccountAnswer } from "../../http/operator/responses.ts";
import { appendPrivate, readPrivate, writePrivate } from "../private-file.ts";
import { UsageError } from "../invocation.ts";

/**
 * The id of a terminal and of its enrolment. Each line begins with its line feed, because the line before may be cut
 * off.
 */
const BEGUN = /^(\S+) ([0-9a-f-]{36})$/;

export interface Shell {
  progress: (done: number, all: number) => void;
  warn: (message: string) => void;
}

/** @param secretsTo the CSV file for the secrets, which only its owner can read */
export async function enrolFile(
  operator: Operator,
  csv: string,
  secretsTo: string,
  { progress, warn }: Shell,
): Promise<Enrolled[]> {
  const wanted = readTerminals(await readFile(csv, "utf8"));
  if (!wanted.ok) throw new UsageError(`${csv}:\n${wanted.error}`);
  const begunPath = `${secretsTo}.begun`;
  const memory = await openMemory(secretsTo, begunPath);
  const unknown = await merchantsWithout(wanted.value, (merchantId) => hasAccount(operator, merchantId));
  for (const merchantId of unknown) {
    warn(`No account has the merchant ${merchantId}. Its terminals cannot be bound until one does.`);
  }
  let count = 0;
  const enrolled = await enrolAll(wanted.value, enrolWith(operator), memory, () =>
    progress(++count, wanted.value.length),
  );
  await rm(begunPath, { force: true });
  return enrolled;
}

async function openMemory(secretsTo: string, begunPath: string): Promise<EnrolmentMemory> {
  const done = await openSecrets(secretsTo);
  const lines = ((await readPrivate(begunPath)) ?? "").split("\n").map((line) => BEGUN.exec(line));
  const begun = new Map(lines.map((line) => [line?.[1], line?.[2]]));
  return {
    isDone: (terminalId) => done.has(terminalId),
    begin: async (terminalId) => {
      const known = begun.get(terminalId);
      if (known !== undefined) return known;
      const enrolmentId = crypto.randomUUID();
      await appendPrivate(begunPath, `\n${terminalId} ${enrolmentId}`);
      return enrolmentId;
    },
    noteSecret: (terminalId, secret) => appendPrivate(secretsTo, secretLine(terminalId, secret)),
  };
}

/** Creates or reads the file of secrets. Resolves to the terminals whose secrets are in it. */
async function openSecrets(path: string): Promise<Set<string>> {
  const before = await readPrivate(path);
  if (before !== null && !before.startsWith(SECRETS_HEAD)) {
    throw new UsageError(`${path} is not a file of terminals' secrets. Name a new one.`);
  }
  // The last line is incomplete if the run stopped during the write.
  const rows = parseCsv((before ?? "").slice(SECRETS_HEAD.length)).filter(([, secret = ""]) => SECRET.test(secret));
  await writePrivate(path, SECRETS_HEAD + rows.map(([id = "", secret = ""]) => secretLine(id, secret)).join(""));
  return new Set(rows.map(([terminalId = ""]) => terminalId));
}

/** Accounts of a merchant to look through: deleted accounts stay listed. */
const MOST_DELETED = 1_000;

async function hasAccount(operator: Operator, merchantId: string): Promise<boolean> {
  const accounts = await operator.rows<AccountAnswer>("/accounts", { merchantId }, MOST_DELETED);
  return accounts.some(({ status }) => status !== "deleted");
}

function enrolWith(operator: Operator): Enrol {
  return async (terminal) => {
    const answer = await operator.call("POST", "/terminals", terminal);
    if (answer.status === 400) return { kind: "refused", problem: detailsOf(answer.body).trim() };
    if (answer.status === 409) return { kind: "taken" };
    if (answer.status >= 300) throw new CommandError(`${terminal.terminalId}: ${describe(answer)}`);
    return { kind: "enrolled", secret: String(answer.body["secret"]) };
  };
}
