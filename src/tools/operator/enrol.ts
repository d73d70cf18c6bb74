/**
 * Enrols many terminals. Two files record the enrolments that are begun, before each call, and done, after it, so that
 * the same command continues a run that was stopped anywhere: no secret is lost, and no terminal that somebody else has
 * enrolled gets a new one.
 */
import { readFile, rm } from "node:fs/promises";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import type { AccountAnswer } from "../../protocol/schemas/operator.ts";
import { UsageError } from "../../sdk/command-line/invocation.ts";
import { appendPrivate, readPrivate, writePrivate } from "../../sdk/command-line/private-file.ts";
import { CommandError, describe, refusalDetails, type OperatorClient } from "../../sdk/command-line/operator-client.ts";
import {
  parseCsv,
  readTerminals,
  SECRET,
  secretLine,
  SECRETS_HEAD,
  type WantedTerminal,
} from "../../sdk/command-line/csv.ts";

/** Other operators call the gateway too. */
const AT_ONCE = 5;

interface Enrolled {
  terminalId: string;
  /** `taken`: the terminal already existed and was not changed. `refused`: the gateway does not accept the line. */
  outcome: "enrolled" | "enrolled before" | "taken" | "refused";
  detail: string | null;
}

/** @param secretsTo the CSV file for the secrets, which only its owner can read */
export async function enrolFile(operator: OperatorClient, csv: string, secretsTo: string): Promise<Enrolled[]> {
  const wanted = readTerminals(await readFile(csv, "utf8"));
  if (!wanted.ok) throw new UsageError(`${csv}:\n${wanted.error}`);
  const memory = await Memory.open(secretsTo);
  await warnOfUnknownMerchants(operator, wanted.value);
  let count = 0;
  const enrolled = await mapConcurrently(wanted.value, AT_ONCE, async (terminal) => {
    const one = await enrolOne(operator, terminal, memory);
    showProgress(++count, wanted.value.length);
    return one;
  });
  await memory.close();
  return enrolled;
}

/** Throws a CommandError if the run cannot continue. */
async function enrolOne(operator: OperatorClient, terminal: WantedTerminal, memory: Memory): Promise<Enrolled> {
  const { terminalId } = terminal;
  const outcome = (is: Enrolled["outcome"], detail: string | null = null) => ({ terminalId, outcome: is, detail });
  if (memory.done.has(terminalId)) return outcome("enrolled before");
  // If a run was stopped before it had the secret, the same enrolment gets another one.
  const enrolmentId = await memory.begin(terminalId);
  const answer = await operator.call("POST", "/terminals", { ...terminal, enrolmentId });
  if (answer.status === 400) return outcome("refused", refusalDetails(answer.body).trim());
  if (answer.status === 409) return outcome("taken");
  if (answer.status >= 300) throw new CommandError(`${terminalId}: ${describe(answer)}`);
  await memory.noteSecret(terminalId, String(answer.body["secret"]));
  return outcome("enrolled");
}

/**
 * The id of a terminal and of its enrolment. Each line begins with its line feed, because the line before may be cut
 * off.
 */
const BEGUN = /^(\S+) ([0-9a-f-]{36})$/;

/** Survives a run that is stopped. Each note is durable when its promise resolves. */
class Memory {
  /** The terminals whose secrets a run has. */
  readonly done: ReadonlySet<string>;
  readonly #begun: Map<string | undefined, string | undefined>;
  readonly #secretsPath: string;

  private constructor(secretsPath: string, done: Set<string>, begun: Map<string | undefined, string | undefined>) {
    this.#secretsPath = secretsPath;
    this.done = done;
    this.#begun = begun;
  }

  static async open(secretsPath: string): Promise<Memory> {
    const done = await openSecrets(secretsPath);
    const lines = ((await readPrivate(`${secretsPath}.begun`)) ?? "").split("\n").map((line) => BEGUN.exec(line));
    return new Memory(secretsPath, done, new Map(lines.map((line) => [line?.[1], line?.[2]])));
  }

  /** Returns the id that an earlier run began the enrolment with, or a new one. */
  async begin(terminalId: string): Promise<string> {
    const known = this.#begun.get(terminalId);
    if (known !== undefined) return known;
    const enrolmentId = crypto.randomUUID();
    await appendPrivate(`${this.#secretsPath}.begun`, `\n${terminalId} ${enrolmentId}`);
    return enrolmentId;
  }

  noteSecret(terminalId: string, secret: string): Promise<void> {
    return appendPrivate(this.#secretsPath, secretLine(terminalId, secret));
  }

  close(): Promise<void> {
    return rm(`${this.#secretsPath}.begun`, { force: true });
  }
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

/** Nobody can bind the terminals of a merchant that no account has. */
async function warnOfUnknownMerchants(operator: OperatorClient, wanted: readonly WantedTerminal[]): Promise<void> {
  const merchants = [...new Set(wanted.flatMap(({ merchantId }) => merchantId ?? []))];
  await mapConcurrently(merchants, AT_ONCE, async (merchantId) => {
    const accounts = await operator.rows<AccountAnswer>("/accounts", { merchantId }, MOST_DELETED);
    if (accounts.some(({ status }) => status !== "deleted")) return;
    console.error(`No account has the merchant ${merchantId}. Its terminals cannot be bound until one does.`);
  });
}

function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all}${done === all ? "\n" : ""}`);
}
