/** Terminals that break one duty each, and the steps of the kit that must notice: requests, and what must not be begun. */
import { HOUR } from "../../../../../src/protocol/time/units.ts";
import { type Frame, signedAgain } from "../../../../support/tampered-terminal.ts";
import { broken, findsBroken, isType, data, saying, reading, losing, sales, ofType, renumbering } from "./parts.ts";

function isElse(frame: Frame, member: string): boolean {
  return frame[member] === "SOMEBODY-ELSE";
}

findsBroken([
  broken("names another attempt in accepted", ["accepted"], () =>
    saying("accepted", (frame) => (frame["attempt"] === 1 ? { ...frame, attempt: 7 } : frame)),
  ),
  broken("leaves invNo out", ["result-fields"], () =>
    sales((frame) => {
      const { invNo: _invNo, ...transData } = data(frame);
      return signedAgain({ ...frame, transData });
    }),
  ),
  broken("names another amount than was asked for", ["result-fields"], () =>
    sales((frame) => signedAgain({ ...frame, transData: { ...data(frame), transAmt: "99.00" } })),
  ),
  broken("does not say what it handed out in cash", ["cash-out"], () =>
    ofType("cashOut", (frame) => {
      const { cashAmt: _cashAmt, ...transData } = data(frame);
      return signedAgain({ ...frame, transData });
    }),
  ),
  broken("voids something else", ["void"], () =>
    ofType("void", (frame) => signedAgain({ ...frame, transData: { ...data(frame), transId: "1000000000" } })),
  ),
  broken("stumbles over members that it does not know", ["unknown-members"], () =>
    losing((frame) => "futureMember" in frame),
  ),
  broken("hangs up on frames that it does not know", ["unknown-frames"], () => ({
    toTerminal: (frame, wire) => {
      if (isType(frame, "weather")) wire.close();
      return frame;
    },
  })),
  broken("does not look at deliverBy", ["deliver-by"], () =>
    reading((frame) => ({ ...frame, deliverBy: Number(frame["deliverBy"]) + HOUR })),
  ),
  broken("judges deliverBy by the machine's own clock", ["deliver-by", "respond-by-past"], () =>
    reading((frame) => {
      const later = 2 * HOUR;
      const [deliverBy, respondBy] = [Number(frame["deliverBy"]), Number(frame["respondBy"])];
      return { ...frame, deliverBy: deliverBy + later, respondBy: respondBy + later };
    }),
  ),
  broken("begins after respondBy", ["respond-by-past"], () =>
    reading((frame) => ({ ...frame, respondBy: Number(frame["respondBy"]) + HOUR })),
  ),
  broken("takes lower numbers", ["lower-number"], () => {
    const seen = new Set<number>();
    return renumbering((frame) => {
      const requestId = Number(frame["requestId"]);
      const isLower = !seen.has(requestId) && requestId < Math.max(0, ...seen);
      seen.add(requestId);
      return isLower;
    });
  }),
  broken("works for every account", ["other-account"], () =>
    reading((frame) => (isElse(frame, "posId") ? { ...frame, posId: "KIT-POS" } : frame)),
  ),
  broken("works for every merchant", ["other-merchant"], () =>
    reading((frame) => (isElse(frame, "merchantId") ? { ...frame, merchantId: "KIT-M" } : frame)),
  ),
  broken("does not verify signatures", ["forged"], () => ({
    toTerminal: (frame) => (isType(frame, "request") && "signature" in frame ? signedAgain(frame) : frame),
  })),
  broken("verifies only signatures that are there", ["unsigned"], () => ({
    toTerminal: (frame) => (isType(frame, "request") && !("signature" in frame) ? signedAgain(frame) : frame),
  })),
  broken("accepts a second request while it is at work", ["busy"], () =>
    saying("refused", (frame) =>
      frame["reason"] === "busy"
        ? { type: "accepted", requestId: frame["requestId"] ?? "", attempt: frame["attempt"] ?? 1 }
        : frame,
    ),
  ),
]);
