/**
 * The Durable Object holds the terminal's hibernatable WebSocket, its binding and its journal, and processes one
 * transaction at a time. The lane decides (`lane/step.ts`); this class passes on everything that enters the object,
 * each time as one turn (`turns.ts`). Nothing is awaited between looking up a row, writing it and sending the frame
 * (I1). D1 and accounts follow afterwards, in the background (`receivers.ts`): no deadline and no frame waits for them.
 */
import { DurableObject } from "cloudflare:workers";
import { CLOSE } from "../../protocol/close-codes.ts";
import { logError } from "../lib/log.ts";
import { closeQuietly } from "../durable/sockets.ts";
import { hasTables } from "../durable/storage/migrate.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import type { Binding } from "../../protocol/binding.ts";
import type { FinalStatusCode } from "../../protocol/status-codes.ts";
import type { AccountUpdate, CallOrigin } from "../account/rpc.ts";
import type {
  ActivationCodeDigest,
  ActivationOutcome,
  BindOutcome,
  BindVerdict,
  Description,
  EnrolmentCall,
  LoginVerdict,
} from "./rpc.ts";
import { type OwnName, readCall, responseTo, WAIT_ADDRESS } from "./transfer-replies.ts";
import type { TransferCall } from "../../protocol/transfer-message.ts";
import { bind, handleAccountUpdate, unbind, retire } from "./binding.ts";
import { answerTransfer, endWait, isServed, NOT_ENROLLED_REPLY } from "./answer-transfer.ts";
import {
  closeSilent,
  openConnection,
  hangUp,
  noticeEnd,
  receive,
  isContested,
  recentTakeovers,
} from "./terminal-socket.ts";
import {
  auditedStatus,
  findOwnTransaction,
  hourlyStatistics,
  journalPage,
  resolveTransaction,
} from "./journal-views.ts";
import { enqueueAll, enqueueTerminalState } from "./outbox-entries.ts";
import { createTerminalContext, type TerminalContext, CHANGE_NOTE_WAIT } from "./context.ts";
import { terminalReceivers } from "./receivers.ts";
import { enqueuePresence, terminalStatus } from "./presence.ts";
import { takeLogin } from "./secret.ts";
import { activate, changeSecret, createActivationCode, type SecretChange } from "./secret-changes.ts";
import { endPreviousSecret } from "./secret-end.ts";
import { SECOND } from "../../protocol/time/units.ts";

/** An upgrade waits this long for D1 to record the connection. */
const CONNECT_NOTE_WAIT = SECOND;

/** The answer of an object whose terminal was never enrolled. */
const NOT_ENROLLED = { kind: "not-enrolled" } as const;

export class Terminal extends DurableObject<Env> {
  /** It is null if the terminal was never enrolled. */
  #enrolled: TerminalContext | null = null;

  constructor(state: DurableObjectState, env: Env) {
    super(state, env);
    if (!hasTables(state.storage)) return;
    const { turns } = this.#create();
    // Without this, each start would set the alarm again, which is a row written.
    void state.blockConcurrencyWhile(async () => turns.alarmIsAt(await state.storage.getAlarm()));
  }

  /** Only `enrol` makes tables: a login for an invented terminalId must not leave anything behind. */
  get #context(): TerminalContext {
    if (this.#enrolled === null) throw new Error("the terminal is not enrolled");
    return this.#enrolled;
  }

  #create(): TerminalContext {
    this.#enrolled = createTerminalContext(this.ctx, this.env, (context) =>
      terminalReceivers(this.ctx, this.env, context),
    );
    return this.#enrolled;
  }

  // Sockets and the alarm.

  /** Opens a socket, which RPC cannot do: the terminal's, or at `/wait` one for the Worker of a POS, with its call. */
  override async fetch(request: Request): Promise<Response> {
    const waits = request.url === WAIT_ADDRESS;
    if (this.#enrolled === null) return waits ? responseTo(NOT_ENROLLED_REPLY) : new Response(null, { status: 401 });
    if (waits) return responseTo(await answerTransfer(this.#context, readCall(request.headers), true));
    return this.#openConnection(request.headers, new URL(request.url).origin);
  }

  async #openConnection(headers: Headers, origin: string): Promise<Response> {
    const pair = new WebSocketPair();
    const upgrade = { secretVersion: headers.get("X-Secret-Version"), origin };
    const isOpen = this.#context.turns.take((now) => openConnection(this.#context, pair[1], upgrade, now));
    if (!isOpen) return new Response(null, { status: 401 });
    await this.#context.waitForD1(CONNECT_NOTE_WAIT);
    const protocol = headers.get("Sec-WebSocket-Protocol");
    return new Response(null, {
      status: 101,
      webSocket: pair[0],
      ...(protocol === null ? {} : { headers: { "Sec-WebSocket-Protocol": protocol } }),
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const { connections, turns } = this.#context;
    const attachment = connections.attachmentOf(socket);
    // Frames in transit when the gateway closed must cost next to nothing: no turn, no alarm.
    if (attachment.role !== "terminal" || attachment.closed) return;
    try {
      turns.take((now) => receive(this.#context, { socket, attachment }, message, now));
    } catch (error) {
      this.#giveUp(socket, error);
    }
  }

  /**
   * The turn of a frame failed and stored nothing: closes the connection, because a terminal repeats itself on the next
   * one.
   */
  #giveUp(socket: WebSocket, error: unknown): void {
    const { connections, records } = this.#context;
    logError("terminal_frame_not_processed", error, { terminal: records.terminalId });
    const [code, reason] = [CLOSE.failed, "the gateway failed; connect again"];
    try {
      const attachment = connections.attachmentOf(socket);
      if (attachment.role !== "terminal") return;
      this.#context.turns.take((now) => hangUp(this.#context, { socket, attachment }, { code, reason }, now));
    } catch (broken) {
      logError("connection_not_closed", broken, { terminal: records.terminalId });
      closeQuietly(socket, code, reason);
    }
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    // Without our close frame the peer stays in CLOSING (RFC 6455, section 7.1.1).
    closeQuietly(socket, code, reason);
    this.#ended(socket, code);
  }

  override webSocketError(socket: WebSocket): void {
    closeQuietly(socket, CLOSE.failed, "error");
    this.#ended(socket, 1006);
  }

  #ended(socket: WebSocket, code: number): void {
    const { connections } = this.#context;
    if (isServed(connections.attachmentOf(socket), code)) return;
    this.#context.turns.take((now) => {
      const attachment = connections.attachmentOf(socket);
      if (attachment.role === "terminal") noticeEnd(this.#context, { socket, attachment }, now);
      else endWait(this.#context, attachment.requestId, code, now);
    });
  }

  /** Starts what is due without awaiting anything: no deadline waits for D1. */
  override alarm(): void {
    if (this.#enrolled === null) return;
    const { lane, retention, turns } = this.#context;
    turns.takeAlarm((now) => {
      closeSilent(this.#context, now);
      lane.take({ kind: "deadline" }, now);
      turns.tryWithin("journal_not_pruned", () => retention.step(now));
    });
  }

  // Transactions.

  /** Answers without waiting for the terminal. A caller that waits calls on the upgrade of its waiting socket. */
  async ask(call: TransferCall) {
    if (this.#enrolled === null) return NOT_ENROLLED_REPLY.reply;
    return (await answerTransfer(this.#context, call, false)).reply;
  }

  /**
   * The account may ask for a payment soon: the object wakes up and pings a silent terminal. No turn, no row, no alarm;
   * nothing depends on whether the call arrives, or how often.
   */
  async prewarm(posId: string) {
    if (this.#enrolled === null) return;
    this.#context.lane.prewarm(posId, Date.now());
  }

  /** Returns the newest first; `before` is the last requestId of the previous page. */
  async transactions(before: number | null, rows: number) {
    if (this.#enrolled === null) return { entries: [], orphanResults: [] };
    return journalPage(this.#context, before, rows);
  }

  /** Counts by hour the transactions received at or after `from` and before `to`. */
  async statistics(from: number, to: number) {
    if (this.#enrolled === null) return [];
    return hourlyStatistics(this.#context, from, to);
  }

  /** Returns null if the account has no such transaction on this terminal. */
  async ownTransaction(posId: string, name: OwnName) {
    if (this.#enrolled === null) return null;
    const { records } = this.#context;
    return findOwnTransaction(this.#context, posId, name, records.record?.terminalId ?? "");
  }

  /** @param operator for the journal and the audit log */
  async resolve(requestId: number, statusCode: FinalStatusCode, reason: string, operator: string) {
    if (this.#enrolled === null) return { kind: "not-found" } as const;
    return this.#context.change((now) => {
      const before = auditedStatus(this.#context, requestId);
      const outcome = resolveTransaction(this.#context, { requestId, statusCode, reason, operator }, now);
      const after = auditedStatus(this.#context, requestId);
      if (outcome.kind === "resolved") {
        const details = { requestId: String(requestId), statusCode, reason };
        this.#context.outbox.enqueueAudit({
          at: now,
          actor: operator,
          action: "transaction.resolve",
          details,
          before,
          after,
        });
      }
      return outcome;
    });
  }

  // Management.

  /** The same enrolment again replaces the secret, which nobody received. */
  async enrol(enrolment: EnrolmentCall) {
    const { turns, records } = this.#enrolled ?? this.#create();
    return turns.take(() => records.enrol(enrolment));
  }

  /** Unless the replaced secret stays valid for a while, closes the open socket (4002). */
  async changeSecret(change: SecretChange) {
    if (this.#enrolled === null) return NOT_ENROLLED;
    return this.#context.change((now) => changeSecret(this.#context, change, now));
  }

  async createActivationCode(code: ActivationCodeDigest, actor: string) {
    if (this.#enrolled === null) return NOT_ENROLLED;
    return this.#context.change((now) => createActivationCode(this.#context, code, actor, now));
  }

  /**
   * A code that D1 has for this terminal: the object decides whether it may be used. Closes the open socket (4002). The
   * answer does not wait for D1: only it has the secret.
   */
  async activate(digests: string[], sealedSecret: string): Promise<ActivationOutcome> {
    if (this.#enrolled === null) return { kind: "wrong" };
    return this.#context.turns.take((now) => activate(this.#context, digests, sealedSecret, now));
  }

  /** Unbinds the terminal, deletes the secret and closes the open socket (4002). Idempotent. */
  async retire(actor: string) {
    if (this.#enrolled === null) return NOT_ENROLLED;
    return this.#context.change((now) => retire(this.#context, actor, now));
  }

  /** Each login is accepted once. The caller has checked its kind and `datetime`. */
  async verifyLogin(message: JsonObject): Promise<LoginVerdict> {
    if (this.#enrolled === null) return { kind: "unknown" };
    return this.#context.turns.take((now) => {
      const verdict = takeLogin(this.#context, message, now);
      const current = this.#context.records.record?.secretVersion;
      if (verdict.kind === "accepted" && verdict.secretVersion === current) endPreviousSecret(this.#context, now);
      return verdict;
    });
  }

  /**
   * The message may be sent again: its key is valid once. The caller has checked its kind.
   *
   * @param secretVersion of the token that came with it
   */
  async verifyBind(message: JsonObject, secretVersion: number): Promise<BindVerdict> {
    if (this.#enrolled === null) return { kind: "refused" };
    const { turns, secretStore } = this.#context;
    return turns.take(() => {
      return secretStore.find(secretVersion) === null ? { kind: "outdated" } : secretStore.verify(message);
    });
  }

  /**
   * Binds to an account, then waits a bounded time for the account to learn of it. `move` replaces a binding to another
   * account; `only-unbound` (prebinding) does not. If the terminal is bound to the account already, updates the
   * details, unless the account itself has sent them.
   */
  async bind(wanted: Binding, mode: "move" | "only-unbound"): Promise<BindOutcome> {
    if (this.#enrolled === null) return NOT_ENROLLED;
    const { outcome, filled } = this.#context.turns.take((now) => {
      const bound = bind(this.#context, wanted, mode, now);
      return { outcome: bound, filled: bound.kind === "bound" ? this.#context.numbers.keep(now) : null };
    });
    if (outcome.kind !== "bound") return outcome;
    const listed = async (): Promise<void> => {
      await filled;
      await this.#context.waitForD1(CHANGE_NOTE_WAIT);
    };
    await Promise.all([listed(), this.#context.waitForAccount(wanted.posId)]);
    const { record } = this.#context.records;
    const isDeleted = record?.binding?.posId !== wanted.posId && record?.stoppedPosId === wanted.posId;
    return isDeleted ? { kind: "account-deleted" } : outcome;
  }

  /**
   * With a `posId`, unbinds only from that account.
   *
   * @param origin of the account's own call
   */
  async unbind(posId: string | null, actor: string, origin?: CallOrigin) {
    if (this.#enrolled === null) return { kind: "not-bound" } as const;
    return this.#context.change((now) => unbind(this.#context, { posId, actor, origin }, now));
  }

  /**
   * An older version changes nothing. Suspended: queued requests are completed as `11 CANCELLED`; sent ones continue.
   * Deleted: the same, and the terminal is unbound; `busy` if a transaction is in progress: call again later.
   */
  async applyAccountUpdate(posId: string, update: AccountUpdate) {
    if (this.#enrolled === null) return { kind: "done" } as const;
    return this.#context.turns.take((now) => handleAccountUpdate(this.#context, posId, update, now));
  }

  /** If D1 has another presence than the terminal's, such as of one that became silent, D1 gets the new one. */
  async status() {
    if (this.#enrolled === null) {
      return { ...terminalStatus(null, { current: null }, Date.now()), contested: false };
    }
    const { records, lane, connections } = this.#context;
    // An empty turn: it begins by recording that the connection is lost.
    if (lane.hasLost) this.#context.turns.take(() => undefined);
    const { link } = lane.lane;
    const takeovers = link.current === null ? [] : (connections.keptOn(link.current.number)?.takeovers ?? []);
    const contested = isContested(recentTakeovers(takeovers, Date.now()));
    const status = { ...terminalStatus(records.record, link, Date.now()), contested };
    const { presence = "absent" } = records.record ?? {};
    if (presence !== "absent" && status.connected !== (presence === "connected")) {
      this.#context.turns.take((now) => enqueuePresence(this.#context, now, true));
    }
    return status;
  }

  /** D1 follows: it never has another merchant or name for long. */
  async describe({ merchantId, name }: Description) {
    if (this.#enrolled === null) return;
    await this.#context.change((now) => {
      const { records, outbox } = this.#context;
      if (records.record === null) return;
      const assigned = merchantId === undefined ? {} : { assignedMerchantId: merchantId };
      records.update({ ...assigned, ...(name === undefined ? {} : { name }) });
      enqueueTerminalState(outbox, now);
    });
  }

  /**
   * D1 was restored: it gets everything again that the object can still say.
   *
   * @returns false: the terminal is not enrolled
   */
  async resync() {
    if (this.#enrolled === null) return false;
    return this.#context.turns.take((now) => {
      if (this.#context.records.record === null) return false;
      enqueueAll(this.#context, now);
      return true;
    });
  }

  /**
   * Seals the secret again with the current master key. Returns the kid that seals it: during a deployment that is the
   * object's current one, which may not be the Worker's yet; null if there is no secret, or it cannot be decrypted.
   */
  async reseal() {
    if (this.#enrolled === null) return null;
    return this.#context.turns.take(() => this.#context.secretStore.reseal());
  }
}
