/** I6: no secret and no card number where it must not be, and nothing of one account for another. */
import { statusAnswer, typeOf } from "./calls.ts";
import { sentences } from "./check.ts";
import type { History, Line } from "./history.ts";
import type { Wire } from "../journal.ts";
import { objectAt, textAt, textsIn } from "./wire.ts";
import { isLuhnValid } from "../wire/values.ts";

/** Whether a text has the name of another account as a word of its own. */
function namesOther(text: string, posId: string, accounts: ReadonlySet<string>): boolean {
  const words = text.replace(/^evt_(.+)_[0-9]+$/u, "$1").match(/[A-Za-z0-9._-]+/gu) ?? [];
  return words.map((word) => word.replace(/[.]+$/u, "")).some((word) => word !== posId && accounts.has(word));
}

/** Names of free texts, where card numbers are masked; structured numbers keep their digits. */
const FREE_TEXTS = new Set([
  "note",
  "metadata",
  "responseText",
  "cardHoldersName",
  "cardLabel",
  "referenceLabel",
  "softwareVersion",
  "terminalSn",
  "message",
]);

function hasCardNumber(text: string): boolean {
  const candidates = text.match(/[3-6](?:[ -]?[0-9]){12,18}/gu) ?? [];
  return candidates.some((one) => isLuhnValid(one.replaceAll(/[ -]/gu, "")));
}

function* told(history: History): Generator<{ posId: string; wire: Wire; line: Line }> {
  for (const { asked, end } of history.calls) {
    if (end?.kind === "till.answered" && end.answer !== null) yield { posId: asked.posId, wire: end.answer, line: end };
  }
  for (const line of history.of("feed.read")) {
    for (const wire of line.events) yield { posId: line.posId, wire, line };
  }
  for (const line of history.of("webhook.received")) yield { posId: line.posId, wire: line.event, line };
}

export const nothingLeaks = sentences("I6", {
  "No password, token, key or card number is in the log or in storage.": (check, history) => {
    for (const line of history.of("searched")) {
      if (
        (line.bytes === 0 || line.needles === 0) &&
        check.leaves(`a search of ${line.place} without anything to search`)
      )
        continue;
      check.holds(line.found.length === 0, `${line.place} holds ${line.found.join(", ")}.`, [line]);
    }
  },
  "Every outcome and every delivery has a valid signature.": (check, history) => {
    for (const { asked, end } of history.calls) {
      if (end?.kind !== "till.answered" || end.status !== 200) continue;
      const says = `${asked.posId} got an answer ${end.signed === null ? "without a" : "with a wrong"} signature.`;
      check.holds(end.signed === true, says, [asked, end]);
    }
    for (const line of history.of("webhook.received")) {
      check.holds(line.signed, `${line.posId} got a delivery with a wrong signature.`, [line]);
    }
  },
  "An answer is about what was asked: account, terminal, reference, and the one named.": (check, history) => {
    for (const call of history.calls) {
      const found = statusAnswer(call);
      if (found === null) continue;
      const { asked } = call;
      const { answer, line } = found;
      const wrong = ["posId", "deviceId", "referenceId"].find((name) => answer[name] !== asked.request[name]);
      const named = textAt(asked.request, "transData", "referenceId");
      const number = textAt(asked.request, "transData", "transId");
      const original = textAt(answer, "originalReferenceId");
      const isOther =
        (named !== null && original !== null && original !== named) ||
        (call.sort === "question" && number !== null && textAt(answer, "transData", "transId") !== number);
      const says = `${asked.posId} asked by ${typeOf(asked)} and was told of another ${wrong ?? "transaction"}.`;
      check.holds(wrong === undefined && !isOther, says, [asked, line]);
    }
  },
  "Nothing that an account is told names another account or its transactions.": (check, history) => {
    const accounts = new Set([...(history.run?.accounts ?? []), ...history.calls.map(({ asked }) => asked.posId)]);
    for (const { posId, wire, line } of told(history)) {
      const foreign = [...textsIn(wire)].find(({ text }) => namesOther(text, posId, accounts));
      const requestId =
        textAt(objectAt(wire, "data") ?? objectAt(wire, "transData"), "requestId") ??
        textAt(wire, "transData", "transId");
      const owner = history.byRequestId(requestId)?.posId ?? posId;
      const says = `${posId} was told of ${foreign?.text ?? `transaction ${requestId} of ${owner}`}.`;
      check.holds(foreign === undefined && owner === posId, says, [line]);
    }
  },
  "A card number is told with at most its last four digits.": (check, history) => {
    const rows = [...history.rows.values()].map(({ row, line }) => ({ wire: row, line }));
    for (const { wire, line } of [...told(history), ...rows]) {
      const shown = [...textsIn(wire)].find(({ name, text }) =>
        name === "cardNo" ? !/^[^0-9]*[0-9]{0,4}$/u.test(text) : FREE_TEXTS.has(name) && hasCardNumber(text),
      );
      check.holds(shown === undefined, `${shown?.name} shows a card number.`, [line]);
    }
  },
});
