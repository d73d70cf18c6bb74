/** Requests, and what must not be begun. */
import { signedAgain } from "../tampered-terminal.ts";
import { HOUR, isType, data, saying, reading, losing, sales, ofType, renumbering, isElse } from "./parts.ts";
import type { BrokenTerminal } from "./parts.ts";

export const PAYMENTS: readonly BrokenTerminal[] = [
  {
    what: "names another attempt in accepted",
    breaks: ["accepted"],
    tampering: () => saying("accepted", (frame) => (frame["attempt"] === 1 ? { ...frame, attempt: 7 } : frame)),
  },
  {
    what: "leaves invNo out",
    breaks: ["result-fields"],
    tampering: () =>
      sales((frame) => {
        const { invNo: _invNo, ...transData } = data(frame);
        return signedAgain({ ...frame, transData });
      }),
  },
  {
    what: "names another amount than was asked for",
    breaks: ["result-fields"],
    tampering: () => sales((frame) => signedAgain({ ...frame, transData: { ...data(frame), transAmt: "99.00" } })),
  },
  {
    what: "does not say what it handed out in cash",
    breaks: ["cash-out"],
    tampering: () =>
      ofType("cashOut", (frame) => {
        const { cashAmt: _cashAmt, ...transData } = data(frame);
        return signedAgain({ ...frame, transData });
      }),
  },
  {
    what: "voids something else",
    breaks: ["void"],
    tampering: () =>
      ofType("void", (frame) => signedAgain({ ...frame, transData: { ...data(frame), transId: "1000000000" } })),
  },
  {
    what: "stumbles over members that it does not know",
    breaks: ["unknown-members"],
    tampering: () => losing((frame) => "futureMember" in frame),
  },
  {
    what: "hangs up on frames that it does not know",
    breaks: ["unknown-frames"],
    tampering: () => ({
      toTerminal: (frame, wire) => {
        if (isType(frame, "weather")) wire.close();
        return frame;
      },
    }),
  },
  {
    what: "does not look at deliverBy",
    breaks: ["deliver-by"],
    tampering: () => reading((frame) => ({ ...frame, deliverBy: Number(frame["deliverBy"]) + HOUR })),
  },
  {
    what: "judges deliverBy by the machine's own clock",
    breaks: ["deliver-by", "respond-by-past"],
    tampering: () =>
      reading((frame) => {
        const later = 2 * HOUR;
        const [deliverBy, respondBy] = [Number(frame["deliverBy"]), Number(frame["respondBy"])];
        return { ...frame, deliverBy: deliverBy + later, respondBy: respondBy + later };
      }),
  },
  {
    what: "begins after respondBy",
    breaks: ["respond-by-past"],
    tampering: () => reading((frame) => ({ ...frame, respondBy: Number(frame["respondBy"]) + HOUR })),
  },
  {
    what: "takes lower numbers",
    breaks: ["lower-number"],
    tampering: () => {
      const seen = new Set<number>();
      return renumbering((frame) => {
        const requestId = Number(frame["requestId"]);
        const isLower = !seen.has(requestId) && requestId < Math.max(0, ...seen);
        seen.add(requestId);
        return isLower;
      });
    },
  },
  {
    what: "works for every account",
    breaks: ["other-account"],
    tampering: () => reading((frame) => (isElse(frame, "posId") ? { ...frame, posId: "KIT-POS" } : frame)),
  },
  {
    what: "works for every merchant",
    breaks: ["other-merchant"],
    tampering: () => reading((frame) => (isElse(frame, "merchantId") ? { ...frame, merchantId: "KIT-M" } : frame)),
  },
  {
    what: "does not verify signatures",
    breaks: ["forged"],
    tampering: () => ({
      toTerminal: (frame) => (isType(frame, "request") && "signature" in frame ? signedAgain(frame) : frame),
    }),
  },
  {
    what: "verifies only signatures that are there",
    breaks: ["unsigned"],
    tampering: () => ({
      toTerminal: (frame) => (isType(frame, "request") && !("signature" in frame) ? signedAgain(frame) : frame),
    }),
  },
  {
    what: "accepts a second request while it is at work",
    breaks: ["busy"],
    tampering: () =>
      saying("refused", (frame) =>
        frame["reason"] === "busy"
          ? { type: "accepted", requestId: frame["requestId"] ?? "", attempt: frame["attempt"] ?? 1 }
          : frame,
      ),
  },
];
