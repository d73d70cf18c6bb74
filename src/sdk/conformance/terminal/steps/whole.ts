/** Steps that check every frame of the run. */
import { err, ok } from "../../../../protocol/result.ts";
import { PROGRESS_STAGES } from "../../../../protocol/frames.ts";
import { terminalFrame } from "../../../../protocol/terminal-frames.ts";
import { verifySignature } from "../../../../protocol/signing/signature.ts";
import { dataOf, textOf } from "../../message.ts";
import {
  blockedVerdict,
  keptIf,
  keptIfSigned,
  keptThroughout,
  leftOutVerdict,
  stepsWith,
  type PossibleProblems,
  type KitStep,
} from "../../step.ts";
import { keptIfAllCharged } from "../charges.ts";
import {
  cardDataProblems,
  describeFrame,
  isBeat,
  isFinal,
  openOf,
  repeatedLogins,
  frameStatus,
  typeOf,
  type Heard,
} from "../judge.ts";
import { anyTime, type TerminalScene } from "../scene.ts";

const overAll = stepsWith(async (scene: TerminalScene) => {
  const { heard, secret } = scene.options.counterpart;
  return heard.items.length === 0 ? err(blockedVerdict("nothing was received")) : ok({ heard: heard.items, secret });
});

function frameProblems(one: Heard): string[] {
  // Separate steps check the members of hello and the stages of progress.
  if (isBeat(one) || typeOf(one) === "hello" || typeOf(one) === "progress") return [];
  if (one.frame === null) return ["a text that is not a JSON object the service accepts"];
  const issues = terminalFrame.safeParse(one.frame).error?.issues ?? [];
  return issues.map(({ path }) => `${describeFrame(one)}: ${path.join(".")} is invalid`);
}

/** Stages may come only between `accepted` and the final result. */
function stageProblems(heard: readonly Heard[]): PossibleProblems {
  const accepted = new Set<string>();
  const ended = new Set<string>();
  return heard.flatMap((one) => {
    const requestId = textOf(one.frame, "requestId");
    if (typeOf(one) === "accepted") accepted.add(requestId);
    // Its `accepted` may have been lost with a connection.
    if (typeOf(one) === "hello") for (const open of openOf(one.frame) ?? []) accepted.add(open);
    if (isFinal(one)) ended.add(requestId);
    if (typeOf(one) !== "progress") return [];
    const stage = textOf(one.frame, "stage");
    return [
      !PROGRESS_STAGES.some((known) => known === stage) && `stage “${stage}”`,
      !accepted.has(requestId) && `stage ${stage} for a request that was not accepted`,
      ended.has(requestId) && `stage ${stage} for a finished request`,
    ];
  });
}

function hasPaymentDetails(one: Heard): boolean {
  return frameStatus(one) === "00" && Object.keys(dataOf(one.frame ?? {})).length > 0;
}

export const TERMINAL_WHOLE_STEPS: readonly KitStep<TerminalScene>[] = [
  anyTime({
    name: "charges",
    title: "Charges what it reports, once",
    duty: "For each 00 the host has one charge, and for each 11 none: also after a lost connection, a restart, a cancel and a repeated request.",
    harm: "The customer pays twice, or has paid and the POS shows that no money moved.",
    fix: "Find the request by its referenceId in the terminal's log and at the host. Report only what the host has confirmed.",
    judge: ({ scene, countCharges }) => keptIfAllCharged(countCharges, scene.exchanges),
  }),
  anyTime({
    name: "logins-anew",
    title: "Signs every login again",
    duty: "A login is valid once. The terminal signs each login when it sends it, also after a lost answer. A random nonce distinguishes two logins of the same second.",
    harm: "The gateway rejects a login that it has seen before (401). The terminal stays offline until it signs another.",
    fix: "Create a new message for every call, with the current time and a nonce of at most 64 random characters.",
    judge({ counterpart }) {
      const { items } = counterpart.logins;
      if (items.length === 0) return blockedVerdict("the terminal did not log in (see “login”)");
      if (items.length === 1) return leftOutVerdict("it logged in only once");
      const repeated = repeatedLogins(items);
      return keptIf(repeated === 0, "logins that differ", `${repeated} of ${items.length} repeat an earlier one`);
    },
  }),
  overAll({
    name: "frames",
    title: "Sends only frames of the protocol",
    duty: "The terminal sends JSON texts with a type and its members, the plain texts ping and pong, and one hello per connection. Numbers are plain integers.",
    harm: "The gateway closes the connection after ten unreadable frames (4003). Their content is lost.",
    fix: "Compare the frames with the protocol's table.",
    judge({ heard }) {
      const greeted = heard.filter((one) => typeOf(one) === "hello").map(({ connection }) => connection);
      const repeats = new Set(greeted).size < greeted.length && "a second hello on one connection";
      return keptThroughout([repeats, ...heard.flatMap(frameProblems)], "frames of the protocol");
    },
  }),
  overAll({
    name: "progress",
    title: "Sends only known stages, for the payment in progress",
    duty: "progress has one of the stages present, reading, pin, scan, authorising, printing, for a request that is accepted and not finished. It is optional.",
    harm: "The gateway cannot read the frame. After ten of them it closes the connection.",
    fix: "Map your stages to these six, and send none after the final result.",
    judge({ heard }) {
      if (!heard.some((one) => typeOf(one) === "progress")) return leftOutVerdict("it sent none, which is allowed");
      return keptThroughout(stageProblems(heard), "the six stages, while a payment is in progress");
    },
  }),
  overAll({
    name: "result-signature",
    title: "Signs every result",
    duty: "The terminal signs each result with its secret over all members when it sends it.",
    harm: "The gateway rejects every result. The customer has paid, and the POS never learns the outcome.",
    fix: "Sign the complete frame right before you send it.",
    judge({ heard, secret }) {
      const results = heard.flatMap(({ frame }) => (frame?.["type"] === "result" ? [frame] : []));
      if (results.length === 0) return blockedVerdict("there was no result");
      const wrong = results.filter((frame) => !verifySignature(frame, secret));
      return keptIfSigned(results.length, wrong, "every result is signed");
    },
  }),
  overAll({
    name: "card-data",
    title: "Sends no card number, track, PIN or verification code",
    duty: "cardNo shows the last four digits only. No frame contains a full card number, track data, a PIN or a verification code.",
    harm: "Customers' card numbers end up in systems that must not store them.",
    fix: "Mask cardNo in the terminal, and check every text from card or host before you pass it on.",
    judge({ heard }) {
      const problems = heard.flatMap(({ frame }) => cardDataProblems(frame ?? {}));
      // Until a payment was approved, nothing that was received could have contained such data.
      if (problems.length === 0 && !heard.some(hasPaymentDetails))
        return blockedVerdict("there was no 00 with transData");
      return keptThroughout(problems, "no such data");
    },
  }),
  overAll({
    name: "one-memory",
    title: "Sends the same memory in every hello",
    duty: "memory is created once, together with the terminal's store, and never changes.",
    harm: "The gateway treats every reconnection as another device. Payments stay open until the operator resolves them.",
    fix: "Store the id with the requests, and never replace it.",
    judge({ heard }) {
      const hellos = heard.filter((one) => typeOf(one) === "hello");
      const { size } = new Set(hellos.map(({ frame }) => textOf(frame, "memory")));
      return keptIf(size <= 1, "one memory", `${size} different ones`);
    },
  }),
  overAll({
    name: "final",
    title: "Never changes a 00 or 11",
    duty: "00 and 11 are final. After one of them, the terminal never sends another status for that request.",
    harm: "The shop has already acted on the first one: the customer has left, with or without the goods.",
    fix: "Store the first final result, and send only that from then on. Send 22 as long as a payment may become 00.",
    judge({ heard }) {
      if (!heard.some(isFinal)) return blockedVerdict("there was no 00 or 11");
      const said = new Map<string, string>();
      const problems = heard.map((one) => {
        const [requestId, status] = [textOf(one.frame, "requestId"), frameStatus(one)];
        const before = said.get(requestId) ?? status;
        if (isFinal(one)) said.set(requestId, before);
        return typeOf(one) === "result" && before !== status && `${before}, then ${status}`;
      });
      return keptThroughout(problems, "the first final result never changes");
    },
  }),
];

export const BY_EYE: readonly KitStep<TerminalScene>[] = [
  anyTime({
    name: "receipt",
    title: "Prints the reference and the requested copies",
    duty: "The receipt shows the referenceId, labelled with referenceLabel or “POS Ref”. The terminal prints printCount copies, two by default.",
    harm: "Shop and customer cannot match a receipt to its purchase.",
    fix: "Print label and reference on every receipt. printCount 0 prints none, 1 the merchant's copy, 2 both.",
    async judge({ scene, tester, amounts, patience }) {
      if (!tester.present) return leftOutVerdict("nobody is there to look at a receipt (use --interactive)");
      const line = await scene.line();
      if (line === null) return blockedVerdict("the terminal is not connected");
      const transData = { transAmt: amounts.approve, paymentMethod: "bankCard", printCount: 1 };
      const sale = scene.begin(line, "approve", { referenceLabel: "Table 4", transData });
      if ((await sale.outcome(patience.payment)) === null) return blockedVerdict("the sale had no final result");
      const receipt = `one receipt with “Table 4” and ${textOf(sale.request, "referenceId")}`;
      const right = await tester.confirm(`Did it print ${receipt}?`);
      return keptIf(right !== false, receipt, "another receipt, or none");
    },
  }),
];
