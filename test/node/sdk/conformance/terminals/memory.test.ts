/** Terminals that break one duty each, and the steps of the kit that must notice: what a terminal must not forget. */
import { textOf } from "../../../../../src/sdk/conformance/message.ts";
import { signedAgain, type Frame, type Wire } from "../../../../support/tampered-terminal.ts";
import { broken, findsBroken, isType, saying, losing } from "./parts.ts";

findsBroken([
  broken("forgets what it has accepted when the connection breaks", ["stored", "ack-22"], () => {
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
  }),
  broken("goes on with what it had read from an earlier connection", ["barrier"], () => {
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
  }),
  broken("sends each result once", ["result-kept", "other-ack"], () => {
    const sent = new Map<unknown, Wire>();
    return saying("result", (frame, wire) => {
      const before = sent.get(frame["requestId"]);
      sent.set(frame["requestId"], before ?? wire);
      return before === undefined || before === wire ? frame : null;
    });
  }),
  broken("never forgets", ["ack-forgets", "never-again"], () =>
    losing((frame) => isType(frame, "ack") && frame["statusCode"] !== undefined),
  ),
  broken("forgets at any ack", ["other-ack"], () => {
    const final = new Map<unknown, string>();
    return {
      toGateway: (frame) => {
        if (isType(frame, "result")) final.set(frame["requestId"], textOf(frame, "statusCode"));
        return frame;
      },
      toTerminal: (frame) =>
        isType(frame, "ack") ? { ...frame, statusCode: final.get(frame["requestId"]) ?? "00" } : frame,
    };
  }),
  broken("forgets when a 22 is acknowledged", ["ack-22"], () => {
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
  }),
  broken("gives up a result whose signature was not taken", ["signs-anew"], () =>
    losing((frame) => frame["code"] === "bad_signature"),
  ),
  broken("keeps what is nobody's", ["unknown-request"], () => losing((frame) => frame["code"] === "unknown_request")),
]);
