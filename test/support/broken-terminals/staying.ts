/** How it stays, and what only the whole run shows. */
import { MemoryStore } from "../../../src/client/terminal.ts";
import { signedAgain } from "../tampered-terminal.ts";
import { isType, data, saying, losing, sales, ofType, atHost } from "./parts.ts";
import type { BrokenTerminal } from "./parts.ts";

export const STAYING: readonly BrokenTerminal[] = [
  {
    what: "stays with its first account",
    breaks: ["rebound"],
    tampering: () => losing((frame) => isType(frame, "binding") && frame["posId"] === "KIT-OTHER"),
  },
  {
    what: "does not come back when it was sent away",
    breaks: ["reconnects"],
    tampering: () => ({
      closeCode: (code, wire) => {
        if (code === 4004) wire.stopForGood();
        return code;
      },
    }),
  },
  {
    what: "does not read Retry-After",
    breaks: ["retry-after"],
    also: ["retry-after"],
    tampering: () => ({
      answer: (response) => (response.status === 429 ? Response.json({}, { status: 503 }) : response),
    }),
  },
  {
    what: "hammers",
    breaks: ["backs-off"],
    only: ["login", "backs-off"],
    // On a busy machine it gets too little time to hammer.
    blurred: true,
    tampering: () => ({ reconnect: { first: 2, longest: 2 } }),
  },
  {
    what: "comes back after the same time each time",
    breaks: ["spread"],
    only: ["stored", "result-kept", "ack-forgets", "other-ack", "spread"],
    blurred: true,
    tampering: () => ({ reconnect: { first: 4_000, longest: 4_000 }, random: () => 0.5 }),
  },
  {
    what: "says what is no frame",
    breaks: ["frames"],
    tampering: () =>
      saying("result", (frame, wire) => {
        wire.sayText("{ nonsense");
        return frame;
      }),
  },
  {
    what: "tells stages of its own",
    breaks: ["progress"],
    tampering: () => saying("progress", (frame) => ({ ...frame, stage: "dancing" })),
  },
  {
    what: "does not sign every result",
    breaks: ["result-signature"],
    tampering: () => ofType("cashOut", (frame) => ({ ...frame, signature: "0".repeat(64) })),
  },
  {
    what: "shows a card number",
    breaks: ["card-data"],
    tampering: () =>
      sales((frame) => signedAgain({ ...frame, transData: { ...data(frame), cardNo: "4111111111111111" } })),
  },
  {
    what: "draws a new memory for each connection",
    breaks: ["one-memory"],
    tampering: () => saying("hello", (frame) => ({ ...frame, memory: crypto.randomUUID() })),
  },
  {
    what: "changes its mind",
    breaks: ["final"],
    tampering: () => {
      return {
        toGateway: (frame, wire) => {
          const { transId } = data(frame);
          if (!isType(frame, "result") || frame["statusCode"] !== "00" || transId === frame["requestId"]) return frame;
          wire.say(frame);
          return signedAgain({ ...frame, statusCode: "11", responseCode: "05" });
        },
      };
    },
  },
  {
    what: "comes back at once when another one took its place",
    breaks: ["replaced"],
    only: ["login", "replaced"],
    patient: true,
    tampering: () => ({ closeCode: (code) => (code === 4001 ? 1006 : code) }),
  },
  {
    what: "loses its memory when it is switched off",
    breaks: [
      "restart-memory",
      "restart-result",
      "restart-before-card",
      "restart-number",
      "restart-at-host",
      "one-memory",
    ],
    also: ["restart-memory", "restart-result", "restart-before-card", "restart-number", "restart-at-host"],
    tampering: () => ({ storeAfterRestart: () => new MemoryStore() }),
  },
  {
    what: "takes a payment for approved that was cut off before the card",
    breaks: ["restart-before-card"],
    also: ["restart-memory", "restart-result", "restart-before-card", "restart-number", "restart-at-host"],
    tampering: () => ({
      ...saying("result", (frame) =>
        frame["responseCode"] === "25" ? { ...frame, statusCode: "00", responseCode: "00" } : frame,
      ),
      storeAfterRestart: atHost,
    }),
  },
];
