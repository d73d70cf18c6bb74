/** I1: one reference of one account is processed at most once, over all terminals. */
import { typeOf } from "./calls.ts";
import { Check, type CheckResult } from "./check.ts";
import type { History } from "./history.ts";
import type { TerminalEnded, TerminalLine } from "./lines.ts";
import type { Reference } from "./references.ts";
import { hundredths, textAt } from "./wire.ts";

export function atMostOnce(history: History): CheckResult[] {
  const references = [...history.references.values()].filter(({ terminal }) => terminal.length > 0);
  return [
    startedOnce(references),
    movedOnce(references),
    voidedOnce(history),
    asked(references),
    oneNumber(references),
    asMuchAsAsked(history, references),
  ].map(({ result }) => result);
}

function startedOnce(references: readonly Reference[]): Check {
  const check = new Check("I1", "A reference is started at most once, over all terminals and restarts.");
  for (const reference of references) {
    const starts = reference.of("terminal.started");
    check.holds(
      starts.length <= 1,
      () => `${reference.key} was started ${starts.length} times: ${starts.map(numberAtTerminal).join(", ")}.`,
      () => starts,
    );
  }
  return check;
}

function movedOnce(references: readonly Reference[]): Check {
  const check = new Check("I1", "Money moves at most once for a reference.");
  for (const { key, moved } of references) {
    check.holds(
      moved.length <= 1,
      () => `For ${key} money moved ${moved.length} times: ${moved.map(numberAtTerminal).join(", ")}.`,
      () => moved,
    );
  }
  return check;
}

function voidedOnce(history: History): Check {
  const check = new Check("I1", "A payment is voided at most once.");
  const voids = new Map<string, { reference: Reference; ended: TerminalEnded }[]>();
  for (const reference of history.references.values()) {
    const target = voidedNumber(reference);
    if (target === null) continue;
    for (const ended of reference.moved) voids.set(target, [...(voids.get(target) ?? []), { reference, ended }]);
  }
  for (const [target, done] of voids) {
    // An operator who decided that the first was not done allows a second, as the gateway then does.
    const counted = done.filter(({ reference }) => !reference.mayBeDecided("11", Infinity));
    if (counted.length < done.length) check.leaves("an operator decided that a void was not done");
    check.holds(
      counted.length <= 1,
      () =>
        `Payment ${target} was voided ${counted.length} times: ${counted.map(({ reference }) => reference.key).join(", ")}.`,
      () => done.map(({ ended }) => ended),
    );
  }
  return check;
}

function asked(references: readonly Reference[]): Check {
  const check = new Check("I1", "A terminal gets only what a till has asked for, of the same type, for this terminal.");
  for (const reference of references) {
    for (const line of reference.of("terminal.received")) {
      const isAsked = reference.transfers.some(
        (call) =>
          call.asked.line < line.line &&
          typeOf(call.asked) === line.transType &&
          textAt(call.asked.request, "deviceId") === line.terminalId,
      );
      check.holds(
        isAsked,
        () => `${line.terminalId} got ${line.transType} ${reference.key}, which no till had asked it for.`,
        () => [line],
      );
    }
  }
  return check;
}

function oneNumber(references: readonly Reference[]): Check {
  const check = new Check("I1", "A requestId belongs to one transaction of one terminal.");
  const owners = new Map<string, { owner: string; line: TerminalLine }>();
  for (const { terminal, key } of references) {
    for (const line of terminal) {
      const owner = `${line.terminalId} ${key}`;
      const known = owners.get(line.requestId);
      if (known?.owner === owner) continue;
      check.holds(
        known === undefined,
        () => `requestId ${line.requestId} is used for ${known?.owner} and for ${owner}.`,
        () => [known?.line, line],
      );
      if (known === undefined) owners.set(line.requestId, { owner, line });
    }
  }
  return check;
}

function asMuchAsAsked(history: History, references: readonly Reference[]): Check {
  const check = new Check("I1", "The customer is charged, or paid back, exactly what a till asked for.");
  for (const reference of references) {
    for (const ended of reference.moved) {
      const amounts = askedAmounts(history, reference);
      if (amounts.length === 0) {
        check.leaves("a void of a payment that is not in the journal");
        continue;
      }
      check.holds(
        amounts.includes(ended.moved),
        () => `For ${reference.key} ${ended.moved} hundredths moved; asked for: ${amounts.join(", ")}.`,
        () => [reference.transfers[0]?.asked, ended],
      );
    }
  }
  return check;
}

/** Hundredths that a till asked to move under this reference; several if it asked for different amounts. */
function askedAmounts(history: History, reference: Reference): number[] {
  return reference.transfers.flatMap(({ sort, asked: { request } }) => {
    if (sort === "payment") {
      const [amount, cash] = ["transAmt", "cashAmt"].map((name) => hundredths(textAt(request, "transData", name)));
      return [(amount ?? 0) + (cash ?? 0)];
    }
    const target = history.byRequestId(textAt(request, "transData", "transId"));
    return target === null ? [] : target.moved.map(({ moved }) => -moved);
  });
}

/** The payment that a void's till named. */
function voidedNumber({ transfers }: Reference): string | null {
  const found = transfers.find(({ sort }) => sort === "void");
  return found === undefined ? null : textAt(found.asked.request, "transData", "transId");
}

function numberAtTerminal({ requestId, terminalId }: TerminalLine): string {
  return `${requestId} at ${terminalId}`;
}
