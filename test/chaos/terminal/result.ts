/** A terminal's result frame, before it is signed. */
import type { Wire } from "../journal.ts";
import type { Needles } from "../needles.ts";
import type { Random } from "../random.ts";
import { madeUpCard } from "../wire/card.ts";
import type { Kept } from "./book.ts";

export const VERSIONS = { softwareVersion: "chaos-1.0", terminalSn: "SN-CHAOS" };

/** Some terminals send a full card number, against their duty: the gateway must not keep it (I6). */
export function resultOf({ requestId, decision }: Kept, random: Random, needles: Needles): Wire {
  const { statusCode, responseCode } = decision ?? { statusCode: "22", responseCode: "09" };
  const card = madeUpCard(random);
  const isCareless = random.chance(0.1);
  if (isCareless) needles.add("card number from a terminal", card);
  const transData = {
    paymentChannel: "VISA",
    invNo: requestId.slice(-6),
    tid: "20000001",
    mid: "300000000000001",
    entryMode: "contactless",
    cardNo: isCareless ? card : `xxxxxxxxxxxx${card.slice(-4)}`,
    ...(isCareless ? { cardHoldersName: `CARD ${card}` } : {}),
  };
  return {
    type: "result",
    requestId,
    statusCode,
    responseCode,
    ...VERSIONS,
    ...(statusCode === "00" ? { transData } : {}),
  };
}
