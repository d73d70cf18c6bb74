/** Terminals that break one duty each, and the steps of the kit that must notice: how a terminal stays, and what only the whole run shows. */
import { createHmac } from "node:crypto";
import { MemoryStore, type TerminalStore } from "../../../../../src/sdk/client/terminal.ts";
import { refusal } from "../../../../support/scripted-gateway.ts";
import { signedForm } from "../../../../../src/protocol/signing/canonical.ts";
import { SECRET, signedAgain, type Frame } from "../../../../support/tampered-terminal.ts";
import { broken, findsBroken, isType, data, saying, losing, sales, ofType } from "./parts.ts";

/** A store in which everything looks as if it had reached the host. */
function atHost(store: TerminalStore): TerminalStore {
  return {
    load: async () => {
      const memory = await store.load();
      if (memory === null) return null;
      return { ...memory, held: memory.held.map((one) => ({ ...one, stage: "at-host" as const })) };
    },
    save: (memory) => store.save(memory),
  };
}

/** Over JSON as the encoders of some languages write it by default. */
function signedForHtml({ signature: _signature, ...frame }: Frame): string {
  const form = signedForm(frame).replaceAll(/[<>&]/gu, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`;
  });
  return createHmac("sha256", SECRET).update(form).digest("hex");
}

findsBroken([
  broken("stays with its first account", ["rebound"], () =>
    losing((frame) => isType(frame, "binding") && frame["posId"] === "KIT-OTHER"),
  ),
  broken("does not come back when it was sent away", ["reconnects"], () => ({
    closeCode: (code, wire) => {
      if (code === 4004) wire.stopForGood();
      return code;
    },
  })),
  broken("does not read Retry-After", ["retry-after"], () => ({
    answer: (response) => (response.status === 429 ? Response.json({}, { status: 503 }) : response),
  })),
  broken(
    "believes a firewall",
    ["firewall"],
    () => ({ answer: (response) => (response.status === 403 ? refusal(429, {}, { "Retry-After": "60" }) : response) }),
    { only: ["login", "bind", "firewall"] },
  ),
  broken("hammers", ["backs-off"], () => ({ reconnect: { first: 2, longest: 2 } }), {
    only: ["login", "backs-off"], // On a busy machine it gets too little time to hammer.
    blurred: true,
  }),
  broken(
    "comes back after the same time each time",
    ["spread"],
    () => ({ reconnect: { first: 4_000, longest: 4_000 }, random: () => 0.5 }),
    { only: ["stored", "result-kept", "ack-forgets", "other-ack", "spread"], blurred: true },
  ),
  broken("says what is no frame", ["frames"], () =>
    saying("result", (frame, wire) => {
      wire.sayText("{ nonsense");
      return frame;
    }),
  ),
  broken("tells stages of its own", ["progress"], () =>
    saying("progress", (frame) => ({ ...frame, stage: "dancing" })),
  ),
  broken("does not sign every result", ["result-signature"], () =>
    ofType("cashOut", (frame) => ({ ...frame, signature: "0".repeat(64) })),
  ),
  broken(
    "signs texts as an encoder for HTML writes them",
    ["result-signature"],
    () => ({
      toGateway: (frame) => (isType(frame, "result") ? { ...frame, signature: signedForHtml(frame) } : frame),
    }),
    { only: ["login", "connect", "hello", "bind", "accepted", "result-fields", "result-signature"] },
  ),
  broken("shows a card number", ["card-data"], () =>
    sales((frame) => signedAgain({ ...frame, transData: { ...data(frame), cardNo: "4111111111111111" } })),
  ),
  broken("draws a new memory for each connection", ["one-memory"], () =>
    saying("hello", (frame) => ({ ...frame, memory: crypto.randomUUID() })),
  ),
  broken("changes its mind", ["final"], () => {
    return {
      toGateway: (frame, wire) => {
        const { transId } = data(frame);
        if (!isType(frame, "result") || frame["statusCode"] !== "00" || transId === frame["requestId"]) return frame;
        wire.say(frame);
        return signedAgain({ ...frame, statusCode: "11", responseCode: "05" });
      },
    };
  }),
  broken(
    "comes back at once when another one took its place",
    ["replaced"],
    () => ({ closeCode: (code) => (code === 4001 ? 1006 : code) }),
    { only: ["login", "replaced"], patient: true },
  ),
  broken(
    "loses its memory when it is switched off",
    ["restart-memory", "restart-result", "restart-before-card", "restart-number", "restart-at-host", "one-memory"],
    () => ({ storeAfterRestart: () => new MemoryStore() }),
  ),
  broken(
    "takes a payment for approved that was cut off before the card",
    ["restart-before-card", "restart-at-host", "charges"],
    () => ({
      ...saying("result", (frame) =>
        frame["responseCode"] === "25" ? { ...frame, statusCode: "00", responseCode: "00" } : frame,
      ),
      storeAfterRestart: atHost,
    }),
    { also: ["restart-memory", "restart-result", "restart-before-card", "restart-number", "restart-at-host"] },
  ),
]);
