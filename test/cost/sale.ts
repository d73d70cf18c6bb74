/**
 * What one sale costs in operations that the platform bills or that take time. `counts.test.ts` counts them and holds
 * the code against this table; `bill.ts` puts prices on them.
 *
 * The sale: a customer who takes fifteen seconds, at a terminal that was last active more than ten seconds ago (two
 * thirds of those with a heartbeat every thirty) and is asked first whether it is there, while the account admits. Its object slept before, and
 * sleeps while the customer pays. Counted until nothing is left to do.
 */
export const NONE = {
  /** Calls to D1, a batch being one. */
  d1RoundTrips: 0,
  /** Those of them that write a row. */
  d1Writes: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  /**
   * Calls to the objects of account and terminal, and to the coordinator: RPC, and the upgrade that carries the call whose
   * answer is waited for.
   */
  objectRequests: 0,
  /** `pong`, `accepted`, `result`. */
  framesFromTerminal: 0,
  /** `ping`, `request`, `ack`. */
  framesToTerminal: 0,
  /** On the waiting socket: the outcome; before it the stages, if the POS follows them. */
  framesToWorker: 0,
  /** Sockets whose end reaches the object: the Worker's, when it has its answer; the terminal's. */
  socketsEnded: 0,
  /** Times that an object's alarm fires. */
  alarms: 0,
  /** Times that it is set: each is a row written. */
  alarmsSet: 0,
  /** Rows in the SQLite of all of them. */
  objectRowsRead: 0,
  objectRowsWritten: 0,
  /** Lines that Worker and object log. */
  logLines: 0,
};

export type Counts = typeof NONE;

export const SALE: Counts = {
  ...NONE,
  objectRequests: 4,
  framesFromTerminal: 3,
  framesToTerminal: 3,
  framesToWorker: 1,
  socketsEnded: 1,
  alarms: 2,
  alarmsSet: 2,
  objectRowsRead: 43,
  objectRowsWritten: 12,
  logLines: 2,
};

/**
 * SQL statements of a warm sale, in the objects of its terminal and its account: each costs CPU, whatever it reads. The
 * terminal was active moments ago, and neither object has slept since the sale before.
 */
export const STATEMENTS = { Terminal: 17, Account: 10 };

/** Stages that a POS gets of a sale whose terminal reports none: received, sent, accepted. */
export const STAGES_OF_SALE = 3;

/**
 * The same sale with its POS following it. The first stage comes with the reply to the call. Each later one is one
 * more message on the waiting socket, which costs the object nothing: outgoing messages are free, and the object is
 * awake for what it tells of.
 */
export const FOLLOWED_SALE: Counts = { ...SALE, framesToWorker: SALE.framesToWorker + STAGES_OF_SALE - 1 };

/** What wakes the object while the customer pays: the alarm by which the probe had to be answered. */
export const WAKES_WHILE_CUSTOMER_PAYS = ["alarm"];

/** A completed sale's row of the journal holds so many bytes at most. */
export const JOURNAL_BYTES = 1_020;

/** The body of a completed sale's event holds so many bytes at most. */
export const EVENT_BYTES = 780;

/** A POS gets new tokens, which name the account's terminals: an access token lives fifteen minutes. */
export const REFRESH: Counts = { ...NONE, objectRequests: 1, objectRowsRead: 3, objectRowsWritten: 1, logLines: 1 };

/**
 * A reader waits for an event, and none comes: the call that opens the wait, and its end. The object wakes for both.
 */
export const POLL: Counts = { ...NONE, objectRequests: 1, socketsEnded: 1, objectRowsRead: 6, logLines: 1 };

/** A POS logs in, with a signature, which is found by its end: after midnight, and when it starts. */
export const LOGIN: Counts = {
  ...NONE,
  objectRequests: 1,
  objectRowsRead: 4,
  objectRowsWritten: 3,
  logLines: 1,
};

/** A terminal's connection has ended and it has not come back within seconds: D1 learns that it is offline. */
export const CONNECTION_LOST: Counts = {
  ...NONE,
  d1RoundTrips: 1,
  d1Writes: 1,
  d1RowsRead: 1,
  d1RowsWritten: 4,
  socketsEnded: 1,
  alarms: 1,
  alarmsSet: 2,
  objectRowsRead: 18,
  objectRowsWritten: 4,
};

/** The coordinator asks a terminal whether it was heard, and it was. */
export const ASKED: Counts = { ...NONE, objectRequests: 1, objectRowsRead: 3 };

/** What the coordinator does itself for fifty terminals that it asks: a page of D1's list, with each account's time zone. */
export const ROUND_STEP: Counts = { ...NONE, d1RoundTrips: 1, d1RowsRead: 100, alarms: 1, alarmsSet: 1 };

/** A terminal logs in. */
export const TERMINAL_LOGIN: Counts = {
  ...NONE,
  objectRequests: 1,
  objectRowsRead: 9,
  objectRowsWritten: 1,
  logLines: 1,
};

/** A terminal that has a token opens a connection and says hello; D1 learns that it is connected. */
export const TERMINAL_CONNECT: Counts = {
  ...NONE,
  d1RoundTrips: 1,
  d1Writes: 1,
  d1RowsRead: 1,
  d1RowsWritten: 3,
  objectRequests: 1,
  framesFromTerminal: 1,
  framesToTerminal: 2,
  alarms: 1,
  alarmsSet: 1,
  objectRowsRead: 23,
  objectRowsWritten: 5,
  logLines: 2,
};

/** A terminal connects again: the three of them together. */
export const CONNECTION: Counts = sum(CONNECTION_LOST, TERMINAL_LOGIN, TERMINAL_CONNECT);

function sum(...parts: Counts[]): Counts {
  const total = { ...NONE };
  for (const part of parts) for (const name of Object.keys(NONE) as (keyof Counts)[]) total[name] += part[name];
  return total;
}

/**
 * A sale alone has D1 get its account's statistics, a minute later: an entry of the outbox that comes and goes, and the
 * alarms that deliver it, look after it in case of a reset, and end the day, which had been set before. In D1 these are
 * the account's day, the service's hour, and fingerprints; numbers in a JSON text count as rows that are read.
 */
export const STATISTICS: Counts = {
  ...NONE,
  d1RoundTrips: 1,
  d1Writes: 1,
  d1RowsRead: 27,
  d1RowsWritten: 3,
  alarms: 2,
  alarmsSet: 3,
  objectRowsRead: 25,
  objectRowsWritten: 2,
};

/**
 * One event reaches one endpoint that accepts it, a moment after the one before it was written: beyond what recording
 * it costs. The alarm wakes the object if it is reset meanwhile, and sets the one that it took the place of; the row
 * says how far the endpoint is. Events that follow within seconds share both.
 */
export const DELIVERY: Counts = { ...NONE, alarms: 1, alarmsSet: 2, objectRowsRead: 18, objectRowsWritten: 1 };
