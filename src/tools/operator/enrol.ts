/**
 * Enrols many terminals. Two files record the enrolments that are begun, before each call, and done, after it, so that
 * the same command continues a run that was stopped anywhere: no secret or activation code is lost, and no terminal that
 * somebody else has enrolled gets a new one.
 */
import { readFile, rm } from "node:fs/promises";
import { mapConcurrently } from "../../protocol/map-concurrently.ts";
import type { AccountAnswer } from "../../protocol/schemas/operator.ts";
import { UsageError } from "../../sdk/command-line/invocation.ts";
import { appendPrivate, readPrivate, writePrivate } from "../../sdk/command-line/private-file.ts";
import {
  CommandError,
  describe,
  refusalDetails,
  refusalError,
  type OperatorClient,
  type OperatorRow,
} from "../../sdk/command-line/operator-client.ts";
import { parseCsv, readTerminals, SECRET, SECRETS_HEAD, type WantedTerminal } from "../../sdk/command-line/csv.ts";

/** Other operators call the gateway too. */
const AT_ONCE = 5;

interface Enrolled {
  terminalId: string;
  /** `taken`: the terminal already existed and was not changed. `refused`: the gateway does not accept the line. */
  outcome: "enrolled" | "enrolled before" | "taken" | "refused";
  detail: string | null;
}

/** What each terminal gets, and how the file for it looks. */
export interface Provision {
  /** The CSV file, which only its owner can read. */
  path: string;
  head: string;
  /** Of a line's second cell. A line that is cut off does not match. */
  complete: RegExp;
  /** The cells after the terminal's id. */
  cells: (operator: OperatorClient, terminalId: string, enrolled: OperatorRow) => Promise<string[]>;
}

const secretCells: Provision["cells"] = async (_operator, _terminalId, { secret }) => [String(secret)];

export function provideSecrets(path: string): Provision {
  return { path, head: SECRETS_HEAD, complete: SECRET, cells: secretCells };
}

/** The secret that the enrolment shows is forgotten: using the code replaces it. */
export function provideCodes(path: string, validHours?: number): Provision {
  const cells: Provision["cells"] = async (operator, terminalId) => {
    const code = await operator.call("POST", `/terminals/${terminalId}/activation-code`, { validHours });
    if (code.status >= 300) throw refusalError(code);
    return [String(code.body["activationCode"]), String(code.body["expiresAt"])];
  };
  return { path, head: "terminalId,activationCode,expiresAt\n", complete: /^[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}$/, cells };
}

export async function enrolFile(operator: OperatorClient, csv: string, provision: Provision): Promise<Enrolled[]> {
  const wanted = readTerminals(await readFile(csv, "utf8"));
  if (!wanted.ok) throw new UsageError(`${csv}:\n${wanted.error}`);
  const memory = await Memory.open(provision);
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
  await memory.note(terminalId, await memory.provision.cells(operator, terminalId, answer.body));
  return outcome("enrolled");
}

/**
 * The id of a terminal and of its enrolment. Each line begins with its line feed, because the line before may be cut
 * off.
 */
const BEGUN = /^(\S+) ([0-9a-f-]{36})$/;

/** Survives a run that is stopped. Each note is durable when its promise resolves. */
class Memory {
  readonly provision: Provision;
  /** The terminals that have got theirs. */
  readonly done: ReadonlySet<string>;
  readonly #begun: Map<string | undefined, string | undefined>;

  private constructor(provision: Provision, done: Set<string>, begun: Map<string | undefined, string | undefined>) {
    this.provision = provision;
    this.done = done;
    this.#begun = begun;
  }

  static async open(provision: Provision): Promise<Memory> {
    const done = await openFile(provision);
    const lines = ((await readPrivate(`${provision.path}.begun`)) ?? "").split("\n").map((line) => BEGUN.exec(line));
    return new Memory(provision, done, new Map(lines.map((line) => [line?.[1], line?.[2]])));
  }

  /** Returns the id that an earlier run began the enrolment with, or a new one. */
  async begin(terminalId: string): Promise<string> {
    const known = this.#begun.get(terminalId);
    if (known !== undefined) return known;
    const enrolmentId = crypto.randomUUID();
    await appendPrivate(`${this.provision.path}.begun`, `\n${terminalId} ${enrolmentId}`);
    return enrolmentId;
  }

  note(terminalId: string, cells: string[]): Promise<void> {
    return appendPrivate(this.provision.path, lineOf([terminalId, ...cells]));
  }

  close(): Promise<void> {
    return rm(`${this.provision.path}.begun`, { force: true });
  }
}

/** Creates or reads the file. Resolves to the terminals that are in it. */
async function openFile({ path, head, complete }: Provision): Promise<Set<string>> {
  const before = await readPrivate(path);
  if (before !== null && !before.startsWith(head)) {
    throw new UsageError(`${path} is a file of something else: its first line is not ${head.trim()}. Name a new one.`);
  }
  // The last line is incomplete if the run stopped during the write.
  const lines = parseCsv((before ?? "").slice(head.length));
  const columns = parseCsv(head)[0]?.length;
  const rows = lines.filter((cells) => cells.length === columns && complete.test(cells[1] ?? ""));
  await writePrivate(path, head + rows.map(lineOf).join(""));
  return new Set(rows.map(([terminalId = ""]) => terminalId));
}

/** No id, secret, code or time has a character that CSV must quote. */
function lineOf(cells: string[]): string {
  return `${cells.join(",")}\n`;
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
