/** The sequence diagrams of the pages: who says what to whom, from top to bottom. */
import { escapeHtml } from "./html.ts";

type Step =
  /** A message from one lane to another, by their places. `lost`: it never arrives. */
  | { kind: "message"; from: number; to: number; text: string; lost?: boolean }
  /** What happens at a lane meanwhile, in lines. */
  | { kind: "note"; at: number; lines: string[] };

interface Diagram {
  id: string;
  title: string;
  lanes: string[];
  steps: Step[];
}

function says(from: number, to: number, text: string): Step {
  return { kind: "message", from, to, text };
}

function lost(from: number, to: number, text: string): Step {
  return { kind: "message", from, to, text, lost: true };
}

function note(at: number, ...lines: string[]): Step {
  return { kind: "note", at, lines };
}

const DIAGRAMS: Diagram[] = [
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

const LANE = 200;
const EDGE = 100;
const HEAD = 34;
const MESSAGE = 40;
const LINE = 17;
const NOTE_WIDTH = 176;

/** A diagram as SVG. No styles inside: the page's style sheet has them. Throws for an id that there is not. */
export function diagram(wanted: string): string {
  const found = DIAGRAMS.find((one) => one.id === wanted);
  if (found === undefined) throw new Error(`There is no diagram ${wanted}.`);
  const { id, title, lanes, steps } = found;
  const width = EDGE * 2 + LANE * (lanes.length - 1);
  const x = (lane: number): number => EDGE + LANE * lane;
  const parts: string[] = [];
  let y = HEAD + 18;
  for (const step of steps) {
    if (step.kind === "note") {
      const height = step.lines.length * LINE + 12;
      parts.push(
        `<rect class="note" x="${x(step.at) - NOTE_WIDTH / 2}" y="${y}" width="${NOTE_WIDTH}" height="${height}" rx="4"/>`,
        ...step.lines.map((line, index) => label(x(step.at), y + 18 + index * LINE, line, "small")),
      );
      y += height + 12;
      continue;
    }
    y += 22;
    parts.push((step.lost === true ? lostArrow : arrowTo(`${id}-tip`))(x(step.from), x(step.to), y));
    parts.push(label((x(step.from) + x(step.to)) / 2, y - 7, step.text, "small"));
    y += MESSAGE - 22;
  }
  const bottom = y + 6;
  const lines = lanes.map(
    (_, lane) => `<line class="lane" x1="${x(lane)}" y1="${HEAD}" x2="${x(lane)}" y2="${bottom}"/>`,
  );
  const heads = lanes.map(
    (name, lane) =>
      `<rect class="head" x="${x(lane) - 84}" y="1" width="168" height="${HEAD - 2}" rx="6"/>` +
      label(x(lane), 22, name, "strong"),
  );
  return (
    `<div class="diagram" tabindex="0" role="group" aria-label="Diagram">` +
    `<svg viewBox="0 0 ${width} ${bottom}" width="${width}" height="${bottom}" role="img" aria-labelledby="${id}-title">` +
    `<title id="${id}-title">${escapeHtml(title)}</title>` +
    `<defs><marker id="${id}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
    `<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>` +
    [...lines, ...heads, ...parts].join("") +
    `</svg></div>\n`
  );
}

type Arrow = (from: number, to: number, y: number) => string;

function arrowTo(tip: string): Arrow {
  return (from, to, y) =>
    `<line class="message" x1="${from}" y1="${y}" x2="${to}" y2="${y}" marker-end="url(#${tip})"/>`;
}

/** It ends before it arrives, with a cross. */
function lostArrow(from: number, to: number, y: number): string {
  const end = from + (to - from) * 0.72;
  return (
    `<line class="message lost" x1="${from}" y1="${y}" x2="${end}" y2="${y}"/>` +
    `<path class="cross" d="M${end - 5} ${y - 5}l10 10m0 -10l-10 10"/>`
  );
}

function label(x: number, y: number, text: string, kind: string): string {
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="middle">${escapeHtml(text)}</text>`;
}
