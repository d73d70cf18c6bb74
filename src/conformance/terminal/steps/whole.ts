/** Steps that check every frame of the run. */
import { terminalFrame } from "../../../terminal/frames.ts";
import { verifySignature } from "../../../signing/signature.ts";
import { KEPT, blocked, broken, keptUnless, leftOut, type Step, type Verdict } from "../../step.ts";
import { described, textOf, typeOf, type Heard } from "../heard.ts";
import { isFinal } from "../exchange.ts";
import { openOf } from "../line.ts";
import { repeatedLogins, wrongSignature } from "../judge/greeting.ts";
import { cardDataProblems } from "../judge/result.ts";
import { onLine, type TerminalScene } from "../scene.ts";

/** A step that checks everything that the kit received. */
function overAll(
  step: Omit<Step<TerminalScene>, "run"> & { judge: (heard: readonly Heard[], scene: TerminalScene) => Verdict },
): Step<TerminalScene> {
  const { judge, ...rest } = step;
  return {
    ...rest,
    async run(scene) {
      const { items } = scene.options.counterpart.heard;
      return items.length === 0 ? blocked("nothing was received") : judge(items, scene);
    },
  };
}

function different(problems: readonly string[]): string[] {
  return [...new Set(problems)].slice(0, 5);
}

const frames = overAll({
  name: "frames",
  title: "Sends only frames of the protocol",
  duty: "The terminal sends JSON texts with a type and its members, the plain texts ping and pong, and one hello per connection. Numbers are plain integers.",
  harm: "The gateway closes the connection after ten unreadable frames (4003). Their content is lost.",
  fix: "Compare the frames with the protocol's table.",
  judge(heard) {
    const hellos = new Map<number, number>();
    const problems = heard.flatMap((one) => {
      if (one.text === "ping" || one.text === "pong") return [];
      if (typeOf(one) === "hello") {
        hellos.set(one.connection, (hellos.get(one.connection) ?? 0) + 1);
        // A separate step checks its members.
        return hellos.get(one.connection) === 1 ? [] : ["a second hello on one connection"];
      }
      // A separate step checks its stages.
      if (typeOf(one) === "progress") return [];
      if (one.frame === null) return ["a text that is not a JSON object the service accepts"];
      const parsed = terminalFrame.safeParse(one.frame);
      if (parsed.success) return [];
      return parsed.error.issues.map(({ path }) => `${described(one)}: ${path.join(".") || "its type"} is invalid`);
    });
    return keptUnless(different(problems), "frames of the protocol");
  },
});

const STAGES = ["present", "reading", "pin", "scan", "authorising", "printing"];

const progress = overAll({
  name: "progress",
  title: "Sends only known stages, for the payment in progress",
  duty: "progress has one of the stages present, reading, pin, scan, authorising, printing, for a request that is accepted and not finished. It is optional.",
  harm: "The gateway cannot read the frame. After ten of them it closes the connection.",
  fix: "Map your stages to these six, and send none after the final result.",
  judge(heard) {
    const told = heard.filter((one) => typeOf(one) === "progress");
    if (told.length === 0) return leftOut("it sent none, which is allowed");
    const accepted = new Set<string>();
    const ended = new Set<string>();
    const problems = heard.flatMap((one) => {
      const requestId = textOf(one.frame, "requestId");
      if (typeOf(one) === "accepted") accepted.add(requestId);
      // Its `accepted` may have been lost with a connection.
      if (typeOf(one) === "hello") for (const open of openOf(one.frame) ?? []) accepted.add(open);
      if (isFinal(one)) ended.add(requestId);
      if (typeOf(one) !== "progress") return [];
      const stage = textOf(one.frame, "stage");
      return [
        ...(STAGES.includes(stage) ? [] : [`stage “${stage}”`]),
        ...(accepted.has(requestId) ? [] : [`stage ${stage} for a request that was not accepted`]),
        ...(ended.has(requestId) ? [`stage ${stage} for a finished request`] : []),
      ];
    });
    return keptUnless(different(problems), "the six stages, while a payment is in progress");
  },
});

const resultSignatures = overAll({
  name: "result-signature",
  title: "Signs every result",
  duty: "The terminal signs each result with its secret over all members when it sends it.",
  harm: "The gateway rejects every result. The customer has paid, and the till never learns the outcome.",
  fix: "Sign the complete frame right before you send it.",
  judge(heard, scene) {
    const results = heard.filter((one) => typeOf(one) === "result");
    if (results.length === 0) return blocked("there was no result");
    const wrong = results.flatMap(({ frame }) =>
      frame !== null && !verifySignature(frame, scene.options.secret) ? [frame] : [],
    );
    const [first] = wrong;
    if (first === undefined) return KEPT;
    return broken(
      "every result is signed",
      `${wrong.length} of ${results.length} are not signed correctly: ${wrongSignature(first)}`,
    );
  },
});

const cardData = overAll({
  name: "card-data",
  title: "Sends no card number, track, PIN or verification code",
  duty: "cardNo shows the last four digits only. No frame contains a full card number, track data, a PIN or a verification code.",
  harm: "Customers' card numbers end up in systems that must not store them.",
  fix: "Mask cardNo in the terminal, and check every text from card or host before you pass it on.",
  judge(heard) {
    return keptUnless(
      different(heard.flatMap(({ frame }) => (frame === null ? [] : cardDataProblems(frame)))),
      "no such data",
    );
  },
});

const oneMemory = overAll({
  name: "one-memory",
  title: "Sends the same memory in every hello",
  duty: "memory is created once, together with the terminal's store, and never changes.",
  harm: "The gateway treats every reconnection as another device. Payments stay open until the operator resolves them.",
  fix: "Store the id with the requests, and never replace it.",
  judge(heard) {
    const memories = new Set(
      heard.filter((one) => typeOf(one) === "hello").map(({ frame }) => textOf(frame, "memory")),
    );
    return memories.size <= 1 ? KEPT : broken("one memory", `${memories.size} different ones`);
  },
});

const finalStays = overAll({
  name: "final",
  title: "Never changes a 00 or 11",
  duty: "00 and 11 are final. After one of them, the terminal never sends another status for that request.",
  harm: "The shop has already acted on the first one: the customer has left, with or without the goods.",
  fix: "Store the first final result, and send only that from then on. Send 22 as long as a payment may become 00.",
  judge(heard) {
    const said = new Map<string, string>();
    const problems = heard.flatMap((one) => {
      if (typeOf(one) !== "result") return [];
      const requestId = textOf(one.frame, "requestId");
      const statusCode = textOf(one.frame, "statusCode");
      const before = said.get(requestId);
      if (isFinal(one)) said.set(requestId, before ?? statusCode);
      return before === undefined || before === statusCode ? [] : [`${before}, then ${statusCode}`];
    });
    return keptUnless(different(problems), "the first final result never changes");
  },
});

const loginsAnew: Step<TerminalScene> = {
  name: "logins-anew",
  title: "Signs every login again",
  duty: "A login is valid once. The terminal signs each login when it sends it, also after a lost answer. A random nonce distinguishes two logins of the same second.",
  harm: "The gateway rejects a login that it has seen before (401). The terminal stays offline until it signs another.",
  fix: "Create a new message for every call, with the current time and a nonce of at most 64 random characters.",
  async run(scene) {
    const { items } = scene.options.counterpart.logins;
    if (items.length === 0) return blocked("the terminal did not log in (see “login”)");
    if (items.length === 1) return leftOut("it logged in only once");
    const repeated = repeatedLogins(items);
    return repeated === 0 ? KEPT : broken("logins that differ", `${repeated} of ${items.length} repeat an earlier one`);
  },
};

const receipts = onLine({
  name: "receipt",
  title: "Prints the reference and the requested copies",
  duty: "The receipt shows the referenceId, labelled with referenceLabel or “POS Ref”. The terminal prints printCount copies, two by default.",
  harm: "Shop and customer cannot match a receipt to its purchase.",
  fix: "Print label and reference on every receipt. printCount 0 prints none, 1 the merchant's copy, 2 both.",
  async run(scene) {
    const { tester } = scene.options;
    if (!tester.present) return leftOut("nobody is there to look at a receipt (use --interactive)");
    const line = await scene.line();
    if (line === null) return blocked("the terminal is not connected");
    const { amounts, patience } = scene.options;
    const transData = { transAmt: amounts.approve, paymentMethod: "bankCard", printCount: 1 };
    const sale = scene.begin(line, "approve", { referenceLabel: "Table 4", transData });
    if ((await sale.outcome(patience.payment)) === null) return blocked("the sale had no final result");
    const reference = textOf(sale.request, "referenceId");
    const right = await tester.confirm(`Did it print one receipt with “Table 4” and ${reference}?`);
    return right === false ? broken(`one receipt with “Table 4” and ${reference}`, "another receipt, or none") : KEPT;
  },
});

export const WHOLE = [loginsAnew, frames, progress, resultSignatures, cardData, oneMemory, finalStays];
export const BY_EYE = [receipts];
