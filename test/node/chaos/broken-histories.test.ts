/** Every check finds the run that breaks it, and no other check takes it for its own. */
import { describe, it } from "vitest";
import { judge } from "../../chaos/check/judge.ts";
import type { Entry, Happening, Wire } from "../../chaos/journal.ts";
import { summaryOf } from "../../chaos/check/report.ts";
import { correctDay, play } from "./correct-day.ts";
import * as scenes from "./scenes.ts";
import type { Story, Transaction } from "./story.ts";

interface Broken {
  /** Name of the test. */
  name: string;
  entries: () => Entry[];
  /** The sentences that are broken, each with what the checker says about it. */
  finds: Record<string, RegExp>;
}

type Members = Record<string, unknown>;

function isLike(entry: Entry, members: Members): boolean {
  return Object.entries(members).every(([name, value]) => (entry as unknown as Members)[name] === value);
}

/** The day with its first entry like this, or its last one, put differently. */
function changed(
  members: Members,
  change: (entry: Entry) => Entry[],
  { which = "first", entries = correctDay() }: { which?: "first" | "last" | "all"; entries?: Entry[] } = {},
): Entry[] {
  const found = [...entries.keys()].filter((index) => isLike(entries[index] as Entry, members));
  if (found.length === 0) throw new Error(`No entry is like ${JSON.stringify(members)}.`);
  const chosen = which === "all" ? found : [found.at(which === "first" ? 0 : -1) as number];
  return entries.flatMap((entry, index) => (chosen.includes(index) ? change(entry) : [entry]));
}

function withMembers(members: Members): (entry: Entry) => Entry[] {
  return (entry) => [{ ...entry, ...members }];
}

/** The answers about a reference, each changed. */
function withAnswers(
  posId: string,
  referenceId: string,
  change: (answer: Wire) => Partial<Extract<Entry, { kind: "till.answered" }>>,
  which: "first" | "last" | "all" = "first",
): Entry[] {
  const entries = correctDay();
  const calls = entries.flatMap((entry) =>
    entry.kind === "till.asked" && entry.posId === posId && entry.request["referenceId"] === referenceId
      ? [entry.call]
      : [],
  );
  const answers = entries.filter((entry) => entry.kind === "till.answered" && calls.includes(entry.call));
  const chosen = which === "all" ? answers : answers.slice(which === "first" ? 0 : -1).slice(0, 1);
  return entries.map((entry) =>
    chosen.includes(entry) && entry.kind === "till.answered" ? { ...entry, ...change(entry.answer ?? {}) } : entry,
  );
}

/** The day with a text replaced wherever an entry has it. */
function replaced(pattern: RegExp, by: string): Entry[] {
  const text = JSON.stringify(correctDay());
  const other = text.replaceAll(pattern, by);
  if (other === text) throw new Error(`Nothing matches ${pattern}.`);
  return JSON.parse(other) as Entry[];
}

function known(story: Story, key: string): Transaction {
  return story.transactions.get(key) as Transaction;
}

/** A line of a terminal's book about a transaction that exists in no other place. */
function stray(kind: "terminal.received" | "terminal.started", requestId: string, referenceId: string): Happening {
  return { kind, terminalId: "T-1", requestId, posId: "POS-1", referenceId, transType: "sale" };
}

function lastReadOf(posId: string, change: (events: readonly Wire[]) => readonly Wire[]): Entry[] {
  return changed({ kind: "feed.read", posId, after: 2 }, (entry) => [
    { ...entry, events: change((entry as Extract<Entry, { kind: "feed.read" }>).events) } as Entry,
  ]);
}

/** A row of the journal that gives another reason than the till was told. */
function withOtherCode(row: Wire): Wire {
  if (row["referenceId"] !== "DECLINED") return row;
  return { ...row, outcome: { ...(row["outcome"] as Wire), responseCode: "51" } };
}

const BROKEN: Broken[] = [
  {
    name: "a reference that a terminal started twice",
    entries: () => changed({ kind: "terminal.started", referenceId: "PAID" }, (entry) => [entry, entry]),
    finds: {
      "A reference is started at most once, over all terminals and restarts.": /POS-1\/PAID: it was started 2 times/u,
    },
  },
  {
    name: "money that moved twice for one reference",
    entries: () => changed({ kind: "terminal.ended", referenceId: "PAID" }, (entry) => [entry, entry]),
    finds: { "Money moves at most once for a reference.": /POS-1\/PAID: money moved 2 times/u },
  },
  {
    name: "a payment that was voided twice",
    entries: () => correctDay({ early: (story) => play(scenes.voidOf(story, "POS-1", "PAID", "VOID-2")) }),
    finds: {
      "A payment is voided at most once.": /voided 2 times: POS-1\/VOID, POS-1\/VOID-2/u,
      "A voided payment's newest event names its void.": /is voided by \d+, and does not say so/u,
    },
  },
  {
    name: "a request at a terminal that no till had asked for",
    entries: () => correctDay({ early: (story) => story.write(stray("terminal.received", "1999999999", "NOBODY")) }),
    finds: {
      "A terminal gets only what a till has asked for, of the same type, for this terminal.":
        /T-1 got sale POS-1\/NOBODY, which no till/u,
    },
  },
  {
    name: "a request at another terminal than the till named",
    entries: () => changed({ kind: "terminal.received", referenceId: "BUSY" }, withMembers({ terminalId: "T-9" })),
    finds: {
      "A terminal gets only what a till has asked for, of the same type, for this terminal.":
        /T-9 got sale POS-1\/BUSY/u,
      "A requestId belongs to one transaction of one terminal.": /used for T-9 POS-1\/BUSY and for T-1 POS-1\/BUSY/u,
    },
  },
  {
    name: "a requestId that was used for two transactions",
    entries: () => changed({ kind: "terminal.refused", referenceId: "BUSY" }, withMembers({ requestId: "1000000001" })),
    finds: {
      "A requestId belongs to one transaction of one terminal.":
        /requestId 1000000001 is used for T-1 POS-1\/PAID and for T-1 POS-1\/BUSY/u,
    },
  },
  {
    name: "a void that paid back another amount",
    entries: () => changed({ kind: "terminal.ended", referenceId: "VOID" }, withMembers({ moved: -1249 })),
    finds: {
      "The customer is charged, or paid back, exactly what a till asked for.":
        /-1249 hundredths moved; asked for: -1250/u,
    },
  },
  {
    name: "a payment that charged another amount than its till asked for and was told",
    entries: () => changed({ kind: "terminal.ended", referenceId: "CASH" }, withMembers({ moved: 2501 })),
    finds: {
      "The customer is charged, or paid back, exactly what a till asked for.":
        /2501 hundredths moved; asked for: 2500/u,
      "A 00 to a payment is for the amounts that this till asked for, in answer and terminal.":
        /asked for 2500 hundredths, told 2500, moved 2501/u,
    },
  },
  {
    name: "a 00 although no money moved",
    entries: () =>
      changed(
        { kind: "terminal.ended", posId: "POS-2", referenceId: "PAID" },
        withMembers({ statusCode: "11", moved: 0 }),
      ),
    finds: {
      "Wherever 00 is shown, the terminal had moved money before.": /POS-2\/PAID: .* 00 .*, and no money had moved/u,
    },
  },
  {
    name: "an 11 although money moved",
    entries: () =>
      changed({ kind: "terminal.ended", referenceId: "DECLINED" }, withMembers({ statusCode: "00", moved: 300 })),
    finds: {
      "Wherever 11 is shown, no money has moved, and none moves later.": /POS-1\/DECLINED: .*, and money moved/u,
    },
  },
  {
    name: "a terminal that started what a till was told is not approved",
    entries: () =>
      correctDay({
        early: (story) => {
          story.terminal("terminal.started", known(story, "POS-1/BUSY"));
          story.end(known(story, "POS-1/BUSY"), "11");
        },
      }),
    finds: { "After an 11, no terminal starts it any more.": /POS-1\/BUSY: .*, and T-1 started it afterwards/u },
  },
  {
    name: "a journal that says another outcome than the till was told",
    entries: () => {
      return changed({ kind: "operator.journal", terminalId: "T-1" }, (entry) => [
        { ...entry, rows: (entry as Extract<Entry, { kind: "operator.journal" }>).rows.map(withOtherCode) } as Entry,
      ]);
    },
    finds: {
      "A 00 or 11 is the same in every later answer, event, delivery and journal.":
        /a till was told 11 05 in line \d+, and then the journal says 11 51/u,
    },
  },
  {
    name: "a 22 after an 11",
    entries: () =>
      correctDay({
        early: (story) => {
          const busy = known(story, "POS-1/BUSY");
          const asked = story.ask({ ...scenes.sale("POS-1", "BUSY", "2.00") });
          story.answer(asked, { ...busy, status: "22", responseCode: "TERMINAL_LOST" });
        },
      }),
    finds: {
      "A question asked after a 00 or 11 was shown is never answered 22.":
        /POS-1\/BUSY: .*, and a later question was told 22/u,
    },
  },
  {
    name: "a 00 that names another amount than the till asked for",
    entries: () =>
      withAnswers(
        "POS-2",
        "PAID",
        (answer) => ({
          answer: { ...answer, transData: { ...(answer["transData"] as Wire), transAmt: "8.01" } },
        }),
        "all",
      ),
    finds: {
      "A 00 to a payment is for the amounts that this till asked for, in answer and terminal.":
        /asked for 800 hundredths, told 801, moved 800/u,
    },
  },
  {
    name: "a request that reached a terminal although its till was told that it is refused",
    entries: () => correctDay({ early: (story) => story.write(stray("terminal.received", "1999999999", "REFUSED")) }),
    finds: {
      "What a till was told is refused (400 to 499) does not reach a terminal.":
        /POS-1\/REFUSED reached T-1 although every message with it had been refused/u,
    },
  },
  {
    name: "a 22 that stays",
    entries: () =>
      correctDay({
        early: (story) => {
          const asked = scenes.sale("POS-1", "STUCK", "1.00");
          const call = story.ask({ ...asked });
          const stuck = story.send(asked);
          story.terminal("terminal.accepted", stuck);
          story.report(stuck, "22");
          story.answer(call, stuck);
        },
      }),
    finds: { "After the faults, every 22 becomes 00 or 11.": /POS-1\/STUCK is still 22 at the end/u },
  },
  {
    name: "an operator's decision about what was final",
    entries: () =>
      changed({ kind: "operator.answered", status: 409 }, withMembers({ status: 200 }), {
        entries: changed({ kind: "operator.asked", statusCode: "11" }, withMembers({ statusCode: "00" }), {
          which: "last",
        }),
      }),
    finds: {
      "An operator can decide nothing that is shown or acknowledged as 00 or 11 already.":
        /POS-2\/PAID was final, and the operator's 00 was taken/u,
    },
  },
  {
    name: "an operator's decision that is told otherwise",
    entries: () => changed({ kind: "operator.asked", statusCode: "00" }, withMembers({ statusCode: "11" })),
    finds: {
      "What an operator decided is what everybody is told from then on.":
        /POS-2\/FORGOTTEN: the operator decided 11, and 00 is told later/u,
      "Nothing is shown as resolved by an operator that no operator decided.": /POS-2\/FORGOTTEN is 00 RESOLVED/u,
    },
  },
  {
    name: "a terminal's result against the operator that is not kept",
    entries: () => replaced(/"conflicts":\[\{"at":"now","report":\{"statusCode":"00"\}\}\]/gu, '"conflicts":[]'),
    finds: {
      "A terminal's result that contradicts the operator is kept with the transaction.":
        /POS-2\/DECIDED: 00 {2}was acknowledged against the outcome, and is not kept/u,
    },
  },
  {
    name: "a second result with another amount that is told",
    entries: () => {
      return withAnswers(
        "POS-2",
        "PAID",
        (answer) => ({ answer: { ...answer, transData: { ...(answer["transData"] as Wire), transAmt: "8.50" } } }),
        "last",
      );
    },
    finds: {
      "A terminal's second, contrary result changes nothing that anybody is told.":
        /POS-2\/PAID: after a second result, 00 is told with 8\.50/u,
      "A 00 to a payment is for the amounts that this till asked for, in answer and terminal.":
        /asked for 800 hundredths, told 850/u,
      "The same request sent again gets the same 00 or 11, byte for byte except for the signature.": /POS-2\/PAID/u,
      "Transfer, cancel, inquiry and getLast tell the same 00 or 11 with the same details.": /POS-2\/PAID/u,
    },
  },
  {
    name: "a second result with another amount that is not kept",
    entries: () => replaced(/"named":\{"transAmt":"8\.50"\}/gu, '"named":{}'),
    finds: {
      "A second, contrary result that is acknowledged is kept with the transaction.":
        /POS-2\/PAID: 00 8\.50 was acknowledged against the outcome, and is not kept/u,
    },
  },
  {
    name: "a second result with another status that is not kept",
    entries: () =>
      changed({ kind: "terminal.contradiction-acknowledged" }, (entry) => {
        const { transAmt: _, ...others } = entry as Entry & { transAmt: string };
        return [{ ...others, statusCode: "11" } as Entry];
      }),
    finds: {
      "A second, contrary result that is acknowledged is kept with the transaction.":
        /POS-2\/PAID: 11 {2}was acknowledged against the outcome, and is not kept/u,
    },
  },
  {
    name: "a status of an operator who never decided",
    entries: () => changed({ kind: "operator.asked", statusCode: "00" }, () => []),
    finds: {
      "Nothing is shown as resolved by an operator that no operator decided.":
        /POS-2\/FORGOTTEN is 00 RESOLVED, and no/u,
    },
  },
  {
    name: "a repetition that got other bytes",
    entries: () => withAnswers("POS-1", "CASH", (answer) => ({ answer: { ...answer, apiVersion: "v2" } })),
    finds: {
      "The same request sent again gets the same 00 or 11, byte for byte except for the signature.":
        /POS-1\/CASH: the same request got two different answers/u,
    },
  },
  {
    name: "an inquiry that was told other details",
    entries: () => withAnswers("POS-1", "Q-1", (answer) => ({ answer: { ...answer, responseText: "Approved" } })),
    finds: {
      "Transfer, cancel, inquiry and getLast tell the same 00 or 11 with the same details.":
        /POS-1\/PAID: sale and inquiry were told different outcomes/u,
    },
  },
  {
    name: "a reference that was taken for two amounts",
    entries: () =>
      correctDay({
        early: (story) =>
          story.answer(story.ask({ ...scenes.sale("POS-1", "DECLINED", "3.33") }), known(story, "POS-1/DECLINED")),
      }),
    finds: {
      "A used reference is taken for no other type, amount or terminal.": /POS-1\/DECLINED was taken for 2 different/u,
    },
  },
  {
    name: "the same request that was refused as another one",
    entries: () =>
      correctDay({
        early: (story) => story.refuse(story.ask({ ...scenes.sale("POS-1", "PAID", "12.50") }), 400, 40009),
      }),
    finds: {
      "The same request is never refused as another one.": /POS-1\/PAID: a request that had been answered was refused/u,
    },
  },
  {
    name: "a request without an answer when nothing disturbs",
    entries: () =>
      withAnswers(
        "POS-1",
        "BUSY",
        () => ({ kind: "till.unanswered", why: "the connection was reset" }) as object,
        "last",
      ),
    finds: {
      "After the faults, every request is answered, and none with a 500.": /POS-1 got no answer to sale/u,
    },
  },
  {
    name: "an inquiry that took sixteen seconds while nothing disturbed",
    entries: () =>
      correctDay({
        early: (story) => {
          const about = { posId: "POS-1", terminalId: "T-1", transData: { referenceId: "PAID" } };
          const call = story.ask({ ...about, transType: "inquiry", referenceId: "Q-3" });
          for (const _ of [1, 2, 3, 4]) {
            story.write({ kind: "searched", place: "log", bytes: 1000, needles: 9, found: [] }, 4_000);
          }
          story.answer(call, known(story, "POS-1/PAID"));
        },
      }),
    finds: {
      "While nothing disturbs, a transfer is answered within 90 s, a cancel or inquiry within 10 s.":
        /POS-1 waited 16\.0 s for its inquiry/u,
    },
  },
  {
    name: "an acknowledgement of what was not reported",
    entries: () => changed({ kind: "terminal.reported", posId: "POS-2", referenceId: "PAID" }, () => []),
    finds: {
      "The gateway acknowledges only what the terminal has reported.":
        /POS-2\/PAID: 00 was acknowledged and never reported/u,
    },
  },
  {
    name: "a 22 after the acknowledgement of a 00",
    entries: () =>
      correctDay({
        late: (story) => {
          const power = known(story, "POS-2/POWER");
          const asked = story.ask({ ...scenes.sale("POS-2", "POWER", "6.00") });
          story.answer(asked, { ...power, status: "22", responseCode: "TERMINAL_LOST" });
        },
      }),
    finds: {
      "A question asked after a 00 or 11 was acknowledged is told that status.":
        /POS-2\/POWER: 00 was acknowledged, and a later question was told 22/u,
    },
  },
  {
    name: "an acknowledged result that its account is not told at the end",
    entries: () =>
      withAnswers("POS-2", "POWER", () => ({ status: 403, answer: { code: 40300 }, signed: null }), "last"),
    finds: {
      "At the end, the account is told every acknowledged 00 and 11, even after a terminal was bound to another.":
        /POS-2\/POWER: 00 was acknowledged, and at the end nobody is told/u,
    },
  },
  {
    name: "an acknowledged result that is missing in the terminal's journal",
    entries: () =>
      changed({ kind: "operator.journal", terminalId: "T-2" }, (entry) => [
        { ...entry, rows: (entry as Extract<Entry, { kind: "operator.journal" }>).rows.slice(1) } as Entry,
      ]),
    finds: {
      "At the end, the operator's journal of a terminal has every result that was acknowledged.":
        /POS-2\/PAID: 00 was acknowledged, and the journal has it not at all/u,
    },
  },
  {
    name: "a getLast that skips a newer transaction",
    entries: () =>
      correctDay({
        early: (story) => {
          const about = { posId: "POS-1", terminalId: "T-1", referenceId: "Q-3" };
          story.answer(story.ask({ ...about, transType: "getLast" }), known(story, "POS-1/PAID"));
        },
      }),
    finds: {
      "getLast never skips a transaction that the terminal had accepted.":
        /POS-1 was shown POS-1\/PAID, although POS-1\/WALLET is newer/u,
    },
  },
  {
    name: "a terminal that accepts a request while it works on another",
    entries: () =>
      correctDay({
        early: (story) => {
          const first = scenes.answered(story, scenes.sale("POS-1", "FIRST", "1.00"), "00");
          for (const _ of [1, 2, 3]) first.next();
          play(scenes.answered(story, scenes.sale("POS-1", "SECOND", "2.00"), "00"));
          play(first);
        },
      }),
    finds: {
      "A terminal accepts or starts nothing while it works on another transaction.":
        /T-1 took \d+ while it worked on \d+/u,
    },
  },
  {
    name: "a terminal that accepts an older request after a newer one",
    entries: () =>
      correctDay({
        early: (story) => {
          const older = scenes.answered(story, scenes.sale("POS-1", "OLDER", "1.00"), "00");
          for (const _ of [1, 2]) older.next();
          play(scenes.answered(story, scenes.sale("POS-1", "NEWER", "2.00"), "00"));
          play(older);
        },
      }),
    finds: { "A terminal accepts requests in the order of their numbers.": /T-1 accepted 10\d+ after 10\d+/u },
  },
  {
    name: "a secret in the log",
    entries: () => changed({ kind: "searched", place: "log" }, withMembers({ found: ["password 1"] })),
    finds: { "No password, token, key or card number is in the log or in storage.": /log holds password 1/u },
  },
  {
    name: "an answer with a wrong signature",
    entries: () => withAnswers("POS-1", "PAID", () => ({ signed: false })),
    finds: { "Every outcome and every delivery has a valid signature.": /POS-1 got an answer with a wrong signature/u },
  },
  {
    name: "an answer that names another terminal",
    entries: () => withAnswers("POS-1", "Q-1", (answer) => ({ answer: { ...answer, deviceId: "T-2" } })),
    finds: {
      "An answer is about what was asked: account, terminal, reference, and the one named.":
        /POS-1 asked by inquiry and was told of another deviceId/u,
    },
  },
  {
    name: "an error that names another account",
    entries: () => withAnswers("POS-1", "REFUSED", (answer) => ({ answer: { ...answer, message: "POS-2 has it." } })),
    finds: {
      "Nothing that an account is told names another account or its transactions.": /POS-1 was told of POS-2 has/u,
    },
  },
  {
    name: "an answer about a transaction of another account",
    entries: () =>
      withAnswers("POS-1", "REFUSED", (answer) => ({ answer: { ...answer, transData: { transId: "1000000008" } } })),
    finds: {
      "Nothing that an account is told names another account or its transactions.":
        /POS-1 was told of transaction 1000000008 of POS-2/u,
    },
  },
  {
    name: "a message with a card number",
    entries: () =>
      withAnswers("POS-1", "REFUSED", (answer) => ({ answer: { ...answer, message: "Not 4242 4242 4242 4242." } })),
    finds: { "A card number is told with at most its last four digits.": /message shows a card number/u },
  },
  {
    name: "a feed with a gap",
    entries: () => lastReadOf("POS-1", (events) => events.toSpliced(1, 1)),
    finds: {
      "Behind every number, a feed goes on with the next one, without gaps.":
        /POS-1 read evt_POS-1_5 where 4 was next/u,
    },
  },
  {
    name: "a feed that lost its events",
    entries: () => lastReadOf("POS-1", () => []),
    finds: {
      "A feed never loses an event that somebody has read.": /had been read, and there is nothing behind 2 later/u,
    },
  },
  {
    name: "an event that a later reader sees differently",
    entries: () => lastReadOf("POS-1", ([first, ...others]) => [{ ...first, timestamp: "later" }, ...others]),
    finds: { "An event is the same for every reader, at every time.": /POS-1: event 3 differs/u },
  },
  {
    name: "a transaction that is pending again after it was completed",
    entries: () =>
      correctDay({
        early: (story) => {
          const declined = known(story, "POS-1/DECLINED");
          const before = { ...declined };
          story.complete(declined, "22", "TERMINAL_LOST", "gateway");
          Object.assign(declined, before);
        },
      }),
    finds: {
      "A transaction is completed by exactly one event, and no later event changes its status.":
        /POS-1\/DECLINED: transaction\.pending with 22 after it was completed/u,
    },
  },
  {
    name: "an outcome that the feed does not have",
    entries: () =>
      correctDay({
        early: (story) => {
          const asked = scenes.sale("POS-1", "UNRECORDED", "1.00");
          const call = story.ask({ ...asked });
          const outcome = { status: "11", responseCode: "TERMINAL_BUSY", state: "completed", completedBy: "gateway" };
          story.answer(call, Object.assign(story.send(asked), outcome));
        },
      }),
    finds: {
      "At the end, every 00 and 11 that was told or acknowledged is in its account's feed.":
        /POS-1\/UNRECORDED is 11, and the feed does not say so/u,
    },
  },
  {
    name: "an event with an amount that no till asked for",
    entries: () => replaced(/"transAmt":"7\.77","cashAmt"/gu, '"transAmt":"7.78","cashAmt"'),
    finds: { "An event has the amounts that a till asked for.": /POS-1\/WALLET: the feed says 7\.78, which no till/u },
  },
  {
    name: "a voided payment whose events do not name the void",
    entries: () => replaced(/"voidedBy":\{[^}]*\}/gu, '"voidedBy":null'),
    finds: {
      "A voided payment's newest event names its void.": /POS-1: payment \d+ is voided by \d+, and does not say so/u,
    },
  },
  {
    name: "a closed day with other counts than its events",
    entries: () => replaced(/"approved":\{"count":\d+\}/gu, '"approved":{"count":99}'),
    finds: {
      "A closed day has the outcomes recorded for it, and no later one is of that day.":
        /POS-1: day 2026-11-22 is closed with 99 and/u,
    },
  },
  {
    name: "an outcome that is recorded for a closed day",
    entries: () =>
      correctDay({ late: (story) => play(scenes.answered(story, scenes.sale("POS-1", "LATE", "1.00"), "00")) }),
    finds: {
      "A closed day has the outcomes recorded for it, and no later one is of that day.":
        /POS-1: LATE was recorded for 2026-11-22 after that day was closed/u,
    },
  },
  {
    name: "a delivery before the one before it was taken",
    entries: () =>
      correctDay({
        late: (story) => {
          const event = story.feeds.get("POS-1")?.[5] as Wire;
          story.write({
            kind: "webhook.received",
            posId: "POS-1",
            webhookId: "wh_POS-1",
            event,
            signed: true,
            status: 503,
          });
        },
      }),
    finds: {
      "An endpoint is sent an event only when it has taken all before it.":
        /POS-1 was sent event 6, and had taken only those up to 3/u,
    },
  },
  {
    name: "a delivery that differs from the feed",
    entries: () =>
      changed(
        { kind: "webhook.received", posId: "POS-1" },
        (entry) => {
          const { event } = entry as Extract<Entry, { kind: "webhook.received" }>;
          return [{ ...entry, event: { ...event, timestamp: "later" } } as Entry];
        },
        { which: "last" },
      ),
    finds: {
      "A delivery has the same event as the feed and every other delivery of it.": /POS-1: event \d+ differs/u,
    },
  },
  {
    name: "an event that an endpoint never took",
    entries: () =>
      changed({ kind: "webhook.received", posId: "POS-2" }, withMembers({ status: 500 }), { which: "last" }),
    finds: { "At the end, an endpoint has taken every event of the feed.": /POS-2: event \d+ of \d+ was never taken/u },
  },
];

describe("a broken run", () => {
  it.for(BROKEN)("is found by its check alone: $name", ({ entries, finds }, { expect }) => {
    const { checks, outcome } = judge(entries());
    const broken = checks.filter(({ violations }) => violations.length > 0);
    expect(broken.map(({ says }) => says).toSorted()).toEqual(Object.keys(finds).toSorted());
    expect(outcome).toBe("violated");
    for (const { says, violations } of broken) {
      expect(violations.map((one) => one.says).join("\n")).toMatch(finds[says] as RegExp);
      for (const { lines } of violations) expect(lines.length).toBeGreaterThan(0);
    }
  });

  it("has a summary with the first violations and their entries, as far as they fit", ({ expect }) => {
    const message = `Not 4242 4242 4242 4242. ${"x".repeat(1_000)}`;
    const entries = withAnswers("POS-1", "REFUSED", (answer) => ({ answer: { ...answer, message } }));
    const [, count, says, , , entry, , verdict, ...more] = summaryOf(judge(entries)).split("\n");
    expect(verdict).toMatch(/^Promises are broken: \d+ checks, 0 of \d+ sentences not checked, \d+ cases left out\.$/u);
    expect([count, says, more]).toEqual(["1 violation.", "message shows a card number.", []]);
    expect(entry).toMatch(/^\{.*"Not 4242 4242 4242 4242\. x+$/u);
  });

  it("is here for every check", ({ expect }) => {
    const found = new Set(BROKEN.flatMap(({ finds }) => Object.keys(finds)));
    expect(
      judge([])
        .checks.map(({ says }) => says)
        .filter((says) => !found.has(says)),
    ).toEqual([]);
  });
});
