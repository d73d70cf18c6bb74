/** What only the whole run shows: every frame is held against the rules. */
import { terminalFrame } from "../../../terminal/frames.ts";
import { verifySignature } from "../../../signing/signature.ts";
import { KEPT, blocked, broken, keptUnless, leftOut } from "../../step.ts";
import type { Step, Verdict } from "../../step.ts";
import { described, textOf, typeOf } from "../heard.ts";
import type { Heard } from "../heard.ts";
import { isFinal } from "../exchange.ts";
import { openOf } from "../line.ts";
import { repeatedLogins, wrongSignature } from "../judge/greeting.ts";
import { cardDataProblems } from "../judge/result.ts";
import { onLine } from "../scene.ts";
import type { TerminalScene } from "../scene.ts";

/** A step that looks at everything that was heard. */
function overAll(
  step: Omit<Step<TerminalScene>, "run"> & { judge: (heard: readonly Heard[], scene: TerminalScene) => Verdict },
): Step<TerminalScene> {
  const { judge, ...rest } = step;
  return {
    ...rest,
    async run(scene) {
      const { items } = scene.options.counterpart.heard;
      return items.length === 0 ? blocked("nothing was heard") : judge(items, scene);
    },
  };
}

function different(problems: readonly string[]): string[] {
  return [...new Set(problems)].slice(0, 5);
}

const frames = overAll({
  name: "frames",
  title: "Says nothing but frames of the protocol",
  duty: "JSON texts with a type and its members, the bare texts ping and pong, one hello per connection; numbers are plain integers.",
  harm: "After ten frames that the gateway cannot read it closes the connection (4003); what stood in them is lost.",
  mend: "Compare the frames with the table of the protocol.",
  judge(heard) {
    const hellos = new Map<number, number>();
    const problems = heard.flatMap((one) => {
      if (one.text === "ping" || one.text === "pong") return [];
      if (typeOf(one) === "hello") {
        hellos.set(one.connection, (hellos.get(one.connection) ?? 0) + 1);
        // Its members are judged by a step of their own.
        return hellos.get(one.connection) === 1 ? [] : ["a second hello on one connection"];
      }
      // Its stages are, too.
      if (typeOf(one) === "progress") return [];
      if (one.frame === null) return ["a text that is no JSON object as the service takes it"];
      const parsed = terminalFrame.safeParse(one.frame);
      if (parsed.success) return [];
      return parsed.error.issues.map(
        ({ path }) => `${described(one)}: ${path.join(".") || "its type"} is not as it must be`,
      );
    });
    return keptUnless(different(problems), "frames of the protocol");
  },
});

const STAGES = ["present", "reading", "pin", "scan", "authorising", "printing"];

const progress = overAll({
  name: "progress",
  title: "Tells stages that tills know, of the payment at work",
  duty: "progress carries one of present, reading, pin, scan, authorising, printing, for a request that is accepted and has not ended. It is optional.",
  harm: "The gateway cannot read the frame; ten of them close the connection.",
  mend: "Map your own stages to these six, and send none after the final result.",
  judge(heard) {
    const told = heard.filter((one) => typeOf(one) === "progress");
    if (told.length === 0) return leftOut("it told none, which it may");
    const accepted = new Set<string>();
    const ended = new Set<string>();
    const problems = heard.flatMap((one) => {
      const requestId = textOf(one.frame, "requestId");
      if (typeOf(one) === "accepted") accepted.add(requestId);
      // Its accepted was lost with a connection.
      if (typeOf(one) === "hello") for (const open of openOf(one.frame) ?? []) accepted.add(open);
      if (isFinal(one)) ended.add(requestId);
      if (typeOf(one) !== "progress") return [];
      const stage = textOf(one.frame, "stage");
      return [
        ...(STAGES.includes(stage) ? [] : [`stage “${stage}”`]),
        ...(accepted.has(requestId) ? [] : [`stage ${stage} of a request that was not accepted`]),
        ...(ended.has(requestId) ? [`stage ${stage} of a request that had ended`] : []),
      ];
    });
    return keptUnless(different(problems), "the six stages, while a payment is at work");
  },
});

const resultSignatures = overAll({
  name: "result-signature",
  title: "Signs every result",
  duty: "Each result is signed with the terminal's secret, over all of its members, when it is sent.",
  harm: "The gateway takes no result: the customer has paid, and the till never learns of it.",
  mend: "Sign the frame exactly as it is sent, as the last thing before it leaves.",
  judge(heard, scene) {
    const results = heard.filter((one) => typeOf(one) === "result");
    if (results.length === 0) return blocked("there was no result");
    const wrong = results.flatMap(({ frame }) =>
      frame !== null && !verifySignature(frame, scene.options.secret) ? [frame] : [],
    );
    const [first] = wrong;
    if (first === undefined) return KEPT;
    return broken("every result is signed", `${wrong.length} of ${results.length} are not: ${wrongSignature(first)}`);
  },
});

const cardData = overAll({
  name: "card-data",
  title: "Sends no card number, track, PIN or verification code",
  duty: "cardNo shows the last four digits alone; no frame holds a full card number, track data, a PIN or a verification code.",
  harm: "The card numbers of the shop's customers lie in systems that are not allowed to have them.",
  mend: "Mask cardNo in the terminal, and pass on no texts of card or host unseen.",
  judge(heard) {
    return keptUnless(
      different(heard.flatMap(({ frame }) => (frame === null ? [] : cardDataProblems(frame)))),
      "no such data",
    );
  },
});

const oneMemory = overAll({
  name: "one-memory",
  title: "Names the same memory in every hello",
  duty: "memory is drawn once, when the terminal's store is created, and stays.",
  harm: "The gateway takes every reconnection for another device: payments stay open until the operator settles them.",
  mend: "Store the id beside the requests, and never draw it anew.",
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
  duty: "00 and 11 are final: a terminal that has said one of them never says anything else of that request.",
  harm: "The till has handed over the goods, or sent the customer away, on the strength of the first one.",
  mend: "Store the first final result, and answer nothing else from then on; say 22 as long as a payment may become 00.",
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
    return keptUnless(different(problems), "the first final result stays");
  },
});

const loginsAnew: Step<TerminalScene> = {
  name: "logins-anew",
  title: "Signs every login anew",
  duty: "A login is good once. Each is signed when it is sent, also where the answer to the one before was lost; a random nonce tells two of the same second apart.",
  harm: "The gateway refuses a login that it has seen (401): the terminal stays offline until it signs another one.",
  mend: "Make the message anew for every call, with the time of the moment and a nonce of at most 64 random characters.",
  async run(scene) {
    const { items } = scene.options.counterpart.logins;
    if (items.length === 0) return blocked("the terminal never logged in (see “login”)");
    if (items.length === 1) return leftOut("it logged in once only");
    const repeated = repeatedLogins(items);
    return repeated === 0 ? KEPT : broken("logins that differ", `${repeated} of ${items.length} repeat an earlier one`);
  },
};

const receipts = onLine({
  name: "receipt",
  title: "Prints reference and copies as asked",
  duty: "The receipt shows referenceLabel, or “POS Ref” without one, with the referenceId; printCount copies are printed, two without it.",
  harm: "Shop and customer cannot find the purchase that a receipt belongs to.",
  mend: "Print label and reference on every receipt; 0 none, 1 the merchant's copy, 2 both.",
  async run(scene) {
    const { tester } = scene.options;
    if (!tester.present) return leftOut("nobody is there to look at a receipt (--interactive)");
    const line = await scene.line();
    if (line === null) return blocked("the terminal is not connected");
    const { amounts, patience } = scene.options;
    const transData = { transAmt: amounts.approve, paymentMethod: "bankCard", printCount: 1 };
    const sale = scene.begin(line, "approve", { referenceLabel: "Table 4", transData });
    if ((await sale.outcome(patience.payment)) === null) return blocked("the sale came to no final result");
    const reference = textOf(sale.request, "referenceId");
    const right = await tester.confirm(`Did it print one receipt, with “Table 4” and ${reference}?`);
    return right === false ? broken(`one receipt with “Table 4” and ${reference}`, "another one, or none") : KEPT;
  },
});

export const WHOLE = [loginsAnew, frames, progress, resultSignatures, cardData, oneMemory, finalStays];
export const BY_EYE = [receipts];
