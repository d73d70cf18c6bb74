/** What it must not forget. */
import { textOf } from "../../../src/conformance/message.ts";
import { signedAgain } from "../tampered-terminal.ts";
import type { Frame, Wire } from "../tampered-terminal.ts";
import { isType, saying, losing } from "./parts.ts";
import type { BrokenTerminal } from "./parts.ts";

export const MEMORY: readonly BrokenTerminal[] = [
  {
    what: "forgets what it has accepted when the connection breaks",
    breaks: ["stored", "ack-22"],
    tampering: () => {
      const ended = new Set<unknown>();
      return {
        toGateway: (frame) => {
          if (isType(frame, "result") && frame["statusCode"] !== "22") ended.add(frame["requestId"]);
          if (isType(frame, "progress")) return null;
          if (!isType(frame, "hello")) return frame;
          const open = Array.isArray(frame["open"]) ? frame["open"] : [];
          return signedAgain({ ...frame, open: open.filter((requestId) => ended.has(requestId)) });
        },
      };
    },
  },
  {
    what: "goes on with what it had read from an earlier connection",
    breaks: ["barrier"],
    tampering: () => {
      const late: Frame[] = [];
      return {
        toTerminal: (frame, wire) => {
          if (isType(frame, "ready")) {
            for (const { requestId = "", attempt = 1 } of late.splice(0))
              wire.say({ type: "accepted", requestId, attempt });
          }
          // Frames wait in a queue that nobody empties when the connection ends.
          setTimeout(() => {
            if (wire.isOpen()) wire.tell(frame);
            else if (isType(frame, "request")) late.push(frame);
          }, 20);
          return null;
        },
      };
    },
  },
  {
    what: "sends each result once",
    breaks: ["result-kept", "other-ack"],
    tampering: () => {
      const sent = new Map<unknown, Wire>();
      return saying("result", (frame, wire) => {
        const before = sent.get(frame["requestId"]);
        sent.set(frame["requestId"], before ?? wire);
        return before === undefined || before === wire ? frame : null;
      });
    },
  },
  {
    what: "never forgets",
    breaks: ["ack-forgets", "never-again"],
    tampering: () => losing((frame) => isType(frame, "ack") && frame["statusCode"] !== undefined),
  },
  {
    what: "forgets at any ack",
    breaks: ["other-ack"],
    tampering: () => {
      const final = new Map<unknown, string>();
      return {
        toGateway: (frame) => {
          if (isType(frame, "result")) final.set(frame["requestId"], textOf(frame, "statusCode"));
          return frame;
        },
        toTerminal: (frame) =>
          isType(frame, "ack") ? { ...frame, statusCode: final.get(frame["requestId"]) ?? "00" } : frame,
      };
    },
  },
  {
    what: "forgets when a 22 is acknowledged",
    breaks: ["ack-22"],
    tampering: () => {
      const forgotten = new Set<unknown>();
      const final = new Set<unknown>();
      return {
        toTerminal: (frame) => {
          if (isType(frame, "ack") && frame["statusCode"] === "22") forgotten.add(frame["requestId"]);
          return frame;
        },
        toGateway: (frame) => {
          if (isType(frame, "result") && frame["statusCode"] !== "22") final.add(frame["requestId"]);
          if (!isType(frame, "hello")) return frame;
          const open = Array.isArray(frame["open"]) ? frame["open"] : [];
          return signedAgain({ ...frame, open: open.filter((one) => !forgotten.has(one) || final.has(one)) });
        },
      };
    },
  },
  {
    what: "gives up a result whose signature was not taken",
    breaks: ["signs-anew"],
    also: ["signs-anew"],
    tampering: () => losing((frame) => frame["code"] === "bad_signature"),
  },
  {
    what: "keeps what is nobody's",
    breaks: ["unknown-request"],
    tampering: () => losing((frame) => frame["code"] === "unknown_request"),
  },
];
