import type { Command } from "commander";
import { text } from "node:stream/consumers";
import { ACTIVATION_CODE_HOURS_AT_MOST } from "../../protocol/limits.ts";
import type { TerminalAnswer } from "../../protocol/schemas/operator.ts";
import type { TransactionAnswer, PendingTransaction } from "../../protocol/schemas/operator-transactions.ts";
import {
  ACCOUNT_FILTERS,
  AUDIT_FILTERS,
  type Filters,
  TERMINAL_FILTERS,
  PENDING_FILTERS,
} from "../../protocol/operator-filters.ts";
import { amountsText, decimal, hundredths } from "../../protocol/amounts.ts";
import { paint } from "../../sdk/command-line/table.ts";
import { commandLine, UsageError } from "../../sdk/command-line/invocation.ts";
import { addingTo, newProgram, option, parseWholeNumber, withGateway } from "../../sdk/command-line/program.ts";
import { fromCaller } from "../../sdk/command-line/settings.ts";
import {
  type OperatorAnswer,
  type OperatorQuery,
  refusalError,
  type OperatorRow,
} from "../../sdk/command-line/operator-client.ts";
import { enrolFile, provideCodes, provideSecrets } from "./enrol.ts";
import { runFind, FIND_FILTERS, findPayment, isNumber, paymentMembers, reportRows, takeRows } from "./find.ts";
import {
  type OperatorCall,
  OPERATOR_EXIT,
  filterOptions,
  readFilters,
  isConfirmed,
  LIMIT,
  type PerformOperator,
  type RunOperator,
  type OperatorReport,
  YES,
} from "./options.ts";

/** The operator in the shell. `perform` gets the command that was given. */
export function operatorProgram(perform: PerformOperator): Command {
  const program = withGateway(
    newProgram(commandLine("operator"), "The operator's work from a shell, a script or a runbook.", {
      examples: [
        ["terminals --offline --since 30m", "which terminals are away"],
        ["find R-42", "a payment by the POS's reference"],
        ['resolve 1000000007 11 "No such payment."', "ends a pending payment"],
        ["get /overview", "what is broken now"],
        ["post /terminals/T-0001/secret", "any other call: a new secret"],
      ],
      statuses: {
        0: "done",
        1: "nothing found, something pending, or not everything done",
        3: "the call failed",
        5: "wrong usage",
      },
      more:
        "From the environment or the file of --env: OPERATOR_TOKEN. Without it, the token in .dev.vars for a gateway on this " +
        "machine. Every call is in the documentation.",
    }),
  ).option("--json", "prints one line of JSON");
  const add = addingTo(program, perform);
  program.commandsGroup("Payments:");
  add("find [TEXT]", "finds payments by number, reference or the options; or terminals, accounts and shops", runFind, [
    ...filterOptions(FIND_FILTERS),
    LIMIT,
  ]);
  add("pending", "lists conflicting results, then pending payments, oldest first", pending, [
    ...filterOptions(PENDING_FILTERS),
    LIMIT,
  ]);
  add(
    "resolve <NUMBER> <00|11> <REASON>",
    "resolves a pending payment permanently; the cashier sees the reason",
    resolve,
    [YES],
  );

  program.commandsGroup("Terminals and accounts:");
  add("terminals", "lists terminals, with their shop and since when they are offline", terminals, [
    ...filterOptions(TERMINAL_FILTERS),
    option("--unbound", "only terminals that are bound to no account"),
    option("--offline", "only terminals that are not connected"),
    option("--connected", "only connected terminals").conflicts("offline"),
    LIMIT,
  ]);
  add("enrol", "enrols the terminals of a CSV file; run it again to continue", enrol, [
    option("--csv <FILE>", "the terminals; its first line names the columns").makeOptionMandatory(),
    option("--secrets-to <FILE>", "the file for their secrets, which only you can read"),
    option("--codes-to <FILE>", "the file for activation codes in place of secrets").conflicts("secretsTo"),
    option("--code-hours <NUMBER>", "how long the codes are valid", parseWholeNumber(1, ACTIVATION_CODE_HOURS_AT_MOST)),
  ]);
  addAccounts(program.command("accounts").description("lists and changes accounts").helpCommand(false), perform);

  program.commandsGroup("Service:");
  add(
    "audit",
    "lists who changed what, newest first",
    list("/audit", AUDIT_FILTERS, ({ id: _id, ...row }) => row),
    [...filterOptions(AUDIT_FILTERS), LIMIT],
  );
  const resync = "writes state to D1 again after a restore of D1: of one account or terminal, or without ID of all";
  add("resync [ID|status|stop]", resync, async (call, what) => {
    if (what === "status") return changed(await call.operator.call("GET", "/resync"));
    if (what === "stop") return changed(await call.operator.call("DELETE", "/resync"));
    return changed(await call.operator.call("POST", "/resync", what === undefined ? {} : { id: what }));
  });

  program.commandsGroup("Every other call of the API:");
  add("get <PATH>", "sends GET for a PATH below /operator", send("GET"));
  for (const method of ["post", "put", "patch", "delete"]) {
    const does = `sends ${method.toUpperCase()} for a PATH, with JSON; - reads the JSON from standard input`;
    add(`${method} <PATH> [BODY]`, does, send(method.toUpperCase()), method === "delete" ? [YES] : []);
  }
  return program;
}

function addAccounts(accounts: Command, perform: PerformOperator): void {
  const add = addingTo(accounts, perform);
  add("list", "lists accounts", list("/accounts", ACCOUNT_FILTERS, accountRow), [
    ...filterOptions(ACCOUNT_FILTERS),
    LIMIT,
  ]);
  add("create <POS>", "creates an account, and shows its signing key and password once", createAccount, [
    option("--merchant <ID>", "the account's merchant"),
    option("--currency <CODE>", "the currency of all its payments, such as MYR"),
    option("--timezone <NAME>", "its time zone, such as Asia/Kuala_Lumpur"),
    option("--name <TEXT>", "a name for people"),
    option("--region <NAME>", "where its data is stored; by default near its time zone"),
  ]);
  add(
    "suspend <POS>",
    "suspends an account: its calls get a 403",
    changing("Its sessions end, and its queued payments are cancelled.", () => ["PATCH", "", { status: "suspended" }]),
    [YES],
  );
  add(
    "activate <POS>",
    "activates a suspended account",
    changing("It can log in and sell.", () => ["PATCH", "", { status: "active" }]),
    [YES],
  );
  add(
    "rotate-key <POS>",
    "creates a new signing key for an account, and shows it once",
    changing("The old key works for a while, or with --revoke-previous ends immediately.", ({ revokePrevious }) => {
      return ["POST", "/signing-key", { revokePrevious }];
    }),
    [option("--revoke-previous", "ends the previous keys immediately"), YES],
  );
  add(
    "delete <POS>",
    "deletes an account permanently",
    changing(
      "Its sessions end and its terminals are unbound. With --force, its POS never learns the outcome of pending payments.",
      ({ force }) => ["DELETE", force === true ? "?force=true" : ""],
    ),
    [option("--force", "even if payments are pending"), YES],
  );
}

function accountRow({ posId, name, merchantId, currency, timezone, status }: OperatorRow) {
  return { posId, name, merchantId, currency, timezone, status };
}

async function createAccount({ operator, flags }: OperatorCall, posId?: string): Promise<OperatorReport> {
  const { merchant: merchantId, currency, timezone, name, region } = flags;
  return changed(await operator.call("POST", "/accounts", { posId, merchantId, currency, timezone, name, region }));
}

/**
 * Asks, and changes an account.
 *
 * @param make the call: its method, what follows the account's path, and its body
 */
function changing(
  consequence: string,
  make: (flags: OperatorCall["flags"]) => [method: string, path: string, body?: object],
): RunOperator {
  return async ({ operator, flags }, posId = "") => {
    if (!(await isConfirmed(`Change ${posId}? ${consequence}`, flags))) return UNCHANGED;
    const [method, path, body] = make(flags);
    return changed(await operator.call(method, `/accounts/${encodeURIComponent(posId)}${path}`, body));
  };
}

const UNCHANGED: OperatorReport = { data: "Nothing was changed.", status: OPERATOR_EXIT.nothing };

/** Nothing if what the command changes does not exist. */
function changed(answer: OperatorAnswer): OperatorReport {
  if (answer.status === 404) return { data: [], status: OPERATOR_EXIT.nothing };
  if (answer.status >= 300) throw refusalError(answer);
  return { data: answer.body, status: OPERATOR_EXIT.done };
}

/** @param rowOf what fits on a line */
function list(
  path: string,
  filters: Filters,
  rowOf: (row: OperatorRow) => object,
  more: OperatorQuery = {},
): RunOperator {
  return async (call) =>
    reportRows(call, await takeRows(call, path, { ...readFilters(filters, call.flags), ...more }), rowOf);
}

async function terminals(call: OperatorCall): Promise<OperatorReport> {
  const { unbound, status, offline, connected } = call.flags;
  const more = {
    bound: unbound === true ? "false" : undefined,
    // A retired terminal never connects again.
    status: typeof status === "string" ? status : offline === true || unbound === true ? "enrolled" : undefined,
    connected: offline === true ? "false" : connected === true ? "true" : undefined,
  };
  return list("/terminals", TERMINAL_FILTERS, (row) => terminalRow(row as unknown as TerminalAnswer), more)(call);
}

function terminalRow({ terminalId, name, shopName, posId, status, connected, ...row }: TerminalAnswer) {
  const { offlineSince, lastHeartbeat, softwareVersion } = row;
  const presence = { connected, offlineSince, lastHeartbeat };
  return { terminalId, name, shop: shopName, ...presence, posId, softwareVersion, status };
}

async function resolve(
  { operator, flags }: OperatorCall,
  number = "",
  statusCode = "",
  reason = "",
): Promise<OperatorReport> {
  if (!isNumber(number)) throw new UsageError("The payment's number has ten digits.");
  if (statusCode !== "00" && statusCode !== "11") {
    throw new UsageError("Resolve it as 00 (money moved) or 11 (no money moved, and none will).");
  }
  const payment = await findPayment(operator, number);
  if (payment === null) return { data: [], status: OPERATOR_EXIT.nothing };
  const { terminalId, transaction } = payment;
  const { posId, transType, transAmt, currency, state } = transaction;
  const what = `${transType} of ${transAmt} ${currency} by ${posId} on ${terminalId} (${state})`;
  if (!(await isConfirmed(`Resolve ${what} permanently as ${statusCode}?`, flags))) return UNCHANGED;
  const path = `/terminals/${encodeURIComponent(terminalId)}/transactions/${number}/resolve`;
  const answer = await operator.call("POST", path, { statusCode, reason });
  if (answer.status === 202) return { data: answer.body["message"], status: OPERATOR_EXIT.nothing };
  if (answer.status !== 200) throw refusalError(answer);
  const resolved = answer.body as TransactionAnswer;
  return { data: flags.json === true ? resolved : paymentMembers(resolved), status: OPERATOR_EXIT.done };
}

async function pending(call: OperatorCall): Promise<OperatorReport> {
  const filters = readFilters(PENDING_FILTERS, call.flags);
  const kinds = ["true", "false"].map((conflict) => ({ ...filters, conflict }));
  const rows = await takeRows<PendingTransaction>(call, "/pending", ...kinds);
  return {
    ...reportRows(call, rows, pendingRow),
    title: rows.length === 0 ? "Every outcome is known." : pendingTitle(rows),
    status: rows.length === 0 ? OPERATOR_EXIT.done : OPERATOR_EXIT.nothing,
  };
}

/** `4 payments are open, MYR 87.61 at risk` */
function pendingTitle(rows: readonly PendingTransaction[]): string {
  const sums = new Map<string, number>();
  for (const { currency, transAmt, cashAmt } of rows) {
    const amount = (hundredths(transAmt) ?? 0) + (hundredths(cashAmt) ?? 0);
    sums.set(currency, (sums.get(currency) ?? 0) + amount);
  }
  const amounts = [...sums].map(([currency, sum]) => ({ currency, transAmt: decimal(sum) }));
  const count = rows.length === 1 ? "1 payment is" : `${rows.length} payments are`;
  return paint.yellow(`${count} open, ${amountsText(amounts)} at risk. Resolve one: resolve NUMBER 00|11 "reason"`);
}

function pendingRow({ conflict, ...row }: PendingTransaction) {
  const { requestId, posId, terminalId, shopName, referenceId, transType, responseCode, transAmt, currency } = row;
  const { receivedAt, timezone } = row;
  const reportedInstead = conflict === null ? null : `${conflict.reported.statusCode}, not ${conflict.statusCode}`;
  const what = { receivedAt, transAmt, currency, shop: shopName, terminalId, responseCode, conflict: reportedInstead };
  return { requestId, ...what, transType, referenceId, posId, timezone };
}

interface EnrolFlags {
  csv: string;
  secretsTo?: string;
  codesTo?: string;
  codeHours?: number;
}

async function enrol({ operator, flags }: OperatorCall): Promise<OperatorReport> {
  const { csv, secretsTo, codesTo, codeHours } = flags as OperatorCall["flags"] & EnrolFlags;
  const file = codesTo ?? secretsTo;
  if (file === undefined) throw new UsageError("Name a file with --codes-to or --secrets-to.");
  const path = fromCaller(file);
  const provision = codesTo === undefined ? provideSecrets(path) : provideCodes(path, codeHours);
  const enrolled = await enrolFile(operator, fromCaller(csv), provision);
  const isDone = enrolled.every(({ outcome }) => outcome.startsWith("enrolled"));
  return { data: enrolled, status: isDone ? OPERATOR_EXIT.done : OPERATOR_EXIT.nothing };
}

function send(method: string): RunOperator {
  return async ({ operator, flags }, path = "", given) => {
    const sent = given === undefined ? undefined : bodyIn(given === "-" ? await text(process.stdin) : given);
    if (given !== "-" && sent !== undefined && "password" in sent) {
      throw new UsageError("A command line is no place for a password. Pass the body on standard input, with -.");
    }
    if (method === "DELETE" && !(await isConfirmed(`${method} ${path}?`, flags))) return UNCHANGED;
    const answer = await operator.call(method, path.startsWith("/") ? path : `/${path}`, sent);
    if (answer.status >= 300) throw refusalError(answer);
    return { data: answer.body["data"] ?? answer.body, status: OPERATOR_EXIT.done };
  };
}

/** Throws UsageError. */
function bodyIn(json: string): object {
  try {
    const body: unknown = JSON.parse(json);
    if (typeof body === "object" && body !== null) return body;
  } catch {
    // The error below is for both.
  }
  throw new UsageError('The body must be a JSON object, such as {"isVT":1}.');
}
