/**
 * What happened in a run, as the two ends of the gateway saw it: one line of JSON per entry, in the order in which it
 * happened. The run writes it, and the checker judges by it alone.
 */

export type Wire = Readonly<Record<string, unknown>>;

export const FAULTS = {
  kill: "The gateway is killed (`SIGKILL`) and started again",
  restart: "The gateway is ended (`SIGTERM`) and started again",
  stop: "The gateway is stopped (`SIGSTOP`) and continued",
  cut: "Connections are cut",
  delay: "Bytes are delayed",
  duplicate: "Requests arrive twice",
  drop: "Bytes are swallowed",
  power: "Terminals lose power",
  memory: "Terminals lose their memory",
  clock: "Clocks of tills or terminals are wrong",
  disk: "A disk takes no writes",
  database: "D1 is not available",
  receiver: "Webhook receivers fail",
} as const;
export type Fault = keyof typeof FAULTS;

export function isFault(name: string): name is Fault {
  return Object.hasOwn(FAULTS, name);
}

export const OPERATOR_ACTIONS = {
  suspend: "suspend an account",
  resume: "activate it again",
  rotate: "rotate a signing key",
  password: "change a password",
  rebind: "bind a terminal to another account",
  zone: "move an account to another time zone",
  resolve: "complete a transaction",
  delete: "delete an account",
  "master-keys": "rotate the master keys",
} as const;
export type OperatorAction = keyof typeof OPERATOR_ACTIONS;

interface About {
  terminalId: string;
  requestId: string;
  posId: string;
  referenceId: string;
  transType: string;
  /** With what it reports, and what is acknowledged. */
  statusCode?: string;
}

interface FaultChange {
  fault: Fault;
  /** Pairs the two entries. A fault that is over at once, such as `kill`, has both as well: until the part is back. */
  id: number;
  /** The terminal or account concerned; absent: everybody. */
  target?: string;
}

/** A second result has another status or amount than the first, which is acknowledged: the terminal broke its duties. */
interface Contradiction extends About {
  statusCode: string;
  /** The amount that it names, where that is another one. */
  transAmt?: string;
}

interface Happenings {
  /** `seconds`: of faults. `omitted`: which fault cannot be caused on this machine, and why. `date`: `YYYY-MM-DD`. */
  "run.started": {
    date: string;
    /** Of the gateway (its commit), Node, wrangler and workerd. */
    versions: Readonly<Record<string, string>>;
    seed: number;
    seconds: number;
    terminals: readonly string[];
    accounts: readonly string[];
    omitted: readonly { fault: Fault; why: string }[];
  };
  /** No fault is active any more, and none begins: what follows must end well. */
  "quiet.began": object;
  "fault.began": FaultChange;
  "fault.ended": FaultChange;
  /**
   * A POS sends a request: the signed body without its signature. The same request sent again has another `call`, which is
   * unique in the run, and the same `request`.
   */
  "till.asked": { call: number; posId: string; path: "/api/transfer" | "/api/transfer/cancel"; request: Wire };
  /** `status`: of HTTP. `signed`: whether the answer's signature is valid; null: it has none. */
  "till.answered": { call: number; status: number; answer: Wire | null; signed: boolean | null };
  /** No answer came: refused, reset, cut, or given up by the POS. */
  "till.unanswered": { call: number; why: string };
  /** A terminal's own durable book: a request frame arrived, with a valid signature. */
  "terminal.received": About;
  "terminal.accepted": About;
  /** From here on money may move. */
  "terminal.started": About;
  "terminal.refused": About;
  /** A result frame was handed to the connection; it may be lost on its way. */
  "terminal.reported": About;
  "terminal.acknowledged": About;
  /**
   * The terminal ended a transaction: the truth that I2 is measured by. `moved`: hundredths that the customer was charged;
   * negative: paid back; 0 with 11.
   */
  "terminal.ended": About & { statusCode: "00" | "11"; moved: number };
  "terminal.contradicted": Contradiction;
  "terminal.contradiction-acknowledged": Contradiction;
  /** The terminal lost its memory: what it had not reported it never reports. */
  "terminal.forgot": { terminalId: string };
  /** An account's feed, read behind the number that was read last; bodies as they came. */
  "feed.read": { posId: string; after: number; events: readonly Wire[] };
  /** A delivery reached the account's receiver. `status`: what it answered; only a 2xx takes the event. */
  "webhook.received": { posId: string; webhookId: string; event: Wire; signed: boolean; status: number };
  /** `target`: account or terminal. With `resolve`: the transaction and the status that the operator decides. */
  "operator.asked": {
    call: number;
    action: OperatorAction;
    target: string;
    requestId?: string;
    statusCode?: "00" | "11";
  };
  /** `status`: of HTTP; null: no answer came. */
  "operator.answered": { call: number; status: number | null };
  /** A terminal's journal as the operator's calls show it, read when all is quiet. */
  "operator.journal": { terminalId: string; rows: readonly Wire[] };
  /**
   * A place, such as `log` or `storage`, that must hold no secret and no card number was searched for so many (I6). `found`:
   * their names, never their text.
   */
  searched: { place: string; bytes: number; needles: number; found: readonly string[] };
}

export type Kind = keyof Happenings;

export type Happening<Of extends Kind = Kind> = { [Name in Kind]: { kind: Name } & Happenings[Name] }[Of];

/** @property at milliseconds since the run began, by a clock that never jumps */
export type Entry<Of extends Kind = Kind> = Happening<Of> & { at: number };
