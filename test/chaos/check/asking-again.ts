/** I3: the same request sent again joins, asks or replays, and a used reference is never taken for something else. */
import { isRefused, outcomeText, statusAnswer, type StatusAnswer, termsOf, typeOf, unsignedText } from "./calls.ts";
import { perReference, type Sentence, sentences } from "./check.ts";
import type { Reference } from "./references.ts";
import { HUNG_UP } from "../wire/http.ts";
import { textAt } from "./wire.ts";

function finals(reference: Reference): StatusAnswer[] {
  return reference.shown.flatMap(({ answer }) => (answer !== null && answer.status !== "22" ? [answer] : []));
}

const USED_OTHERWISE = "40009";

/** The longest waits that the contract allows, and a second for the way, milliseconds. */
const LONGEST_WAIT = { payment: 91_000, void: 91_000, cancel: 11_000, question: 11_000 } as const;

export const askingAgain: readonly Sentence[] = [
  ...perReference("I3", {
    "The same request sent again gets the same 00 or 11, byte for byte except for the signature.": (
      check,
      reference,
    ) => {
      const first = new Map<string, StatusAnswer>();
      for (const one of finals(reference)) {
        if (one.call.sort === "question") continue;
        const request = termsOf(one.call);
        const earlier = first.get(request);
        if (earlier === undefined) {
          first.set(request, one);
          continue;
        }
        const says = `${reference.key}: the same request got two different answers.`;
        check.holds(unsignedText(one.answer) === unsignedText(earlier.answer), says, [earlier.line, one.line]);
      }
    },
    "Transfer, cancel, inquiry and getLast tell the same 00 or 11 with the same details.": (check, reference) => {
      const [first, ...others] = finals(reference);
      if (first === undefined) return;
      for (const one of others) {
        check.holds(
          outcomeText(one.answer) === outcomeText(first.answer),
          `${reference.key}: ${typeOf(first.call.asked)} and ${typeOf(one.call.asked)} were told different outcomes.`,
          [first.line, one.line],
        );
      }
    },
    "A used reference is taken for no other type, amount or terminal.": (check, reference) => {
      const terms = new Set(reference.transfers.map(termsOf));
      // Whatever is sent under a reference that was cancelled before it came gets the answer of that cancel.
      if (terms.size < 2 || reference.mayBeTombstone) return;
      const taken = new Map(
        reference.transfers.flatMap((call) => {
          const answer = statusAnswer(call);
          return answer === null ? [] : [[termsOf(call), answer] as const];
        }),
      );
      const lines = [...taken.values()].flatMap(({ call, line }) => [call.asked, line]);
      check.holds(taken.size <= 1, `${reference.key} was taken for ${taken.size} different requests.`, lines);
    },
    "The same request is never refused as another one.": (check, reference) => {
      const answered = reference.transfers.flatMap((call) => statusAnswer(call) ?? []);
      for (const call of reference.transfers) {
        const earlier = answered.find((one) => one.line.line < call.asked.line && termsOf(one.call) === termsOf(call));
        if (earlier === undefined || call.end?.kind !== "till.answered") continue;
        const { end } = call;
        check.holds(
          !isRefused(call) || textAt(end.answer, "code") !== USED_OTHERWISE,
          `${reference.key}: a request that had been answered was refused as another one.`,
          [earlier.line, call.asked, end],
        );
      }
    },
  }),
  ...sentences("I3", {
    "After the faults, every request is answered, and none with a 500.": (check, history) => {
      for (const { asked, end, sort } of history.calls) {
        if (!history.isAfterQuiet(asked)) continue;
        const waited = (end?.at ?? history.end) - asked.at;
        const isGivenUp = end === null || (end.kind === "till.unanswered" && end.why === HUNG_UP);
        const got = end?.kind === "till.answered" ? `status ${end.status}` : "no answer";
        const isAnswered = end?.kind === "till.answered" && end.status < 500;
        if (isGivenUp && waited < LONGEST_WAIT[sort]) {
          check.leaves("its till hung up before the time that the contract allows");
        } else check.holds(isAnswered, `${asked.posId} got ${got} to ${typeOf(asked)}.`, [asked, end]);
      }
    },
    "While nothing disturbs, a transfer is answered within 90 s, a cancel or inquiry within 10 s.": (
      check,
      { calls, faults },
    ) => {
      for (const { asked, end, sort } of calls) {
        const until = end?.at ?? asked.at + LONGEST_WAIT[sort];
        if (!faults.isQuiet(asked.at, until)) check.leaves("a fault was active, or had just ended");
        else if (faults.mayHaveStalled(asked.at, until)) {
          check.leaves("nothing at all was written for five seconds: the machine may have stood still");
        } else if (end?.kind === "till.answered") {
          const says = `${asked.posId} waited ${((end.at - asked.at) / 1000).toFixed(1)} s for its ${typeOf(asked)}.`;
          check.holds(end.at - asked.at <= LONGEST_WAIT[sort], says, [asked, end]);
        }
      }
    },
  }),
];
