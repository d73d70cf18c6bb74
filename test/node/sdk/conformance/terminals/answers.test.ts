/** Terminals that break one duty each, and the steps of the kit that must notice: what a terminal says when it is asked, or asked again. */
import { HOUR } from "../../../../../src/protocol/time/units.ts";
import type { Frame } from "../../../../support/tampered-terminal.ts";
import { broken, findsBroken, isType, saying, reading, losing, renumbering } from "./parts.ts";

function isUnknown(frame: Frame, attempt: number): boolean {
  return frame["reason"] === "unknown" && frame["attempt"] === attempt;
}

/**
 * Frames of this type about what the terminal was ever asked to do: the kit's own numbers without a request are odd.
 */
function ofHeld(type: string): (frame: Frame) => boolean {
  const read = new Set<unknown>();
  return (frame) => {
    if (isType(frame, "request")) read.add(frame["requestId"]);
    return isType(frame, type) && read.has(frame["requestId"]);
  };
}

findsBroken([
  broken("refuses what it is at work on when it comes again", ["repeat-at-work"], () => {
    const ended = new Set<unknown>();
    const accepted = new Set<unknown>();
    const tampered = reading((frame, wire) => {
      const { requestId = "", attempt = 1 } = frame;
      // A forged request that is sent once more, rightly signed, is new to the terminal.
      if (attempt === 1 || ended.has(requestId) || !accepted.has(requestId)) return frame;
      wire.say({ type: "refused", requestId, attempt, reason: "busy" });
      return null;
    });
    return {
      ...tampered,
      toGateway: (frame) => {
        if (isType(frame, "accepted")) accepted.add(frame["requestId"]);
        if (isType(frame, "result")) ended.add(frame["requestId"]);
        return frame;
      },
    };
  }),
  broken(
    "pays again when a request that has ended comes again",
    ["repeat-after-result", "never-again", "charges"],
    () => {
      const seen = new Set<unknown>();
      const ended = new Set<unknown>();
      const renumbered = renumbering((frame) => {
        const again = seen.has(frame["requestId"]) && ended.has(frame["requestId"]);
        seen.add(frame["requestId"]);
        return again;
      });
      return {
        ...renumbered,
        toGateway: (frame, wire) => {
          const said = renumbered.toGateway?.(frame, wire) ?? null;
          if (said !== null && isType(said, "result")) ended.add(said["requestId"]);
          return said;
        },
      };
    },
  ),
  broken("answers a cancel before the request in hand", ["in-order"], () => {
    const read = new Set<unknown>();
    const accepted = new Set<unknown>();
    return {
      toTerminal: (frame, wire) => {
        const { requestId = "", attempt = 1 } = frame;
        if (isType(frame, "request")) read.add(requestId);
        if (!isType(frame, "cancel") || !read.has(requestId) || accepted.has(requestId)) return frame;
        wire.say({ type: "refused", requestId, attempt, reason: "unknown" });
        return null;
      },
      toGateway: (frame) => {
        if (isType(frame, "accepted")) accepted.add(frame["requestId"]);
        return frame;
      },
    };
  }),
  broken("does not read cancels", ["cancel"], () => ({ ...losing(ofHeld("cancel")), customerTakes: 1_000 })),
  broken("says nothing to a cancel of what it does not hold", ["cancel-unknown"], () =>
    saying("refused", (frame) => (isUnknown(frame, 2) ? null : frame)),
  ),
  broken("says nothing when it is asked", ["ask", "pending"], () => losing(ofHeld("ask"))),
  broken("says nothing when it is asked about what it does not hold", ["ask-unknown"], () =>
    saying("refused", (frame) => (isUnknown(frame, 3) ? null : frame)),
  ),
  broken("waits for the customer forever", ["respond-by"], () => ({
    ...reading((frame) =>
      Number(frame["respondBy"]) > Number(frame["deliverBy"]) - 10_000
        ? { ...frame, respondBy: Number(frame["respondBy"]) + HOUR }
        : frame,
    ),
    customerTakes: 12_000,
  })),
  broken("is busy while the host is", ["pending"], () => {
    let isPending = false;
    return {
      toTerminal: (frame, wire) => {
        if (isType(frame, "request") && isPending) {
          const { requestId = "", attempt = 1 } = frame;
          wire.say({ type: "refused", requestId, attempt, reason: "busy" });
          return null;
        }
        return frame;
      },
      toGateway: (frame) => {
        if (isType(frame, "result")) isPending = frame["responseCode"] === "09";
        return frame;
      },
    };
  }),
]);
