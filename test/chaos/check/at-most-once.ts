/** I1: one reference of one account is processed at most once, over all terminals. */
import { typeOf } from "./calls.ts";
import { type Check, perReference, type Sentence, sentences } from "./check.ts";
import type { History, TerminalLine } from "./history.ts";
import type { Reference } from "./references.ts";
import { amounts, textAt } from "./wire.ts";

/** Hundredths that a till asked to move under this reference; several if it asked for different amounts. */
function askedAmounts(history: History, reference: Reference): number[] {
  return reference.transfers.flatMap(({ sort, asked: { request } }) => {
    if (sort === "payment") {
      return [amounts(request)];
    }
    const target = history.byRequestId(textAt(request, "transData", "transId"));
    return target === null ? [] : target.moved.map(({ moved }) => -moved);
  });
}

function voidedNumber({ transfers }: Reference): string | null {
  const found = transfers.find(({ sort }) => sort === "void");
  return found === undefined ? null : textAt(found.asked.request, "transData", "transId");
}

function atMost(check: Check, { key, terminal }: Reference, what: string, lines: readonly TerminalLine[]): void {
  if (terminal.length === 0) return;
  const where = lines.map(({ requestId, terminalId }) => `${requestId} at ${terminalId}`);
  check.holds(lines.length <= 1, `${key}: ${what} ${lines.length} times: ${where.join(", ")}.`, lines);
}

export const atMostOnce: readonly Sentence[] = [
  ...perReference("I1", {
    "A reference is started at most once, over all terminals and restarts.": (check, reference) => {
      atMost(check, reference, "it was started", reference.of("terminal.started"));
    },
    "Money moves at most once for a reference.": (check, reference) => {
      atMost(check, reference, "money moved", reference.moved);
    },
    "A terminal gets only what a till has asked for, of the same type, for this terminal.": (check, reference) => {
      for (const line of reference.of("terminal.received")) {
        const isAsked = reference.transfers.some(
          (call) =>
            call.asked.line < line.line &&
            typeOf(call.asked) === line.transType &&
            textAt(call.asked.request, "deviceId") === line.terminalId,
        );
        const says = `${line.terminalId} got ${line.transType} ${reference.key}, which no till had asked it for.`;
        check.holds(isAsked, says, [line]);
      }
    },
    "The customer is charged, or paid back, exactly what a till asked for.": (check, reference, history) => {
      for (const ended of reference.moved) {
        const asked = askedAmounts(history, reference);
        if (asked.length === 0 && check.leaves("a void of a payment that is not in the journal")) continue;
        const says = `For ${reference.key} ${ended.moved} hundredths moved; asked for: ${asked.join(", ")}.`;
        check.holds(asked.includes(ended.moved), says, [reference.transfers[0]?.asked, ended]);
      }
    },
  }),
  ...sentences("I1", {
    "A payment is voided at most once.": (check, history) => {
      const moved = [...history.references.values()].flatMap((reference) =>
        reference.moved.map((ended) => ({ reference, ended })),
      );
      for (const [target, done] of Map.groupBy(moved, ({ reference }) => voidedNumber(reference))) {
        if (target === null) continue;
        // An operator who decided that the first was not done allows a second, as the gateway then does.
        const counted = done.filter(({ reference }) => !reference.mayBeDecided("11", Infinity));
        if (counted.length < done.length) check.leaves("an operator decided that a void was not done");
        check.holds(
          counted.length <= 1,
          `Payment ${target} was voided ${counted.length} times: ${counted.map(({ reference }) => reference.key).join(", ")}.`,
          done.map(({ ended }) => ended),
        );
      }
    },
    "A requestId belongs to one transaction of one terminal.": (check, history) => {
      const owners = new Map<string, { owner: string; line: TerminalLine }>();
      for (const { terminal, key } of history.references.values()) {
        for (const line of terminal) {
          const owner = `${line.terminalId} ${key}`;
          const known = owners.get(line.requestId);
          if (known?.owner === owner) continue;
          const says = `requestId ${line.requestId} is used for ${known?.owner} and for ${owner}.`;
          check.holds(known === undefined, says, [known?.line, line]);
          if (known === undefined) owners.set(line.requestId, { owner, line });
        }
      }
    },
  }),
];
