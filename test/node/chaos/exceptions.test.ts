/** What the contract does not promise is left out, counted, and nothing else is left out with it. */
import { describe, it } from "vitest";
import { judge, type Verdict } from "../../chaos/check/judge.ts";
import type { Entry } from "../../chaos/journal.ts";
import { correctDay, play } from "./correct-day.ts";
import * as scenes from "./scenes.ts";
import type { Story, Transaction } from "./story.ts";

const COMPLETES = "After the faults, every 22 becomes 00 or 11.";

function left({ checks }: Verdict, says: string): Readonly<Record<string, number>> {
  return checks.find((check) => check.says === says)?.left ?? {};
}

function broken({ checks }: Verdict): string[] {
  return checks.filter(({ violations }) => violations.length > 0).map(({ says }) => says);
}

function forgotten(decision: "00" | "11" | null, more: (story: Story, transaction: Transaction) => void): Entry[] {
  return correctDay({
    late: (story) => {
      play(scenes.memoryLost(story, scenes.sale("POS-2", "LOST", "1.00"), decision));
      more(story, story.transactions.get("POS-2/LOST") as Transaction);
    },
  });
}

/** From now on the gateway tells this of the transaction. */
function becomes(status: "11" | "22", responseCode: string): (story: Story, transaction: Transaction) => void {
  return (_story, transaction) => {
    Object.assign(transaction, { status, responseCode });
  };
}

/** The last question about a 00 is answered in this way. */
function unreachable(entries: Entry[]): Entry[] {
  const asked = entries.findLast((entry) => entry.kind === "till.asked" && entry.request["referenceId"] === "CASH");
  if (asked?.kind !== "till.asked") throw new Error("Nobody asked.");
  const { transData: _, ...request } = asked.request;
  const answer = { ...request, statusCode: "22", responseCode: "IN_PROGRESS" };
  return entries.map((entry) =>
    entry.kind === "till.answered" && entry.call === asked.call ? { ...entry, answer } : entry,
  );
}

/** An inquiry that is answered after a minute. */
function slow(story: Story, meanwhile: (story: Story) => void): void {
  const about = { posId: "POS-1", terminalId: "T-1", transData: { referenceId: "PAID" } };
  const call = story.ask({ ...about, transType: "inquiry", referenceId: "Q-3" });
  meanwhile(story);
  story.answer(call, story.transactions.get("POS-1/PAID") as Transaction);
}

function working(story: Story): void {
  for (let seconds = 0; seconds < 60; seconds += 4) {
    story.write({ kind: "searched", place: "log", bytes: 1000, needles: 9, found: [] }, 4_000);
  }
}

describe("a terminal that lost its memory", () => {
  it("may leave a 22 that no operator has decided", ({ expect }) => {
    const verdict = judge(forgotten(null, () => undefined));
    expect(broken(verdict)).toEqual([]);
    expect(left(verdict, COMPLETES)).toMatchObject({ "its terminal lost its memory, and no operator has decided": 1 });
  });

  it("may not leave a 22 that an operator has decided", ({ expect }) => {
    expect(broken(judge(forgotten("00", becomes("22", "UNCONFIRMED"))))).toContain(COMPLETES);
  });

  it("does not excuse an 11 for money that moved", ({ expect }) => {
    const entries = forgotten(null, (story, sale) => story.complete(sale, "11", "NOT_DELIVERED", "gateway"));
    expect(broken(judge(entries))).toEqual(["Wherever 11 is shown, no money has moved, and none moves later."]);
  });

  it("does not excuse a second start", ({ expect }) => {
    const entries = forgotten(null, (story, sale) => story.terminal("terminal.started", sale));
    expect(broken(judge(entries))).toEqual(["A reference is started at most once, over all terminals and restarts."]);
  });
});

describe("an operator's decision", () => {
  it("may contradict the money, and is then counted as left out", ({ expect }) => {
    const verdict = judge(correctDay());
    const why = { "an operator decided so: see the operator's decisions": expect.any(Number) };
    expect(left(verdict, "Wherever 11 is shown, no money has moved, and none moves later.")).toEqual(why);
  });

  it("excuses only the status that it decided", ({ expect }) => {
    expect(broken(judge(forgotten("00", becomes("11", "NOT_DELIVERED"))))).toContain(
      "Wherever 11 is shown, no money has moved, and none moves later.",
    );
  });
});

describe("a 22 IN_PROGRESS without details after a 00", () => {
  const REOPENED = "A question asked after a 00 or 11 was shown is never answered 22.";

  it("is a gateway that cannot reach its record, and left out during the faults", ({ expect }) => {
    const entries = correctDay();
    const quiet = entries.findIndex(({ kind }) => kind === "quiet.began");
    const late = [...entries.toSpliced(quiet, 1), entries[quiet] as Entry];
    const verdict = judge(unreachable(late));
    expect(broken(verdict)).not.toContain(REOPENED);
    expect(left(verdict, REOPENED)).toEqual({
      "22 IN_PROGRESS during a fault: the gateway could not reach its record": 1,
    });
  });

  it("is a violation when nothing disturbs", ({ expect }) => {
    expect(broken(judge(unreachable(correctDay())))).toContain(REOPENED);
  });
});

describe("a wait", () => {
  const TIMES = "While nothing disturbs, a transfer is answered within 90 s, a cancel or inquiry within 10 s.";

  it("is left out while a fault is active", ({ expect }) => {
    const verdict = judge(
      correctDay({ early: (story) => slow(story, () => story.fault("kill", null, () => working(story))) }),
    );
    expect(broken(verdict)).toEqual([]);
    expect(left(verdict, TIMES)["a fault was active, or had just ended"]).toBeGreaterThan(0);
  });

  it("is left out while the whole machine stands still", ({ expect }) => {
    const verdict = judge(
      correctDay({
        early: (story) =>
          slow(story, () =>
            story.write({ kind: "searched", place: "log", bytes: 1000, needles: 9, found: [] }, 60_000),
          ),
      }),
    );
    expect(broken(verdict)).toEqual([]);
    expect(
      left(verdict, TIMES)["nothing at all was written for five seconds: the machine may have stood still"],
    ).toBeGreaterThan(0);
  });
});

describe("a message that the network may have duplicated", () => {
  it("may reach a terminal although its first copy was refused", ({ expect }) => {
    const entries = correctDay({
      early: (story) => {
        const asked = scenes.sale("POS-1", "TWICE", "1.00");
        story.fault("duplicate", null, () => story.refuse(story.ask({ ...asked }), 429));
        const copy = story.send(asked);
        story.terminal("terminal.refused", copy);
        story.complete(copy, "11", "TERMINAL_BUSY", "gateway");
      },
    });
    const verdict = judge(entries);
    expect(broken(verdict)).toEqual([]);
    expect(left(verdict, "What a till was told is refused (400 to 499) does not reach a terminal.")).toEqual({
      "the network duplicated messages: the second copy may have been taken": 1,
    });
  });
});

/** The last call ends without an answer. */
function hungUp(after: number): Entry[] {
  const entries = correctDay();
  const last = entries.findLastIndex((entry) => entry.kind === "till.answered");
  const { at, call } = entries[last] as Extract<Entry, { kind: "till.answered" }>;
  return entries.toSpliced(last, 1, { kind: "till.unanswered", at: at + after, call, why: "no answer in time" });
}

describe("a till that hangs up when nothing disturbs", () => {
  const ANSWERED = "After the faults, every request is answered, and none with a 500.";

  it("is left out if it did so before the time that the contract allows", ({ expect }) => {
    const verdict = judge(hungUp(1_000));
    expect(broken(verdict)).not.toContain(ANSWERED);
    expect(left(verdict, ANSWERED)).toEqual({ "its till hung up before the time that the contract allows": 1 });
  });

  it("is a violation if it waited longer", ({ expect }) => {
    expect(broken(judge(hungUp(95_000)))).toContain(ANSWERED);
  });
});
