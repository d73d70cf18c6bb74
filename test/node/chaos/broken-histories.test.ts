/** Every check finds the run that breaks it, and no other check takes it for its own. */
import { describe, it } from "vitest";
import { judge } from "../../chaos/check/judge.ts";
import type { Entry, Happening, Wire } from "../../chaos/journal.ts";
import { summaryOf } from "../../chaos/check/report.ts";
import { correctDay, play } from "./correct-day.ts";
import * as scenes from "./scenes.ts";
import type { Story, Transaction } from "./story.ts";

/** How the sentences begin that are broken, each with what the checker says about it. */
type Finds = Readonly<Record<string, RegExp>>;

type Broken = readonly [entries: () => Entry[], finds: Finds];

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

type Changed = (answer: Wire) => { answer: Wire };

function saying(members: Wire): Changed {
  return (answer) => ({ answer: { ...answer, ...members } });
}

function withData(members: Wire): Changed {
  return (answer) => saying({ transData: { ...(answer["transData"] as Wire), ...members } })(answer);
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

function withRows(terminalId: string, change: (rows: readonly Wire[]) => readonly Wire[]): Entry[] {
  return changed({ kind: "operator.journal", terminalId }, (entry) => [
    { ...entry, rows: change((entry as Extract<Entry, { kind: "operator.journal" }>).rows) } as Entry,
  ]);
}

/** A row of the journal that gives another reason than the till was told. */
function withOtherCode(row: Wire): Wire {
  if (row["referenceId"] !== "DECLINED") return row;
  return { ...row, outcome: { ...(row["outcome"] as Wire), responseCode: "51" } };
}

const early = (happens: (story: Story) => void): Entry[] => correctDay({ early: happens });
const late = (happens: (story: Story) => void): Entry[] => correctDay({ late: happens });

const BROKEN: Readonly<Record<string, Broken>> = {
  "a reference that a terminal started twice": [
    () => changed({ kind: "terminal.started", referenceId: "PAID" }, (entry) => [entry, entry]),
    { "A reference is started at most once, over all": /POS-1\/PAID: it was started 2 times/u },
  ],
  "money that moved twice for one reference": [
    () => changed({ kind: "terminal.ended", referenceId: "PAID" }, (entry) => [entry, entry]),
    { "Money moves at most once for a reference.": /POS-1\/PAID: money moved 2 times/u },
  ],
  "a payment that was voided twice": [
    () => early((story) => play(scenes.voidOf(story, "POS-1", "PAID", "VOID-2"))),
    {
      "A payment is voided at most once.": /voided 2 times: POS-1\/VOID, POS-1\/VOID-2/u,
      "A voided payment's newest event names its void.": /is voided by \d+, and does not say so/u,
    },
  ],
  "a request at a terminal that no till had asked for": [
    () => early((story) => story.write(stray("terminal.received", "1999999999", "NOBODY"))),
    { "A terminal gets only what a till has asked for, of": /T-1 got sale POS-1\/NOBODY, which no till/u },
  ],
  "a request at another terminal than the till named": [
    () => changed({ kind: "terminal.received", referenceId: "BUSY" }, withMembers({ terminalId: "T-9" })),
    {
      "A terminal gets only what a till has asked for, of": /T-9 got sale POS-1\/BUSY/u,
      "A requestId belongs to one transaction of one": /used for T-9 POS-1\/BUSY and for T-1 POS-1\/BUSY/u,
    },
  ],
  "a requestId that was used for two transactions": [
    () => changed({ kind: "terminal.refused", referenceId: "BUSY" }, withMembers({ requestId: "1000000001" })),
    {
      "A requestId belongs to one transaction of one":
        /requestId 1000000001 is used for T-1 POS-1\/PAID and for T-1 POS-1\/BUSY/u,
    },
  ],
  "a void that paid back another amount": [
    () => changed({ kind: "terminal.ended", referenceId: "VOID" }, withMembers({ moved: -1249 })),
    { "The customer is charged, or paid back, exactly": /-1249 hundredths moved; asked for: -1250/u },
  ],
  "a payment that charged another amount than its till asked for and was told": [
    () => changed({ kind: "terminal.ended", referenceId: "CASH" }, withMembers({ moved: 2501 })),
    {
      "The customer is charged, or paid back, exactly": /2501 hundredths moved; asked for: 2500/u,
      "A 00 to a payment is for the amounts that this": /asked for 2500 hundredths, told 2500, moved 2501/u,
    },
  ],
  "a 00 although no money moved": [
    () =>
      changed(
        { kind: "terminal.ended", posId: "POS-2", referenceId: "PAID" },
        withMembers({ statusCode: "11", moved: 0 }),
      ),
    { "Wherever 00 is shown, the terminal had moved money": /POS-2\/PAID: .* 00 .*, and no money had moved/u },
  ],
  "an 11 although money moved": [
    () => changed({ kind: "terminal.ended", referenceId: "DECLINED" }, withMembers({ statusCode: "00", moved: 300 })),
    { "Wherever 11 is shown, no money has moved, and none": /POS-1\/DECLINED: .*, and money moved/u },
  ],
  "a terminal that started what a till was told is not approved": [
    () =>
      early((story) => {
        story.terminal("terminal.started", known(story, "POS-1/BUSY"));
        story.end(known(story, "POS-1/BUSY"), "11");
      }),
    { "After an 11, no terminal starts it any more.": /POS-1\/BUSY: .*, and T-1 started it afterwards/u },
  ],
  "a journal that says another outcome than the till was told": [
    () => withRows("T-1", (rows) => rows.map(withOtherCode)),
    {
      "A 00 or 11 is the same in every later answer":
        /a till was told 11 05 in line \d+, and then the journal says 11 51/u,
    },
  ],
  "a 22 after an 11": [
    () =>
      early((story) => {
        const busy = known(story, "POS-1/BUSY");
        const asked = story.ask({ ...scenes.sale("POS-1", "BUSY", "2.00") });
        story.answer(asked, { ...busy, status: "22", responseCode: "TERMINAL_LOST" });
      }),
    { "A question asked after a 00 or 11 was shown is": /POS-1\/BUSY: .*, and a later question was told 22/u },
  ],
  "a 00 that names another amount than the till asked for": [
    () => withAnswers("POS-2", "PAID", withData({ transAmt: "8.01" }), "all"),
    { "A 00 to a payment is for the amounts that this": /asked for 800 hundredths, told 801, moved 800/u },
  ],
  "a request that reached a terminal although its till was told that it is refused": [
    () => early((story) => story.write(stray("terminal.received", "1999999999", "REFUSED"))),
    {
      "What a till was told is refused (400 to 499) does":
        /POS-1\/REFUSED reached T-1 although every message with it had been refused/u,
    },
  ],
  "a 22 that stays": [
    () =>
      early((story) => {
        const asked = scenes.sale("POS-1", "STUCK", "1.00");
        const call = story.ask({ ...asked });
        const stuck = story.send(asked);
        story.terminal("terminal.accepted", stuck);
        story.report(stuck, "22");
        story.answer(call, stuck);
      }),
    { "After the faults, every 22 becomes 00 or 11.": /POS-1\/STUCK is still 22 at the end/u },
  ],
  "an operator's decision about what was final": [
    () =>
      changed({ kind: "operator.answered", status: 409 }, withMembers({ status: 200 }), {
        entries: changed({ kind: "operator.asked", statusCode: "11" }, withMembers({ statusCode: "00" }), {
          which: "last",
        }),
      }),
    { "An operator can decide nothing that is shown or": /POS-2\/PAID was final, and the operator's 00 was taken/u },
  ],
  "an operator's decision that is told otherwise": [
    () => changed({ kind: "operator.asked", statusCode: "00" }, withMembers({ statusCode: "11" })),
    {
      "What an operator decided is what everybody is told":
        /POS-2\/FORGOTTEN: the operator decided 11, and 00 is told later/u,
      "Nothing is shown as resolved by an operator that": /POS-2\/FORGOTTEN is 00 RESOLVED/u,
    },
  ],
  "a terminal's result against the operator that is not kept": [
    () => replaced(/"conflicts":\[\{"at":"now","report":\{"statusCode":"00"\}\}\]/gu, '"conflicts":[]'),
    {
      "A terminal's result that contradicts the operator":
        /POS-2\/DECIDED: 00 {2}was acknowledged against the outcome, and is not kept/u,
    },
  ],
  "a second result with another amount that is told": [
    () => withAnswers("POS-2", "PAID", withData({ transAmt: "8.50" }), "last"),
    {
      "A terminal's second, contrary result changes": /POS-2\/PAID: after a second result, 00 is told with 8\.50/u,
      "A 00 to a payment is for the amounts that this": /asked for 800 hundredths, told 850/u,
      "The same request sent again gets the same 00 or": /POS-2\/PAID/u,
      "Transfer, cancel, inquiry and getLast tell the": /POS-2\/PAID/u,
    },
  ],
  "a second result with another amount that is not kept": [
    () => replaced(/"named":\{"transAmt":"8\.50"\}/gu, '"named":{}'),
    {
      "A second, contrary result that is acknowledged is":
        /POS-2\/PAID: 00 8\.50 was acknowledged against the outcome, and is not kept/u,
    },
  ],
  "a second result with another status that is not kept": [
    () =>
      changed({ kind: "terminal.contradiction-acknowledged" }, (entry) => {
        const { transAmt: _, ...others } = entry as Entry & { transAmt: string };
        return [{ ...others, statusCode: "11" } as Entry];
      }),
    {
      "A second, contrary result that is acknowledged is":
        /POS-2\/PAID: 11 {2}was acknowledged against the outcome, and is not kept/u,
    },
  ],
  "a status of an operator who never decided": [
    () => changed({ kind: "operator.asked", statusCode: "00" }, () => []),
    { "Nothing is shown as resolved by an operator that": /POS-2\/FORGOTTEN is 00 RESOLVED, and no/u },
  ],
  "a repetition that got other bytes": [
    () => withAnswers("POS-1", "CASH", saying({ apiVersion: "v2" })),
    { "The same request sent again gets the same 00 or": /POS-1\/CASH: the same request got two different answers/u },
  ],
  "an inquiry that was told other details": [
    () => withAnswers("POS-1", "Q-1", saying({ responseText: "Approved" })),
    { "Transfer, cancel, inquiry and getLast tell the": /POS-1\/PAID: sale and inquiry were told different outcomes/u },
  ],
  "a reference that was taken for two amounts": [
    () =>
      early((story) =>
        story.answer(story.ask({ ...scenes.sale("POS-1", "DECLINED", "3.33") }), known(story, "POS-1/DECLINED")),
      ),
    { "A used reference is taken for no other type": /POS-1\/DECLINED was taken for 2 different/u },
  ],
  "the same request that was refused as another one": [
    () => early((story) => story.refuse(story.ask({ ...scenes.sale("POS-1", "PAID", "12.50") }), 400, 40009)),
    {
      "The same request is never refused as another one.": /POS-1\/PAID: a request that had been answered was refused/u,
    },
  ],
  "a request without an answer when nothing disturbs": [
    () =>
      withAnswers(
        "POS-1",
        "BUSY",
        () => ({ kind: "till.unanswered", why: "the connection was reset" }) as object,
        "last",
      ),
    { "After the faults, every request is answered, and": /POS-1 got no answer to sale/u },
  ],
  "an inquiry that took sixteen seconds while nothing disturbed": [
    () =>
      early((story) => {
        const about = { posId: "POS-1", terminalId: "T-1", transData: { referenceId: "PAID" } };
        const call = story.ask({ ...about, transType: "inquiry", referenceId: "Q-3" });
        for (const _ of [1, 2, 3, 4]) {
          story.write({ kind: "searched", place: "log", bytes: 1000, needles: 9, found: [] }, 4_000);
        }
        story.answer(call, known(story, "POS-1/PAID"));
      }),
    { "While nothing disturbs, a transfer is answered": /POS-1 waited 16\.0 s for its inquiry/u },
  ],
  "an acknowledgement of what was not reported": [
    () => changed({ kind: "terminal.reported", posId: "POS-2", referenceId: "PAID" }, () => []),
    { "The gateway acknowledges only what the terminal": /POS-2\/PAID: 00 was acknowledged and never reported/u },
  ],
  "a 22 after the acknowledgement of a 00": [
    () =>
      late((story) => {
        const power = known(story, "POS-2/POWER");
        const asked = story.ask({ ...scenes.sale("POS-2", "POWER", "6.00") });
        story.answer(asked, { ...power, status: "22", responseCode: "TERMINAL_LOST" });
      }),
    {
      "A question asked after a 00 or 11 was acknowledged":
        /POS-2\/POWER: 00 was acknowledged, and a later question was told 22/u,
    },
  ],
  "an acknowledged result that its account is not told at the end": [
    () => withAnswers("POS-2", "POWER", () => ({ status: 403, answer: { code: 40300 }, signed: null }), "last"),
    {
      "At the end, the account is told every acknowledged":
        /POS-2\/POWER: 00 was acknowledged, and at the end nobody is told/u,
    },
  ],
  "an acknowledged result that is missing in the terminal's journal": [
    () => withRows("T-2", (rows) => rows.slice(1)),
    {
      "At the end, the operator's journal of a terminal":
        /POS-2\/PAID: 00 was acknowledged, and the journal has it not at all/u,
    },
  ],
  "a getLast that skips a newer transaction": [
    () =>
      early((story) => {
        const about = { posId: "POS-1", terminalId: "T-1", referenceId: "Q-3" };
        story.answer(story.ask({ ...about, transType: "getLast" }), known(story, "POS-1/PAID"));
      }),
    {
      "getLast never skips a transaction that the terminal had accepted.":
        /POS-1 was shown POS-1\/PAID, although POS-1\/WALLET is newer/u,
    },
  ],
  "a terminal that accepts a request while it works on another": [
    () =>
      early((story) => {
        const first = scenes.answered(story, scenes.sale("POS-1", "FIRST", "1.00"), "00");
        for (const _ of [1, 2, 3]) first.next();
        play(scenes.answered(story, scenes.sale("POS-1", "SECOND", "2.00"), "00"));
        play(first);
      }),
    { "A terminal accepts or starts nothing while it": /T-1 took \d+ while it worked on \d+/u },
  ],
  "a terminal that accepts an older request after a newer one": [
    () =>
      early((story) => {
        const older = scenes.answered(story, scenes.sale("POS-1", "OLDER", "1.00"), "00");
        for (const _ of [1, 2]) older.next();
        play(scenes.answered(story, scenes.sale("POS-1", "NEWER", "2.00"), "00"));
        play(older);
      }),
    { "A terminal accepts requests in the order of their": /T-1 accepted 10\d+ after 10\d+/u },
  ],
  "a secret in the log": [
    () => changed({ kind: "searched", place: "log" }, withMembers({ found: ["password 1"] })),
    { "No password, token, key or card number is in the": /log holds password 1/u },
  ],
  "an answer with a wrong signature": [
    () => withAnswers("POS-1", "PAID", () => ({ signed: false })),
    { "Every outcome and every delivery has a valid": /POS-1 got an answer with a wrong signature/u },
  ],
  "an answer that names another terminal": [
    () => withAnswers("POS-1", "Q-1", saying({ deviceId: "T-2" })),
    { "An answer is about what was asked: account": /POS-1 asked by inquiry and was told of another deviceId/u },
  ],
  "an error that names another account": [
    () => withAnswers("POS-1", "REFUSED", saying({ message: "POS-2 has it." })),
    { "Nothing that an account is told names another": /POS-1 was told of POS-2 has/u },
  ],
  "an answer about a transaction of another account": [
    () => withAnswers("POS-1", "REFUSED", saying({ transData: { transId: "1000000008" } })),
    { "Nothing that an account is told names another": /POS-1 was told of transaction 1000000008 of POS-2/u },
  ],
  "a message with a card number": [
    () => withAnswers("POS-1", "REFUSED", saying({ message: "Not 4242 4242 4242 4242." })),
    { "A card number is told with at most its last four": /message shows a card number/u },
  ],
  "a feed with a gap": [
    () => lastReadOf("POS-1", (events) => events.toSpliced(1, 1)),
    { "Behind every number, a feed goes on with the next": /POS-1 read evt_POS-1_5 where 4 was next/u },
  ],
  "a feed that lost its events": [
    () => lastReadOf("POS-1", () => []),
    { "A feed never loses an event that somebody has": /had been read, and there is nothing behind 2 later/u },
  ],
  "an event that a later reader sees differently": [
    () => lastReadOf("POS-1", ([first, ...others]) => [{ ...first, timestamp: "later" }, ...others]),
    { "An event is the same for every reader, at every": /POS-1: event 3 differs/u },
  ],
  "a transaction that is pending again after it was completed": [
    () =>
      early((story) => {
        const declined = known(story, "POS-1/DECLINED");
        const before = { ...declined };
        story.complete(declined, "22", "TERMINAL_LOST", "gateway");
        Object.assign(declined, before);
      }),
    {
      "A transaction is completed by exactly one event":
        /POS-1\/DECLINED: transaction\.pending with 22 after it was completed/u,
    },
  ],
  "an outcome that the feed does not have": [
    () =>
      early((story) => {
        const asked = scenes.sale("POS-1", "UNRECORDED", "1.00");
        const call = story.ask({ ...asked });
        const outcome = { status: "11", responseCode: "TERMINAL_BUSY", state: "completed", completedBy: "gateway" };
        story.answer(call, Object.assign(story.send(asked), outcome));
      }),
    { "At the end, every 00 and 11 that was told or": /POS-1\/UNRECORDED is 11, and the feed does not say so/u },
  ],
  "an event with an amount that no till asked for": [
    () => replaced(/"transAmt":"7\.77","cashAmt"/gu, '"transAmt":"7.78","cashAmt"'),
    { "An event has the amounts that a till asked for.": /POS-1\/WALLET: the feed says 7\.78, which no till/u },
  ],
  "a voided payment whose events do not name the void": [
    () => replaced(/"voidedBy":\{[^}]*\}/gu, '"voidedBy":null'),
    { "A voided payment's newest event names its void.": /POS-1: payment \d+ is voided by \d+, and does not say so/u },
  ],
  "a closed day with other counts than its events": [
    () => replaced(/"approved":\{"count":\d+\}/gu, '"approved":{"count":99}'),
    { "A closed day has the outcomes recorded for it, and": /POS-1: day 2026-11-22 is closed with 99 and/u },
  ],
  "an outcome that is recorded for a closed day": [
    () => late((story) => play(scenes.answered(story, scenes.sale("POS-1", "LATE", "1.00"), "00"))),
    {
      "A closed day has the outcomes recorded for it, and":
        /POS-1: LATE was recorded for 2026-11-22 after that day was closed/u,
    },
  ],
  "a delivery before the one before it was taken": [
    () =>
      late((story) => {
        const event = story.feeds.get("POS-1")?.[5] as Wire;
        story.write({
          kind: "webhook.received",
          posId: "POS-1",
          webhookId: "wh_POS-1",
          event,
          signed: true,
          status: 503,
        });
      }),
    { "An endpoint is sent an event only when it has": /POS-1 was sent event 6, and had taken only those up to 3/u },
  ],
  "a delivery that differs from the feed": [
    () =>
      changed(
        { kind: "webhook.received", posId: "POS-1" },
        (entry) => {
          const { event } = entry as Extract<Entry, { kind: "webhook.received" }>;
          return [{ ...entry, event: { ...event, timestamp: "later" } } as Entry];
        },
        { which: "last" },
      ),
    { "A delivery has the same event as the feed and": /POS-1: event \d+ differs/u },
  ],
  "an event that an endpoint never took": [
    () => changed({ kind: "webhook.received", posId: "POS-2" }, withMembers({ status: 500 }), { which: "last" }),
    { "At the end, an endpoint has taken every event of": /POS-2: event \d+ of \d+ was never taken/u },
  ],
};

describe("a broken run", () => {
  it.for(Object.entries(BROKEN))("is found by its check alone: %s", ([, [entries, finds]], { expect }) => {
    const { checks, outcome } = judge(entries());
    const broken = checks.filter(({ violations }) => violations.length > 0);
    const beginnings = Object.keys(finds);
    const beginningOf = (says: string): string => beginnings.find((one) => says.startsWith(one)) ?? says;
    expect(broken.map(({ says }) => beginningOf(says)).toSorted()).toEqual(beginnings.toSorted());
    expect(outcome).toBe("violated");
    for (const { says, violations } of broken) {
      expect(violations.map((one) => one.says).join("\n")).toMatch(finds[beginningOf(says)] as RegExp);
      for (const { lines } of violations) expect(lines.length).toBeGreaterThan(0);
    }
  });

  it("has a summary with the first violations and their entries, as far as they fit", ({ expect }) => {
    const message = `Not 4242 4242 4242 4242. ${"x".repeat(1_000)}`;
    const entries = withAnswers("POS-1", "REFUSED", saying({ message }));
    const [, count, says, , , entry, , verdict, ...more] = summaryOf(judge(entries)).split("\n");
    expect(verdict).toMatch(/^Promises are broken: \d+ checks, 0 of \d+ sentences not checked, \d+ cases left out\.$/u);
    expect([count, says, more]).toEqual(["1 violation.", "message shows a card number.", []]);
    expect(entry).toMatch(/^\{.*"Not 4242 4242 4242 4242\. x+$/u);
  });

  it("is here for every check", ({ expect }) => {
    const found = Object.values(BROKEN).flatMap(([, finds]) => Object.keys(finds));
    const sentences = judge([]).checks.map(({ says }) => says);
    expect(sentences.filter((says) => !found.some((beginning) => says.startsWith(beginning)))).toEqual([]);
    // Each beginning means one sentence.
    expect(found.filter((one) => sentences.filter((says) => says.startsWith(one)).length !== 1)).toEqual([]);
  });
});
