/** Terminals that charge wrongly, although every frame looks right: the kit finds them once somebody counts the charges. */
import { describe, it } from "vitest";
import { err } from "../../../../../src/protocol/result.ts";
import { stepsWith } from "../../../../support/kit-outcomes.ts";
import { kitOn, signedAgain, type Frame, type Wire } from "../../../../support/tampered-terminal.ts";
import { broken, findsBroken, isType, saying } from "./parts.ts";

const FALSE_11 = { statusCode: "11", responseCode: "TIMED_OUT", responseText: "Nothing was charged." };

function declined({ requestId = "", softwareVersion = "1", terminalSn = "1" }: Frame): Frame {
  return signedAgain({ type: "result", requestId, ...FALSE_11, softwareVersion, terminalSn });
}

/** Processes the last request once more, under another number, so that the gateway sees nothing of it. */
function chargedAgain(frame: Frame, wire: Wire): void {
  wire.tell(signedAgain({ ...frame, requestId: String(Number(frame["requestId"]) + 1_000_000_000) }));
}

function isChargedAgain({ requestId }: Frame): boolean {
  return Number(requestId) > 2_000_000_000;
}

findsBroken([
  broken(
    "reports 11 for each charge",
    ["repeat-after-result", "charges"],
    () => saying("result", (frame) => (frame["statusCode"] === "00" ? declined(frame) : frame)),
    { only: ["repeat-after-result", "charges"] },
  ),
  broken("reports 11 when it is cancelled at the host", ["cancel-at-host", "charges"], () => {
    const atHost = new Set<unknown>();
    const cancelled = new Set<unknown>();
    return {
      toTerminal: (frame) => {
        if (isType(frame, "cancel") && atHost.has(frame["requestId"])) cancelled.add(frame["requestId"]);
        return frame;
      },
      toGateway: (frame) => {
        if (isType(frame, "progress") && frame["stage"] === "authorising") atHost.add(frame["requestId"]);
        return isType(frame, "result") && cancelled.has(frame["requestId"]) ? declined(frame) : frame;
      },
    };
  }),
  broken("reports 11 at respondBy while the host has not answered", ["respond-by-at-host", "charges"], () => {
    const soon = new Set<unknown>();
    return {
      toTerminal: (frame) => {
        const isSoon = Number(frame["respondBy"]) < Number(frame["deliverBy"]);
        if (isType(frame, "request") && isSoon) soon.add(frame["requestId"]);
        return frame;
      },
      toGateway: (frame) => (isType(frame, "result") && soon.has(frame["requestId"]) ? declined(frame) : frame),
    };
  }),
  broken(
    "pays again when it is asked after a restart",
    ["restart-at-host", "charges"],
    () => {
      let request: Frame = {};
      let restarted = false;
      return {
        storeAfterRestart: (store) => {
          restarted = true;
          return store;
        },
        toTerminal: (frame, wire) => {
          if (isType(frame, "request")) request = frame;
          if (isType(frame, "ask") && restarted && frame["requestId"] === request["requestId"])
            chargedAgain(request, wire);
          return frame;
        },
        toGateway: (frame) => (isChargedAgain(frame) ? null : frame),
      };
    },
    { only: ["accepted", "restart-at-host", "charges"], blurred: true },
  ),
]);

describe("the kit for terminals", () => {
  const HOST_STEPS = ["repeat-after-result", "cancel", "cancel-at-host", "charges"];

  it.for([
    ["nobody counts the charges", undefined],
    ["the count is not known", async () => err("the host does not answer")],
  ] as const)("keeps no duty about money while %s", async ([, countCharges], { expect }) => {
    const outcomes = await kitOn({}, { only: ["accepted", ...HOST_STEPS], countCharges });
    expect(stepsWith("unseen", outcomes)).toEqual(HOST_STEPS);
    expect(stepsWith("kept", outcomes)).toEqual(["accepted"]);
  });
});
