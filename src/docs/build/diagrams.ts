/** The diagrams of the pages. */
import type { Diagram, Step } from "./sequence.ts";

function says(from: number, to: number, text: string): Step {
  return { kind: "message", from, to, text };
}

function lost(from: number, to: number, text: string): Step {
  return { kind: "message", from, to, text, lost: true };
}

function note(at: number, ...lines: string[]): Step {
  return { kind: "note", at, lines };
}

export const diagrams: Diagram[] = [
  {
    id: "path",
    title:
      "The path of a transfer: the till sends a signed request to the Worker, which has the account's object admit it and " +
      "passes it to the terminal's object, which writes its journal, sends the request to the terminal, gets the result, " +
      "answers the till, acknowledges, and has the account's object record the outcome.",
    lanes: ["Till (POS)", "Worker", "Account's object", "Terminal's object", "Terminal"],
    steps: [
      says(0, 1, "POST /api/transfer, signed"),
      note(1, "token, rate, shape"),
      says(1, 2, "admit"),
      note(2, "session, signature, terminal;", "claims the referenceId"),
      says(1, 3, "submit"),
      note(3, "writes the journal first"),
      says(3, 4, "request, signed"),
      note(4, "stores it, then accepts"),
      says(4, 3, "accepted"),
      note(4, "asks for the card,", "asks the host"),
      says(4, 3, "result, signed"),
      note(3, "completes the row"),
      says(3, 1, "outcome"),
      says(1, 0, "200, signed: 00, 11 or 22"),
      says(3, 4, "ack"),
      says(3, 2, "record"),
      note(2, "numbers the outcome"),
    ],
  },
  {
    id: "lost-answer",
    title:
      "A lost answer: the till's connection breaks while the customer pays. It sends the same request again and gets the " +
      "stored answer; the terminal is not asked to pay a second time.",
    lanes: ["Till (POS)", "Gateway", "Terminal"],
    steps: [
      says(0, 1, "sale R-1, 12.50"),
      says(1, 2, "request"),
      says(2, 1, "result 00"),
      lost(1, 0, "00"),
      note(0, "time-out: not known"),
      says(0, 1, "sale R-1, 12.50 again"),
      note(1, "R-1 is completed:", "nothing is sent"),
      says(1, 0, "00, Idempotent-Replayed: true"),
    ],
  },
  {
    id: "reconnect",
    title:
      "A lost connection: the terminal accepts, its connection drops, and its result comes after the next hello, which " +
      "lists the request as open. The till's request has waited meanwhile.",
    lanes: ["Till (POS)", "Gateway", "Terminal"],
    steps: [
      says(0, 1, "sale"),
      says(1, 2, "request"),
      says(2, 1, "accepted"),
      lost(2, 1, "result 00"),
      note(1, "waits until the", "request's end"),
      says(1, 2, "welcome, with a nonce"),
      says(2, 1, "hello: open = this request"),
      says(1, 2, "ready"),
      says(2, 1, "result 00, again"),
      says(1, 0, "00"),
      says(1, 2, "ack 00"),
    ],
  },
];
