/**
 * A payment terminal's Durable Object. It holds the terminal's hibernatable WebSocket, its binding and its journal, and
 * works on one transaction at a time. What happens is decided by the lane (`lane/step.ts`); this class receives, looks
 * up, and hands over. Between looking a row up, writing it and sending the frame nothing is awaited (I1).
 */
import { DurableObject } from "cloudflare:workers";
import { CONNECT_NOTE_WAIT, NUMBER_BLOCK, requestLife } from "../limits.ts";
import type { JsonObject } from "../signing/json.ts";
import * as binding from "./binding.ts";
import type {
  Binding,
  BindOutcome,
  Enrolment,
  LoginVerdict,
  RetireOutcome,
  TerminalManagement,
  TerminalStatus,
  UnbindOutcome,
} from "./calls.ts";
import { closeQuietly, Connections } from "./connections.ts";
import { Housekeeping } from "./housekeeping.ts";
import { Journal } from "./journal.ts";
import { NOT_BOUND } from "./lane/arrivals.ts";
import { CLOSE } from "./lane/close-codes.ts";
import { LaneShell } from "./lane-shell.ts";
import { logEvent } from "./log.ts";
import { reserveNumbers } from "./notes.ts";
import { TerminalRecordStore } from "./record.ts";
import { migrate } from "./schema.ts";
import { SecretKeeper } from "./secret.ts";
import { TerminalSocket } from "./terminal-socket.ts";
import type {
  AccountTerms,
  Cancellation,
  Inquiry,
  JournalEntry,
  ResolveOutcome,
  Submission,
  TransferCalls,
  TransferReply,
} from "./transfer-calls.ts";
import { Transfers } from "./transfers.ts";
import { WAITER_CLOSE } from "./transfer-calls.ts";

/** D1 knows the terminal, its object does not: an enrolment that is not complete. */
const NOT_ENROLLED: TransferReply = {
  kind: "refused",
  code: 40000,
  problems: [NOT_BOUND],
};

export class Terminal extends DurableObject<Env> implements TerminalManagement, TransferCalls {
  readonly #connections: Connections;
  readonly #records: TerminalRecordStore;
  readonly #secret: SecretKeeper;
  readonly #lane: LaneShell;
  readonly #socket: TerminalSocket;
  readonly #transfers: Transfers;
  readonly #housekeeping: Housekeeping;
  #reserving: Promise<void> | null = null;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    const { storage } = context;
    migrate(storage);
    const journal = new Journal(storage);
    const connections = new Connections(context);
    const records = new TerminalRecordStore(storage.sql);
    this.#connections = connections;
    this.#records = records;
    this.#secret = new SecretKeeper(records, env);
    const secret = () => this.#secret.read();
    this.#lane = new LaneShell({ storage, journal, records, connections, secret });
    this.#socket = new TerminalSocket({ connections, records, lane: this.#lane, secret });
    this.#transfers = new Transfers({ journal, records, lane: this.#lane, life: requestLife(env.REQUEST_SECONDS) });
    this.#housekeeping = new Housekeeping({
      context,
      env,
      records,
      connections,
      journal,
      lane: this.#lane,
      socket: this.#socket,
    });
    this.#noticeRestart();
  }

  /** A connection that SQL calls current and that is not there any more ended with the object's earlier life. */
  #noticeRestart(): void {
    const number = this.#records.record?.currentConnection ?? null;
    if (number === null || this.#connections.byNumber(number) !== null) return;
    const now = Date.now();
    this.#records.update({ currentConnection: null, lostAt: now });
    this.#lane.take({ kind: "restarted" }, now);
    this.#housekeeping.arm(now);
  }

  /** Opens a socket: `/connect` for the terminal, `/wait` for the Worker of a POS that waits. */
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const pair = new WebSocketPair();
    const now = Date.now();
    const refusal =
      url.pathname === "/wait"
        ? this.#transfers.wait(pair[1], url.searchParams, this.#connections)
        : this.#socket.open(pair[1], request.headers, now);
    if (refusal !== null) return refusal;
    this.#housekeeping.arm(now);
    if (url.pathname !== "/wait") await this.#housekeeping.noteWithin(CONNECT_NOTE_WAIT);
    const protocol = request.headers.get("Sec-WebSocket-Protocol");
    return new Response(null, {
      status: 101,
      webSocket: pair[0],
      ...(protocol === null ? {} : { headers: { "Sec-WebSocket-Protocol": protocol } }),
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#connections.attachmentOf(socket).role !== "terminal") return;
    const now = Date.now();
    const { saidHello } = this.#socket.receive(socket, message, now);
    this.#housekeeping.arm(now);
    // Bookkeeping that no payment waits for: a block of numbers for what comes.
    if (saidHello) this.ctx.waitUntil(this.#keepNumbers());
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    // Without an answer of ours the peer would stay in CLOSING (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, reason);
    this.#ended(socket, code);
  }

  override webSocketError(socket: WebSocket): void {
    closeQuietly(socket, 1011, "error");
    this.#ended(socket, 1006);
  }

  #ended(socket: WebSocket, code: number): void {
    const attachment = this.#connections.attachmentOf(socket);
    const now = Date.now();
    if (attachment.role === "terminal") this.#socket.ended(socket, attachment, now);
    else if (code === WAITER_CLOSE.patient)
      this.#lane.take({ kind: "caller-patient", requestId: attachment.requestId }, now);
    else if (code !== WAITER_CLOSE.served && this.#connections.waiters(attachment.requestId).length === 0) {
      this.#lane.take({ kind: "caller-gone", requestId: attachment.requestId }, now);
    }
    this.#housekeeping.arm(now);
  }

  override async alarm(): Promise<void> {
    await this.#housekeeping.alarm();
  }

  // Transactions.

  async submit(submission: Submission): Promise<TransferReply> {
    this.#adoptDetails(submission.posId, submission.account);
    return this.#answer((now) => this.#transfers.submit(submission, now));
  }

  async cancel(cancellation: Cancellation): Promise<TransferReply> {
    return this.#answer((now) => this.#transfers.cancel(cancellation, now));
  }

  async inquire(inquiry: Inquiry): Promise<TransferReply> {
    return this.#answer((now) => this.#transfers.inquire(inquiry, now));
  }

  /**
   * I1: one attempt is one turn. When a number is missing nothing has been decided yet: a block is reserved, and the
   * look-up is made again, since an identical twin may have come meanwhile.
   */
  async #answer(attempt: (now: number) => TransferReply | "number-needed"): Promise<TransferReply> {
    if (this.#records.record === null) return NOT_ENROLLED;
    for (;;) {
      const now = Date.now();
      const reply = attempt(now);
      if (reply !== "number-needed") {
        this.#housekeeping.arm(now);
        if (this.#records.numbersAreLow) this.ctx.waitUntil(this.#keepNumbers());
        return reply;
      }
      await this.#reserve();
    }
  }

  /**
   * The Worker has just read the account: where the terminal was told other details (a refresh that did not reach it),
   * it is told now, before it sees a request that names them.
   */
  #adoptDetails(posId: string, account: AccountTerms): void {
    const known = this.#records.record?.binding ?? null;
    const read = { posId, ...account };
    if (known?.posId !== posId || binding.sameBinding(known, read)) return;
    this.ctx.waitUntil(this.#changeBinding(read));
  }

  async #keepNumbers(): Promise<void> {
    if (!this.#records.numbersAreLow) return;
    try {
      await this.#reserve();
    } catch (error) {
      // The next transfer or hello tries again; eighteen in twenty never notice.
      logEvent("warning", "number-block-not-reserved", { detail: String(error) });
    }
  }

  async #reserve(): Promise<void> {
    this.#reserving ??= (async () => {
      try {
        const least = this.#records.record?.numbersEnd ?? 0;
        this.#records.addNumbers(await reserveNumbers(this.env.DATABASE, NUMBER_BLOCK, least));
      } finally {
        this.#reserving = null;
      }
    })();
    await this.#reserving;
  }

  async transactions(before: number | null, rows: number): Promise<JournalEntry[]> {
    return this.#transfers.page(before, rows);
  }

  async resolve(requestId: number, statusCode: "00" | "11", reason: string): Promise<ResolveOutcome> {
    const now = Date.now();
    const outcome = this.#transfers.resolve(requestId, statusCode, reason, now);
    this.#housekeeping.arm(now);
    return outcome;
  }

  async accountSuspended(posId: string): Promise<void> {
    const now = Date.now();
    this.#lane.take({ kind: "suspended", posId }, now);
    this.#housekeeping.arm(now);
  }

  // Management.

  async enrol(enrolment: Enrolment): Promise<void> {
    this.#records.enrol(enrolment);
    this.#secret.forget();
  }

  async changeSecret(sealedSecret: string): Promise<void> {
    const { record } = this.#records;
    if (record === null) return;
    this.#records.update({ sealedSecret, secretVersion: record.secretVersion + 1 });
    this.#secret.forget();
    this.#closeTerminals();
  }

  async retire(): Promise<RetireOutcome> {
    const now = Date.now();
    const { record } = this.#records;
    if (record === null) return { kind: "retired" };
    if (binding.isHeld(this.#lane.lane, now)) return { kind: "busy" };
    this.#records.update({
      sealedSecret: null,
      secretVersion: record.secretVersion + 1,
      binding: null,
      bindingVersion: record.bindingVersion + 1,
    });
    this.#secret.forget();
    this.#closeTerminals();
    await this.#housekeeping.note();
    return { kind: "retired" };
  }

  /** The open socket is closed at once, and nothing that it still says counts. */
  #closeTerminals(): void {
    const now = Date.now();
    const current = this.#lane.lane.link.current;
    this.#connections.closeAllTerminals(CLOSE.revoked, "the terminal was retired or its secret changed");
    if (current !== null) this.#lane.take({ kind: "lost", connection: current.number }, now);
    this.#lane.take({ kind: "greeting", open: false }, now);
    this.#housekeeping.arm(now);
  }

  async verifyLogin(message: JsonObject): Promise<LoginVerdict> {
    return this.#secret.verifyLogin(message);
  }

  async bind(wanted: Binding, mode: "move" | "only-unbound"): Promise<BindOutcome> {
    const now = Date.now();
    const outcome = binding.judgeBind(this.#records.record, this.#lane.lane, wanted, mode, now);
    if (outcome.kind === "bound") await this.#changeBinding(wanted);
    return outcome;
  }

  async unbind(posId: string | null): Promise<UnbindOutcome> {
    const outcome = binding.judgeUnbind(this.#records.record, this.#lane.lane, posId, Date.now());
    if (outcome.kind === "unbound") await this.#changeBinding(null);
    return outcome;
  }

  async refreshBinding(details: Binding): Promise<void> {
    const { record } = this.#records;
    if (record?.binding?.posId === details.posId) await this.#changeBinding(details);
  }

  /** Written and told to the terminal in one turn; D1 follows. */
  async #changeBinding(next: Binding | null): Promise<void> {
    const { record } = this.#records;
    if (record === null || binding.sameBinding(record.binding, next)) return;
    this.#records.update({ binding: next, bindingVersion: record.bindingVersion + 1 });
    this.#socket.tellBinding(next);
    await this.#housekeeping.note();
  }

  async status(): Promise<TerminalStatus> {
    return this.#socket.status(Date.now());
  }

  async reseal(): Promise<string | null> {
    return this.#secret.reseal();
  }
}
