/**
 * What happened in a run, as the two ends of the gateway saw it: one line of JSON per entry, in the order in which it
 * happened. The run writes it, and the checker judges by it alone.
 */

/** A JSON object as it went over the wire. */
export type Wire = Readonly<Record<string, unknown>>;

/** What disturbs the run. */
export const FAULTS = [
  "kill",
  "restart",
  "stop",
  "cut",
  "delay",
  "duplicate",
  "drop",
  "power",
  "memory",
  "clock",
  "disk",
  "database",
  "receiver",
] as const;
export type Fault = (typeof FAULTS)[number];

/** What an operator does beside the shops. */
export const OPERATOR_ACTIONS = [
  "suspend",
  "resume",
  "rotate",
  "password",
  "rebind",
  "zone",
  "resolve",
  "delete",
  "master-keys",
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

interface Run {
  kind: "run.started";
  seed: number;
  /** Seconds of faults. */
  seconds: number;
  terminals: readonly string[];
  accounts: readonly string[];
  /** Which fault cannot be caused on this machine, and why. */
  omitted: readonly { fault: Fault; why: string }[];
}

/** No fault is active any more, and none begins: what follows must end well. */
interface Quiet {
  kind: "quiet.began";
}

interface FaultChange {
  kind: "fault.began" | "fault.ended";
  fault: Fault;
  /** Pairs the two entries. A fault that is over at once, such as `kill`, has both as well: until the part is back. */
  id: number;
  /** The terminal or account concerned; absent: everybody. */
  target?: string;
}

/** A POS sends a request. The same request sent again has another `call` and the same `request`. */
interface TillAsked {
  kind: "till.asked";
  /** Unique in the run. */
  call: number;
  posId: string;
  path: "/api/transfer" | "/api/transfer/cancel";
  /** The signed body without its signature. */
  request: Wire;
}

interface TillAnswered {
  kind: "till.answered";
  call: number;
  /** HTTP status. */
  status: number;
  answer: Wire | null;
  /** Whether the answer's signature is valid; null: it has none. */
  signed: boolean | null;
}

/** No answer came: refused, reset, cut, or given up by the POS. */
interface TillUnanswered {
  kind: "till.unanswered";
  call: number;
  why: string;
}

/** A terminal's own durable book: what truly happened to cards and money. */
interface TerminalEntry {
  kind:
    /** A request frame arrived, with a valid signature. */
    | "terminal.received"
    /** Stored, not started yet. */
    | "terminal.accepted"
    /** From here on money may move. */
    | "terminal.started"
    /** It told the gateway that it does not start it. */
    | "terminal.refused"
    /** A result frame was handed to the connection; it may be lost on its way. */
    | "terminal.reported"
    /** The gateway acknowledged the result (I4). */
    | "terminal.acknowledged";
  terminalId: string;
  requestId: string;
  posId: string;
  referenceId: string;
  transType: string;
  /** With `reported` and `acknowledged`. */
  statusCode?: string;
}

/** The terminal ended a transaction: the truth that I2 is measured by. */
interface TerminalEnded {
  kind: "terminal.ended";
  terminalId: string;
  requestId: string;
  posId: string;
  referenceId: string;
  transType: string;
  statusCode: "00" | "11";
  /** Hundredths that the customer was charged; negative: paid back; 0 with 11. */
  moved: number;
}

/** The terminal broke its duties: its second result has another status or amount than the first, which is acknowledged. */
interface TerminalContradicted extends Omit<TerminalEntry, "kind"> {
  kind:
    /** It was handed to the connection. */
    | "terminal.contradicted"
    /** The gateway acknowledged it. */
    | "terminal.contradiction-acknowledged";
  statusCode: string;
  /** The amount that it names, where that is another one. */
  transAmt?: string;
}

/** The terminal lost its memory: what it had not reported it never reports. */
interface TerminalForgot {
  kind: "terminal.forgot";
  terminalId: string;
}

/** An account's feed, read from a cursor on. */
interface FeedRead {
  kind: "feed.read";
  posId: string;
  /** The number that was read last. */
  after: number;
  /** Bodies as they came. */
  events: readonly Wire[];
}

/** A webhook delivery reached the account's receiver. */
interface WebhookReceived {
  kind: "webhook.received";
  posId: string;
  webhookId: string;
  event: Wire;
  signed: boolean;
  /** What the receiver answered. Only a 2xx takes the event. */
  status: number;
}

interface OperatorAsked {
  kind: "operator.asked";
  call: number;
  action: OperatorAction;
  /** Account or terminal. */
  target: string;
  /** With `resolve`: the transaction and the status that the operator decides. */
  requestId?: string;
  statusCode?: "00" | "11";
}

interface OperatorAnswered {
  kind: "operator.answered";
  call: number;
  /** HTTP status; null: no answer came. */
  status: number | null;
}

/** A terminal's journal as the operator's calls show it, read when all is quiet. */
interface OperatorJournal {
  kind: "operator.journal";
  terminalId: string;
  rows: readonly Wire[];
}

/** A place that must hold no secret and no card number was searched (I6). */
interface Searched {
  kind: "searched";
  /** Such as `log` or `storage`. */
  place: string;
  bytes: number;
  /** How many secrets and card numbers were looked for. */
  needles: number;
  /** Names of those found, never their text. */
  found: readonly string[];
}

export type Happening =
  | Run
  | Quiet
  | FaultChange
  | TillAsked
  | TillAnswered
  | TillUnanswered
  | TerminalEntry
  | TerminalEnded
  | TerminalContradicted
  | TerminalForgot
  | FeedRead
  | WebhookReceived
  | OperatorAsked
  | OperatorAnswered
  | OperatorJournal
  | Searched;

/** @property at milliseconds since the run began, by a clock that never jumps */
export type Entry = Happening & { at: number };
