import { rename } from "node:fs/promises";
import { CommandError, describe, type OperatorClient } from "../operator-client.ts";
import { SECRET, SECRETS_HEAD } from "../csv.ts";
import { readPrivate, writePrivate } from "../private-file.ts";
import { fromCaller } from "../settings.ts";
import { UsageError } from "../invocation.ts";
import type { ActivatedTerminal } from "../../../protocol/accounts.ts";
import type { SessionProblem, SessionResult } from "../../client/terminal.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface SecretSources {
  given: Map<string, string>;
  /** Null without an operator token. */
  operator: OperatorClient | null;
  newSecret: boolean;
  /** Called once at most: a code works once. */
  activate: (() => Promise<SessionResult<ActivatedTerminal>>) | null;
}

/**
 * A file has one secret for a single terminal, or lines `ID,SECRET` as an enrolment writes them, even with a space.
 * Throws UsageError for a line that is neither, and for a terminal without a secret.
 */
export async function readSecrets(path: string, terminalIds: string[]): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const file = await readPrivate(fromCaller(path));
  if (file === null) throw new UsageError(`File not found: ${path}.`);
  for (const [index, line] of file.split("\n").entries()) {
    const text = line.trim();
    if (text === "" || text === SECRETS_HEAD.trim()) continue;
    const [first = "", second, ...more] = text.split(/\s*,\s*|\s+/);
    const [id, secret] = second === undefined && terminalIds.length === 1 ? [terminalIds[0], first] : [first, second];
    if (id === undefined || secret === undefined || more.length > 0 || !SECRET.test(secret)) {
      const forms = terminalIds.length === 1 ? "ID,SECRET or a secret alone" : "ID,SECRET";
      throw new UsageError(`${path}: line ${index + 1} must be ${forms}; a secret has 43 letters, digits, - or _.`);
    }
    secrets.set(id, secret);
  }
  const missing = terminalIds.filter((id) => !secrets.has(id));
  if (missing.length > 0) throw new UsageError(`${path} has no secret of ${missing.join(", ")}.`);
  return secrets;
}

export async function obtainSecret(terminalId: string, files: TerminalFiles, sources: SecretSources): Promise<string> {
  const { given, operator, newSecret, activate } = sources;
  if (activate !== null) {
    const activated = await activate();
    if (!activated.ok) {
      // The same command again: its code was used, and the secret is kept.
      const kept = await readPrivate(files.secret);
      if (kept !== null && activated.error.kind === "login-refused") return kept;
      throw new CommandError(`Could not activate ${terminalId}: ${problemText(activated.error)}`);
    }
    if (activated.value.terminalId !== terminalId) {
      throw new CommandError(
        `The code was for ${activated.value.terminalId}, whose secret is lost: create another code.`,
      );
    }
    await writePrivate(files.secret, activated.value.secret);
    return activated.value.secret;
  }
  const handedIn = given.get(terminalId);
  if (handedIn !== undefined) return handedIn;
  const kept = newSecret ? null : await readPrivate(files.secret);
  // A new gateway database does not know the terminals of the old one.
  if (kept !== null && (operator === null || (await isKnown(terminalId, operator)))) return kept;
  if (operator === null) {
    const ways = "TERMINAL_SECRET, --secret-file, or OPERATOR_TOKEN to enrol it";
    throw new UsageError(`${terminalId} has no secret. Set ${ways}.`);
  }
  const secret = await enrol(terminalId, files, operator, newSecret);
  await writePrivate(files.secret, secret);
  return secret;
}

function problemText(problem: SessionProblem): string {
  return "message" in problem ? problem.message : `Try again in ${problem.retryAfterSeconds} seconds.`;
}

async function isKnown(terminalId: string, operator: OperatorClient): Promise<boolean> {
  try {
    return (await operator.call("GET", `/terminals/${terminalId}`)).status !== 404;
  } catch (error) {
    // The gateway is down: the terminal waits for it.
    if (error instanceof CommandError) return true;
    throw error;
  }
}

async function enrol(
  terminalId: string,
  files: TerminalFiles,
  operator: OperatorClient,
  newSecret: boolean,
): Promise<string> {
  const made = await operator.call("POST", "/terminals", { terminalId, isVT: 1, name: "Simulated terminal" });
  if (made.status === 201) {
    await putAside(files);
    return String(made.body["secret"]);
  }
  if (made.status !== 409) throw new CommandError(`Could not enrol ${terminalId}: ${describe(made)}`);
  if (newSecret) return operator.must("POST", `/terminals/${terminalId}/secret`, {}, "secret");
  throw new UsageError(`${terminalId} is already enrolled with another secret. Use --new-secret to replace it.`);
}

interface TerminalFiles {
  memory: string;
  ledger: string;
  secret: string;
  lock: string;
}

export function nameFiles(folder: string, terminalId: string): TerminalFiles {
  const path = (ending: string): string => join(folder, `${terminalId}.${ending}`);
  return { memory: path("memory.json"), ledger: path("ledger.jsonl"), secret: path("secret"), lock: path("lock") };
}

/**
 * Moves memory and ledger away: the terminal was enrolled in another database, and its old memory would refuse the new
 * request numbers as too low.
 */
export async function putAside({ memory, ledger }: TerminalFiles): Promise<void> {
  for (const path of [memory, ledger]) {
    if (existsSync(path)) await rename(path, `${path}.${Date.now()}.old`);
  }
}
