/** Writes the journal of a run in which the gateway keeps every promise. The checker's tests play it, and break it. */
import type { Entry, Happening, Wire } from "../../chaos/journal.ts";

export const ACCOUNTS = ["POS-1", "POS-2"] as const;
export const TERMINALS = ["T-1", "T-2"] as const;

/** A transaction as a gateway without errors has it. */
export interface Transaction {
  posId: string;
  terminalId: string;
  referenceId: string;
  transType: "sale" | "cashOut" | "void";
  transData: Wire;
  requestId: string;
  /** Hundredths that move if it is approved. */
  amount: number;
  status: "00" | "11" | "22";
  responseCode: string;
  completedBy: "terminal" | "gateway" | "operator" | null;
  state: "sent" | "pending" | "completed";
  voidedBy: Wire | null;
  conflicts: Wire[];
}

export interface Asked {
  posId: string;
  terminalId: string;
  transType: "sale" | "cashOut" | "void";
  referenceId: string;
  transData: Wire;
}

const DAY = "2026-11-22";

export class Story {
  readonly entries: Entry[] = [];
  readonly transactions = new Map<string, Transaction>();
  readonly feeds = new Map<string, Wire[]>();
  #at = 0;
  #call = 0;
  #number = 1_000_000_000;
  #fault = 0;
  /** Numbers that each account's receiver has taken. */
  readonly #taken = new Map<string, number>();
  /** What each call has asked. */
  readonly #asked = new Map<number, Wire>();

  constructor() {
    const versions = { gateway: "2548280", Node: "24.21.0" };
    const about = { date: "2026-11-22", versions, seed: 7, seconds: 60, omitted: [] };
    this.write({ kind: "run.started", ...about, terminals: TERMINALS, accounts: ACCOUNTS });
  }

  /** @param pause milliseconds since the entry before */
  write(happening: Happening, pause = 20): void {
    this.#at += pause;
    this.entries.push({ at: this.#at, ...happening });
  }

  /** Sends a transfer, or with `cancel` a cancel of it. */
  ask(asked: Pick<Asked, "posId" | "terminalId" | "referenceId"> & Wire): number {
    const { posId, terminalId: deviceId, referenceId, ...members } = asked;
    const isCancel = members["transType"] === "cancel";
    const request = { posId, deviceId, referenceId, ...(isCancel ? {} : { merchantId: "M", ...members }) };
    const call = (this.#call += 1);
    this.#asked.set(call, { ...asked, deviceId });
    const path = isCancel ? "/api/transfer/cancel" : "/api/transfer";
    this.write({ kind: "till.asked", call, posId, path, request: { ...request, datetime: `2026112210${call}` } });
    return call;
  }

  refuse(call: number, status: number, code = status * 100): void {
    const answer = { code, error: "refused", message: "No." };
    this.write({ kind: "till.answered", call, status, answer, signed: null });
  }

  loseAnswer(call: number): void {
    this.write({ kind: "till.unanswered", call, why: "socket hang up" });
  }

  answer(call: number, transaction: Transaction): void {
    const asked = String(this.#asked.get(call)?.["transType"]);
    const { transType, referenceId } = transaction;
    const isQuestion = asked === "inquiry" || asked === "getLast";
    const original = isQuestion ? { originalTransType: transType, originalReferenceId: referenceId } : {};
    const told = { transType: asked === "cancel" ? transType : asked, ...outcomeOf(transaction), ...original };
    this.#tell(call, { ...told, signature: `signature of ${call}` });
  }

  /** An answer about a reference that was cancelled before it arrived. */
  answerTombstone(call: number): void {
    const transType = this.#asked.get(call)?.["transType"];
    const outcome = { statusCode: "11", responseCode: "CANCELLED", softwareVersion: "1", terminalSn: "SN" };
    this.#tell(call, { transType, ...outcome });
  }

  #tell(call: number, told: Wire): void {
    const { posId, deviceId, referenceId } = this.#asked.get(call) ?? {};
    const answer = { posId, deviceId, referenceId, ...told, apiVersion: "v1" };
    this.write({ kind: "till.answered", call, status: 200, answer, signed: true });
  }

  /** The gateway writes the row and sends it to the terminal. */
  send(asked: Asked): Transaction {
    const { transData } = asked;
    const target = this.#byNumber(transData["transId"]);
    const hundredths = ["transAmt", "cashAmt"].map((name) => Math.round(Number(transData[name] ?? 0) * 100));
    const transaction: Transaction = {
      ...asked,
      requestId: String((this.#number += 1)),
      amount: target === undefined ? hundredths.reduce((sum, one) => sum + one, 0) : -target.amount,
      status: "22",
      responseCode: "IN_PROGRESS",
      completedBy: null,
      state: "sent",
      voidedBy: null,
      conflicts: [],
    };
    this.transactions.set(`${asked.posId}/${asked.referenceId}`, transaction);
    this.terminal("terminal.received", transaction);
    return transaction;
  }

  terminal(
    kind: Exclude<
      Extract<Happening, { requestId: string; terminalId: string }>["kind"],
      "terminal.ended" | "terminal.contradicted" | "terminal.contradiction-acknowledged"
    >,
    transaction: Transaction,
    statusCode?: string,
  ): void {
    this.write({ kind, ...namesOf(transaction), ...(statusCode === undefined ? {} : { statusCode }) });
  }

  end(transaction: Transaction, statusCode: "00" | "11"): void {
    const moved = statusCode === "00" ? transaction.amount : 0;
    this.write({ kind: "terminal.ended", ...namesOf(transaction), statusCode, moved });
  }

  /** The terminal's result arrives: the gateway completes, records and acknowledges. */
  report(transaction: Transaction, status: "00" | "11" | "22"): void {
    this.terminal("terminal.reported", transaction, status);
    if (transaction.state === "completed") {
      if (transaction.status !== status) transaction.conflicts.push({ at: "now", report: { statusCode: status } });
    } else this.complete(transaction, status, status === "00" ? "00" : status === "11" ? "05" : "09", "terminal");
    this.terminal("terminal.acknowledged", transaction, status);
  }

  /** A second result arrives: the gateway keeps it beside the transaction, and acknowledges it. */
  contradict(transaction: Transaction, statusCode: "00" | "11", transAmt?: string): void {
    const named = transAmt === undefined ? {} : { transAmt };
    const about = { ...namesOf(transaction), statusCode, ...named };
    this.write({ kind: "terminal.contradicted", ...about });
    transaction.conflicts.push({ at: "now", report: { statusCode, named } });
    this.write({ kind: "terminal.contradiction-acknowledged", ...about });
  }

  complete(
    transaction: Transaction,
    status: "00" | "11" | "22",
    responseCode: string,
    by: "terminal" | "gateway" | "operator",
  ): void {
    const state = status === "22" ? "pending" : "completed";
    Object.assign(transaction, { status, responseCode, state, completedBy: status === "22" ? null : by });
    this.#record(status === "22" ? "transaction.pending" : "transaction.completed", transaction);
    const target = this.#byNumber(transaction.transData["transId"]);
    if (transaction.transType !== "void" || status !== "00" || target === undefined) return;
    const { requestId, referenceId } = transaction;
    target.voidedBy = { requestId, referenceId };
    this.#record("transaction.updated", target);
  }

  resolve(transaction: Transaction, statusCode: "00" | "11"): void {
    const { terminalId, requestId } = transaction;
    const call = (this.#call += 1);
    this.write({ kind: "operator.asked", call, action: "resolve", target: terminalId, requestId, statusCode });
    const isOpen = transaction.state !== "completed";
    if (isOpen) this.complete(transaction, statusCode, "RESOLVED", "operator");
    this.write({ kind: "operator.answered", call, status: isOpen ? 200 : 409 });
  }

  closeDay(posId: string): void {
    const completed = this.#feed(posId).filter(({ type }) => type === "transaction.completed");
    const count = (status: string) => completed.filter(({ data }) => (data as Wire)["statusCode"] === status).length;
    const rows = [{ approved: { count: count("00") }, notApproved: { count: count("11") } }];
    this.#event(posId, "day.closed", { day: DAY, closed: true, data: rows });
  }

  /** The next event that the receiver has not taken arrives there. */
  deliver(posId: string, status = 204): void {
    const taken = this.#taken.get(posId) ?? 0;
    if (this.#deliverAt(posId, taken, status) && status < 300) this.#taken.set(posId, taken + 1);
  }

  /** The last event that it took arrives once more. */
  deliverAgain(posId: string): void {
    this.#deliverAt(posId, (this.#taken.get(posId) ?? 0) - 1, 204);
  }

  #deliverAt(posId: string, index: number, status: number): boolean {
    const event = this.#feed(posId)[index];
    if (event === undefined) return false;
    this.write({ kind: "webhook.received", posId, webhookId: `wh_${posId}`, event, signed: true, status });
    return true;
  }

  readFeed(posId: string, after: number): void {
    this.write({ kind: "feed.read", posId, after, events: this.#feed(posId).slice(after, after + 100) });
  }

  fault(fault: "kill" | "power" | "duplicate", target: string | null, meanwhile: () => void = () => undefined): void {
    const id = (this.#fault += 1);
    const about = { fault, id, ...(target === null ? {} : { target }) };
    this.write({ kind: "fault.began", ...about });
    meanwhile();
    this.write({ kind: "fault.ended", ...about });
  }

  /** All is quiet: tills ask about everything again, and everything is read to its end. */
  close(): void {
    this.write({ kind: "quiet.began" });
    for (const transaction of this.transactions.values()) {
      const { posId, terminalId, referenceId, transType, transData } = transaction;
      this.answer(this.ask({ posId, terminalId, referenceId, transType, transData }), transaction);
    }
    for (const posId of ACCOUNTS) {
      while ((this.#taken.get(posId) ?? 0) < this.#feed(posId).length) this.deliver(posId);
      // What was recorded last has had its time to arrive.
      this.write({ kind: "searched", place: "log", bytes: 1000, needles: 9, found: [] }, 11_000);
      this.readFeed(posId, 0);
    }
    for (const terminalId of TERMINALS) {
      const rows = [...this.transactions.values()].filter((one) => one.terminalId === terminalId).map(rowOf);
      this.write({ kind: "operator.journal", terminalId, rows });
    }
  }

  #byNumber(requestId: unknown): Transaction | undefined {
    return [...this.transactions.values()].find((one) => one.requestId === requestId);
  }

  #feed(posId: string): Wire[] {
    const feed = this.feeds.get(posId) ?? [];
    this.feeds.set(posId, feed);
    return feed;
  }

  #record(type: string, transaction: Transaction): void {
    const { requestId, transType, terminalId, referenceId, status, responseCode, completedBy, voidedBy } = transaction;
    const { transAmt = null, cashAmt = null, transId = null } = transaction.transData as Record<string, string>;
    const day = status === "22" ? null : DAY;
    const about = { requestId, transType, deviceId: terminalId, referenceId, statusCode: status, responseCode };
    const data = { ...about, completedBy, day, transAmt, cashAmt, transId, voidedBy };
    this.#event(transaction.posId, type, data);
  }

  #event(posId: string, type: string, data: Wire): void {
    const number = this.#feed(posId).length + 1;
    this.#feed(posId).push({ id: `evt_${posId}_${number}`, number, type, timestamp: `at ${this.#at}`, data });
  }
}

function namesOf({ terminalId, requestId, posId, referenceId, transType }: Transaction) {
  return { terminalId, requestId, posId, referenceId, transType };
}

function outcomeOf({ status, responseCode, transType, transData, requestId, state }: Transaction): Wire {
  const isVoid = transType === "void";
  const details =
    isVoid && status !== "00" ? null : { transId: isVoid ? transData["transId"] : requestId, ...transData };
  return {
    statusCode: status,
    responseCode: state === "sent" ? "IN_PROGRESS" : responseCode,
    softwareVersion: "1",
    terminalSn: "SN",
    ...(details === null ? {} : { transData: { ...details, cardNo: "xxxxxxxxxxxx4242" } }),
  };
}

function rowOf(transaction: Transaction): Wire {
  const { requestId, posId, referenceId, transType, state, completedBy, conflicts } = transaction;
  const outcome = state === "completed" ? outcomeOf(transaction) : null;
  return { requestId, posId, referenceId, transType, state, completedBy, conflicts, outcome };
}
