import { refused } from "./client.ts";
import { fromCaller } from "../settings.ts";
import { UsageError } from "../invocation.ts";
import {
  type Call,
  change,
  changed,
  type Command,
  list,
  rowsOf,
  shown,
  type Shown,
  UNCHANGED,
  upTo,
} from "./command.ts";
import { enrolFile } from "./enrol.ts";
import { find, FIND_FILTERS, findPayment, isNumber, paymentMembers } from "./find.ts";
import { confirmed, EXIT, filtersOf } from "./flags.ts";
import type { TerminalAnswer } from "../../http/operator/responses.ts";
import type { Overview } from "../../http/operator/overview/responses.ts";
import type { Figures, Percentiles, StatisticsRow } from "../../http/operator/statistics/responses.ts";
import type { TransactionAnswer, UnresolvedTransaction } from "../../http/operator/transactions/responses.ts";
import { amountsText } from "../../protocol/amounts.ts";
import { codeWithWords } from "../../protocol/response-codes.ts";
import {
  ACCOUNT_FILTERS,
  AUDIT_FILTERS,
  SHOP_FILTERS,
  STATISTICS_FILTERS,
  TERMINAL_FILTERS,
  UNRESOLVED_FILTERS,
} from "../../protocol/operator-filters.ts";
import { TIMES } from "../../protocol/statistics.ts";

export const COMMANDS: Record<string, Command> = {
  overview: {
    usage: "overview",
    does: "what is broken now, how business is, how fast it is; exit status 1 if something is broken",
    run: overview,
  },
  unresolved: {
    usage: "unresolved",
    does: "contrary results, then payments that are 22, oldest first; exit status 1 if there are any",
    filters: UNRESOLVED_FILTERS,
    flags: ["limit"],
    run: unresolved,
  },
  statistics: {
    usage: "statistics [--by WHAT]",
    does: "payments and times by hour, day, account or responseCode",
    filters: STATISTICS_FILTERS,
    flags: ["limit"],
    run: statistics,
  },
  find: {
    usage: "find [TEXT]",
    does: "a payment by number, reference, --amount, --card or --id (a terminal), with --pos also by --code; or terminals, accounts, shops",
    arguments: [0, 1],
    filters: FIND_FILTERS,
    flags: ["limit"],
    run: find,
  },
  resolve: {
    usage: "resolve NUMBER 00|11 REASON",
    does: "resolves an unresolved payment permanently; the cashier sees the reason",
    arguments: [3, 3],
    flags: ["yes"],
    run: resolve,
  },
  close: {
    usage: "close POS NUMBER REASON",
    does: "closes a contrary result, after you have found out what happened",
    arguments: [3, 3],
    flags: ["yes"],
    run: close,
  },
  terminals: {
    usage: "terminals [--offline]",
    does: "terminals, with their shop and since when they are offline",
    filters: TERMINAL_FILTERS,
    flags: ["offline", "connected", "unbound", "limit"],
    run: terminals,
  },
  "terminals unbind": change(
    "terminals unbind ID",
    "ends its binding",
    (id) => `Unbind ${id}? Its account can no longer use it.`,
    { method: "DELETE", path: "/binding" },
  ),
  "terminals new-secret": change(
    "terminals new-secret ID",
    "replaces its secret, and shows the new one once",
    (id) => `Replace the secret of ${id}? It is disconnected until it has the new one.`,
    { method: "POST", path: "/secret" },
  ),
  "terminals retire": change(
    "terminals retire ID",
    "ends its use permanently",
    (id) => `Retire ${id} permanently? Its id is never used again.`,
    { method: "DELETE" },
  ),
  enrol: {
    usage: "enrol --csv FILE --secrets-to FILE",
    does: "enrols the terminals of a CSV file; run it again to continue",
    flags: ["csv", "secrets-to"],
    run: enrol,
  },
  accounts: list("accounts", "accounts", ACCOUNT_FILTERS, (row) => {
    const { posId, name, merchantId, currency, timezone, status } = row;
    return { posId, name, merchantId, currency, timezone, status };
  }),
  "accounts create": {
    usage: "accounts create POS --merchant ID --currency CODE --timezone NAME",
    does: "opens an account, and shows its signing key and password once",
    arguments: [1, 1],
    flags: ["merchant", "currency", "timezone", "name", "region"],
    run: async ({ operator, args: [posId], flags }) => {
      const { merchant: merchantId, currency, timezone, name, region } = flags;
      const account = { posId, merchantId, currency, timezone, name, region };
      return changed(await operator.call("POST", "/accounts", account));
    },
  },
  "accounts suspend": change(
    "accounts suspend POS",
    "stops it: it gets 403",
    (id) => `Suspend ${id}? Its sessions end, and its queued payments are cancelled.`,
    { method: "PATCH", body: () => ({ status: "suspended" }) },
  ),
  "accounts activate": change(
    "accounts activate POS",
    "lets it sell again",
    (id) => `Activate ${id}? It can log in and sell.`,
    { method: "PATCH", body: () => ({ status: "active" }) },
  ),
  "accounts rotate-key": change(
    "accounts rotate-key POS",
    "creates a new signing key, and shows it once",
    (id) => `Create a new signing key for ${id}?`,
    {
      method: "POST",
      path: "/signing-key",
      flags: ["revoke-previous"],
      body: ({ "revoke-previous": revokePrevious }) => ({ revokePrevious }),
    },
  ),
  "accounts password": change(
    "accounts password POS",
    "creates a new password, and shows it once",
    (id) => `Replace the password of ${id}? Its sessions end.`,
    { method: "POST", path: "/password" },
  ),
  "accounts delete": change(
    "accounts delete POS",
    "deletes it permanently",
    (id, { force }) =>
      `Delete ${id} permanently? Its sessions end and its terminals are unbound.` +
      (force === true ? " Its POS will never learn the outcome of payments that are open now." : ""),
    { method: "DELETE", flags: ["force"], query: ({ force }) => (force === true ? "?force=true" : "") },
  ),
  "signed-changes": {
    usage: "signed-changes POS on|off",
    does: "whether this account must sign calls that unbind a terminal or replace its prebind list",
    arguments: [2, 2],
    run: signedChanges,
  },
  shops: list("shops", "shops: names and time zones of merchants", SHOP_FILTERS, (row) => row),
  audit: list("audit", "who changed what, newest first", AUDIT_FILTERS, ({ id: _id, ...row }) => row),
  retell: {
    usage: "retell [ID]",
    does: "writes an account's or terminal's state to the lists again; without ID, everybody's",
    arguments: [0, 1],
    run: retell,
  },
};

async function terminals(call: Call): Promise<Shown> {
  const { unbound, status, offline, connected } = call.flags;
  if (offline === true && connected === true) throw new UsageError("Use either --offline or --connected.");
  const more = {
    bound: unbound === true ? "false" : undefined,
    // A retired terminal never connects again.
    status: status ?? (offline === true || unbound === true ? "enrolled" : undefined),
    connected: offline === true ? "false" : connected === true ? "true" : undefined,
  };
  return shown(call, await rowsOf<TerminalAnswer>(call, "/terminals", TERMINAL_FILTERS, more), terminalRow);
}

interface Line {
  what: string;
  value: string | number;
  since: string | null;
}

async function overview({ operator, flags }: Call): Promise<Shown> {
  const found = await operator.get<Overview>("/overview");
  const { matters, countedUntil, lastHour, lastDay, notApproved } = found;
  const rows: Line[] = [
    ...matters.map(({ title, detail, since }) => ({ what: title, value: detail, since })),
    ...Object.entries(found.terminals).map(([what, value]) => ({ what: `terminals ${what}`, value, since: null })),
    { what: "all payments are counted until", value: countedUntil, since: null },
    ...figureRows("last hour", lastHour),
    ...figureRows("last day", lastDay),
    ...notApproved.map(({ responseCode, count }) => {
      return { what: `last day: not approved, ${codeWithWords(responseCode)}`, value: count, since: null };
    }),
  ];
  return { data: flags.json === true ? found : rows, status: matters.length > 0 ? EXIT.nothing : EXIT.done };
}

function figureRows(when: string, { transactions, turnover, approvalRate, ...figures }: Figures): Line[] {
  const rate = approvalRate === null ? "" : `, ${(approvalRate * 100).toFixed(1)} % approved`;
  const payments = `${transactions["00"]} of ${transactions["00"] + transactions["11"]}${rate}`;
  return [
    { what: `${when}: payments`, value: payments, since: null },
    ...turnover.map(({ currency, transAmt }) => {
      return { what: `${when}: turnover`, value: `${transAmt} ${currency}`, since: null };
    }),
    ...TIMES.flatMap((name) => {
      const times = figures[name];
      return times === null ? [] : [{ what: `${when}: ${name}`, value: percentilesOf(times), since: null }];
    }),
  ];
}

function percentilesOf({ p50, p95, p99 }: Percentiles): string {
  return `p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`;
}

async function statistics(call: Call): Promise<Shown> {
  const rows = await rowsOf<StatisticsRow>(call, "/statistics", STATISTICS_FILTERS);
  return shown(call, rows, statisticsLine, EXIT.nothing);
}

function statisticsLine(row: StatisticsRow): object {
  const { timezone, transactions, turnover, approvalRate, countedUntil } = row;
  const times = TIMES.map((name) => [`${name} p50/p95/p99`, row[name]] as const);
  return {
    of: row.hour ?? row.day ?? row.posId ?? codeWithWords(row.responseCode ?? ""),
    timezone,
    approved: transactions["00"],
    notApproved: transactions["11"],
    rate: approvalRate === null ? null : `${(approvalRate * 100).toFixed(1)} %`,
    turnover: amountsText(turnover),
    countedUntil,
    ...Object.fromEntries(times.map(([name, time]) => [name, time && `${time.p50}/${time.p95}/${time.p99}`])),
  };
}

async function resolve({ operator, args, flags }: Call): Promise<Shown> {
  const [given, statusCode = "", reason = ""] = args;
  const number = numberOf(given);
  if (statusCode !== "00" && statusCode !== "11") {
    throw new UsageError("Resolve it as 00 (money moved) or 11 (no money moved, and none will).");
  }
  const payment = await findPayment(operator, number);
  if (payment === null) return { data: [], status: EXIT.nothing };
  const { terminalId, transaction } = payment;
  const { posId, transType, transAmt, currency, state } = transaction;
  const what = `${transType} of ${transAmt} ${currency} by ${posId} on ${terminalId} (${state})`;
  if (!(await confirmed(`Resolve ${what} permanently as ${statusCode}?`, flags.yes === true))) {
    return UNCHANGED;
  }
  const path = `/terminals/${encodeURIComponent(terminalId)}/transactions/${number}/resolve`;
  const answer = await operator.call("POST", path, { statusCode, reason });
  if (answer.status === 202) return { data: answer.body["message"], status: EXIT.nothing };
  if (answer.status !== 200) throw refused(answer);
  const resolved = answer.body as TransactionAnswer;
  return { data: flags.json === true ? resolved : paymentMembers(resolved), status: EXIT.done };
}

async function unresolved(call: Call): Promise<Shown> {
  const filters = filtersOf(UNRESOLVED_FILTERS, call.flags);
  const kinds = ["true", "false"].map((contrary) => ({ ...filters, contrary }));
  const rows = await upTo<UnresolvedTransaction>(call, "/unresolved", ...kinds);
  return { ...shown(call, rows, unresolvedRow), status: rows.length === 0 ? EXIT.done : EXIT.nothing };
}

function unresolvedRow({ contrary, ...row }: UnresolvedTransaction) {
  const { requestId, posId, terminalId, shopName, referenceId, transType, responseCode, transAmt, currency } = row;
  const { receivedAt, timezone } = row;
  const said = contrary === null ? null : `${contrary.reported.statusCode}, not ${contrary.statusCode}`;
  const where = { requestId, posId, terminalId, shop: shopName, referenceId };
  return { contrary: said, ...where, transType, responseCode, transAmt, currency, receivedAt, timezone };
}

async function close({ operator, args: [posId = "", given, reason = ""], flags }: Call): Promise<Shown> {
  const number = numberOf(given);
  if (!(await confirmed(`Close the contrary result of ${number} by ${posId}?`, flags.yes === true))) return UNCHANGED;
  const path = `/accounts/${encodeURIComponent(posId)}/transactions/${number}/close`;
  return changed(await operator.call("POST", path, { reason }));
}

async function signedChanges({ operator, args: [posId = "", wanted] }: Call): Promise<Shown> {
  if (wanted !== "on" && wanted !== "off") throw new UsageError("Say on or off.");
  const path = `/accounts/${encodeURIComponent(posId)}`;
  return changed(await operator.call("PATCH", path, { signedChanges: wanted === "on" }));
}

async function retell({ operator, args: [id] }: Call): Promise<Shown> {
  return changed(await operator.call("POST", "/retell", id === undefined ? {} : { id }));
}

async function enrol({ operator, flags }: Call): Promise<Shown> {
  const { csv, "secrets-to": secretsTo } = flags;
  if (csv === undefined || secretsTo === undefined) {
    throw new UsageError("Name both files: --csv with the terminals, --secrets-to for their secrets.");
  }
  const enrolled = await enrolFile(operator, fromCaller(csv), fromCaller(secretsTo), {
    progress: showProgress,
    warn: (message) => console.error(message),
  });
  const isDone = enrolled.every(({ outcome }) => outcome.startsWith("enrolled"));
  return { data: enrolled, status: isDone ? EXIT.done : EXIT.nothing };
}

function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all}${done === all ? "\n" : ""}`);
}

function numberOf(text = ""): string {
  if (!isNumber(text)) throw new UsageError("The payment's number has ten digits.");
  return text;
}

function terminalRow({ terminalId, name, shopName, posId, status, connected, ...row }: TerminalAnswer) {
  const { offlineSince, lastHeartbeat } = row;
  return { terminalId, name, shop: shopName, posId, status, connected, offlineSince, lastHeartbeat };
}
