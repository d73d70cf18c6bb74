/** The commands of an operator's shell, each a few calls. */
import { DemoError, describe } from "../../development/operator.ts";
import type { Operator } from "../../development/operator.ts";
import { UsageError, fromCaller } from "../settings.ts";
import { enrolFile } from "./enrol.ts";
import { EXIT } from "./exit.ts";
import { FLAGS, instant, limitOf } from "./flags.ts";
import type { Flags } from "./flags.ts";
import { detailsOf, oneOf, rowsOf } from "./lists.ts";
import type { Query, Row } from "./lists.ts";
import { confirmed } from "./question.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";

export { FLAGS };

interface Call {
  operator: Operator;
  args: string[];
  flags: Flags;
}

interface Shown {
  data: unknown;
  /** The exit status. */
  status: number;
}

interface Command {
  usage: string;
  does: string;
  /** How many arguments it takes, at least and at most. */
  arguments: [number, number];
  run: (call: Call) => Promise<Shown>;
}

export const COMMANDS: Record<string, Command> = {
  terminals: {
    usage: "terminals [--offline]",
    does: "terminals, with their shop and since when they are offline",
    arguments: [0, 0],
    run: async (call) => list(call, "/terminals", terminalQuery(call.flags), terminalRow),
  },
  accounts: {
    usage: "accounts",
    does: "accounts",
    arguments: [0, 0],
    run: async (call) => {
      const { pos, name, merchant, status } = call.flags;
      return list(call, "/accounts", { posId: pos, name, merchantId: merchant, status }, accountRow);
    },
  },
  shops: {
    usage: "shops",
    does: "shops: names and time zones of merchants",
    arguments: [0, 0],
    run: async (call) => list(call, "/shops", { merchantId: call.flags.merchant, name: call.flags.name }, (row) => row),
  },
  find: {
    usage: "find TEXT",
    does: "a payment by its number; else terminals, accounts and shops by how id or name begins",
    arguments: [1, 1],
    run: find,
  },
  resolve: {
    usage: "resolve NUMBER 00|11 REASON",
    does: "settles a pending payment permanently; the cashier sees the reason",
    arguments: [3, 3],
    run: resolve,
  },
  enrol: {
    usage: "enrol --csv FILE --secrets-to FILE",
    does: "enrols the terminals of a CSV file; run it again to go on",
    arguments: [0, 0],
    run: enrol,
  },
  audit: {
    usage: "audit",
    does: "who changed what, newest first",
    arguments: [0, 0],
    run: async (call) => {
      const { target, actor, action, since, until } = call.flags;
      const now = Date.now();
      const query = { target, actor, action, from: instant("since", since, now), to: instant("until", until, now) };
      return list(call, "/audit", query, auditRow);
    },
  },
};

async function list({ operator, flags }: Call, path: string, query: Query, rowOf: (row: Row) => Row): Promise<Shown> {
  const rows = await rowsOf(operator, path, query, limitOf(flags.limit));
  // Programs get everything, people what fits on a line.
  return { data: flags.json === true ? rows : rows.map(rowOf), status: EXIT.done };
}

function terminalQuery({ id, name, pos, bound, merchant, status, offline, connected, since }: Flags): Query {
  if (offline === true && connected === true) throw new UsageError("Use either --offline or --connected.");
  return {
    terminalId: id,
    name,
    posId: pos,
    boundTo: bound,
    merchantId: merchant,
    // A retired terminal never connects again.
    status: status ?? (offline === true ? "enrolled" : undefined),
    connected: offline === true ? "false" : connected === true ? "true" : undefined,
    offlineSince: instant("since", since, Date.now()),
  };
}

async function find({ operator, args, flags }: Call): Promise<Shown> {
  const [text = ""] = args;
  const payment = isNumber(text) ? await oneOf(operator, `/transactions?transId=${text}`) : null;
  if (payment !== null) {
    if (flags.json === true) return { data: payment, status: EXIT.done };
    const { terminalId, transaction } = payment as { terminalId: string; transaction: Row };
    return { data: { terminalId, ...paymentMembers(transaction) }, status: EXIT.done };
  }
  const most = limitOf(flags.limit);
  const searches = [
    ["terminal", "/terminals", { terminalId: text }, "terminalId"],
    ["terminal", "/terminals", { name: text }, "terminalId"],
    ["account", "/accounts", { posId: text }, "posId"],
    ["account", "/accounts", { name: text }, "posId"],
    ["shop", "/shops", { merchantId: text }, "merchantId"],
    ["shop", "/shops", { name: text }, "merchantId"],
  ] as const;
  const found = new Map<string, Row>();
  for (const [kind, path, query, id] of searches) {
    for (const row of await rowsOf(operator, path, query, most)) {
      const { name, status = null } = row;
      found.set(`${kind} ${String(row[id])}`, { kind, id: row[id], name, status });
    }
  }
  return { data: [...found.values()], status: found.size > 0 ? EXIT.done : EXIT.nothing };
}

async function resolve({ operator, args, flags }: Call): Promise<Shown> {
  const [number = "", statusCode = "", reason = ""] = args;
  if (!isNumber(number)) throw new UsageError("The payment's number has ten digits.");
  if (statusCode !== "00" && statusCode !== "11") {
    throw new UsageError("Settle it as 00 (money moved) or 11 (no money moved, and none will).");
  }
  const payment = await oneOf(operator, `/transactions?transId=${number}`);
  if (payment === null) return { data: [], status: EXIT.nothing };
  const { terminalId, transaction } = payment as { terminalId: string; transaction: Row };
  const { posId, transType, transAmt, currency, state } = transaction;
  const what = `${String(transType)} of ${String(transAmt)} ${String(currency)} by ${String(posId)} on ${terminalId} (${String(state)})`;
  if (!(await confirmed(`Settle ${what} permanently as ${statusCode}?`, flags.yes === true))) {
    return { data: "Nothing was changed.", status: EXIT.nothing };
  }
  const path = `/terminals/${encodeURIComponent(terminalId)}/transactions/${number}/resolve`;
  const answer = await operator.call("POST", path, { statusCode, reason });
  if (answer.status !== 200) throw new DemoError(`${describe(answer)}${detailsOf(answer.body)}`);
  return { data: flags.json === true ? answer.body : paymentMembers(answer.body), status: EXIT.done };
}

async function enrol({ operator, flags }: Call): Promise<Shown> {
  const { csv, "secrets-to": secretsTo } = flags;
  if (csv === undefined || secretsTo === undefined) {
    throw new UsageError("Name both files: --csv with the terminals, --secrets-to for their secrets.");
  }
  const enrolled = await enrolFile(operator, fromCaller(csv), fromCaller(secretsTo), showProgress);
  const isDone = enrolled.every(({ outcome }) => outcome.startsWith("enrolled"));
  return { data: enrolled, status: isDone ? EXIT.done : EXIT.nothing };
}

function showProgress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all}${done === all ? "\n" : ""}`);
}

function isNumber(text: string): boolean {
  return TRANSACTION_NUMBER.test(text);
}

function terminalRow({ terminalId, name, shopName, posId, status, connected, offlineSince, lastHeartbeat }: Row): Row {
  return { terminalId, name, shop: shopName, posId, status, connected, offlineSince, lastHeartbeat };
}

function accountRow({ posId, name, merchantId, currency, timezone, status }: Row): Row {
  return { posId, name, merchantId, currency, timezone, status };
}

function auditRow({ at, actor, action, target, before, after }: Row): Row {
  return { at, actor, action, target, before, after };
}

function paymentMembers({ outcome, stages: _stages, conflicts, evidence, ...row }: Row): Row {
  const { statusCode, responseCode, responseText } = { ...(outcome as Row | null) };
  const [disputes, reports] = [conflicts as unknown[], evidence as unknown[]];
  return { ...row, statusCode, responseCode, responseText, conflicts: disputes.length, evidence: reports.length };
}
