/** A till's calls of a transfer and of a cancel, and how they get into the journal. */
import type { JournalFile } from "../journal-file.ts";
import type { Wire } from "../journal.ts";
import { call, NoReply, parsed } from "../wire/http.ts";
import { isSigned, signed } from "../wire/signature.ts";
import type { Account } from "./account.ts";
import type { Session } from "./session.ts";

export type TransferPath = "/api/transfer" | "/api/transfer/cancel";

/** A signed message, as its bytes go over the wire. */
export interface Message {
  path: TransferPath;
  /** Without the signature. */
  request: Wire;
  key: string;
  bytes: string;
}

export function messageOf(path: TransferPath, request: Wire, key: string): Message {
  return { path, request, key, bytes: JSON.stringify(signed(request, key)) };
}

export interface Answered {
  status: number;
  /** Only of an answer that is signed for this request; anything else proves nothing. */
  answer: Wire | null;
  /** The paths that a 400 names. */
  problem: readonly string[];
  /** Seconds, of a 429. */
  retryAfter: number;
}

/** Counts the calls of a whole run. */
export class Calls {
  #last = 0;

  next(): number {
    return (this.#last += 1);
  }
}

export class Asking {
  readonly #account: Account;
  readonly #session: Session;
  readonly #journal: JournalFile;
  readonly #calls: Calls;

  constructor({ account, session, journal, calls }: AskingDetails) {
    this.#account = account;
    this.#session = session;
    this.#journal = journal;
    this.#calls = calls;
  }

  /**
   * Sends a message.
   *
   * @param within milliseconds until the till hangs up
   * @returns null if no answer came, or no token can be had
   */
  async send({ path, request, key, bytes }: Message, within: number): Promise<Answered | null> {
    const { posId, door } = this.#account;
    const token = await this.#session.token();
    if (token === null) return null;
    const id = this.#calls.next();
    this.#journal.write({ kind: "till.asked", call: id, posId, path, request });
    try {
      const { status, text, headers } = await call(door.port, { method: "POST", path, token, body: bytes, within });
      const answer = parsed(text);
      const isGenuine = answer === null ? null : isSigned(answer, key);
      this.#journal.write({ kind: "till.answered", call: id, status, answer, signed: isGenuine });
      if (status === 401 || status === 403) this.#session.refused(token);
      const isMine = isGenuine === true && isAbout(answer, request);
      return {
        status,
        answer: isMine ? answer : null,
        problem: pathsOf(answer),
        retryAfter: Number(headers["retry-after"] ?? 0),
      };
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      this.#journal.write({ kind: "till.unanswered", call: id, why: error.message });
      return null;
    }
  }
}

function pathsOf(answer: Wire | null): string[] {
  const details = answer?.["details"];
  return Array.isArray(details) ? details.map(({ path }: { path: string }) => path) : [];
}

function isAbout(answer: Wire | null, request: Wire): boolean {
  return ["posId", "deviceId", "referenceId"].every((name) => answer?.[name] === request[name]);
}

export interface AskingDetails {
  account: Account;
  session: Session;
  journal: JournalFile;
  calls: Calls;
}
