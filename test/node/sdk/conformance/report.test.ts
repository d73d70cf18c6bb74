import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, it } from "vitest";
import { Log } from "../../../../src/sdk/conformance/listen.ts";
import {
  chooseExitStatus,
  kitOutcomeText,
  reportJson,
  summaryText,
} from "../../../../src/sdk/command-line/conformance/report.ts";
import { reportPage } from "../../../../src/sdk/command-line/conformance/report-page.ts";
import {
  KEPT,
  blockedVerdict,
  brokenVerdict,
  leftOutVerdict,
  unseenVerdict,
  type StepOutcome,
  type StepVerdict,
} from "../../../../src/sdk/conformance/step.ts";
import { Person } from "../../../../src/sdk/conformance/tester.ts";

const STEP = { name: "cancel", title: "Ends it", duty: "A rule.", harm: "A loss.", fix: "A way." };

function outcome(verdict: StepVerdict): StepOutcome {
  return { step: STEP, verdict, took: 12 };
}

/** Without colours, which a run in CI has and a pipe has not. */
function plainText(one: StepOutcome): string {
  return stripVTControlCharacters(kitOutcomeText(one));
}

describe("a report", () => {
  it.for([
    [[KEPT], 0],
    [[KEPT, leftOutVerdict("nobody is there")], 0],
    [[KEPT, brokenVerdict("this", "that")], 1],
    [[KEPT, blockedVerdict("it is not connected")], 1],
    [[KEPT, unseenVerdict("the host is silent")], 1],
    [[leftOutVerdict("nobody is there")], 1],
    [[], 1],
  ] as [StepVerdict[], number][])("has, for %j, the exit status %i", ([verdicts, status], { expect }) => {
    expect(chooseExitStatus(verdicts.map(outcome))).toBe(status);
  });

  it("prints one line per step, and the details of a broken duty", ({ expect }) => {
    expect(plainText(outcome(KEPT))).toBe("✓ Ends it");
    expect(plainText(outcome({ kind: "kept", note: "once" }))).toBe("✓ Ends it (once)");
    expect(plainText(outcome(leftOutVerdict("nobody is there")))).toBe("– Ends it: skipped: nobody is there");
    expect(plainText(outcome(blockedVerdict("it is away")))).toBe("– Ends it: not tested: it is away");
    expect(plainText(outcome(unseenVerdict("the host is silent")))).toBe("? Ends it: not seen: the host is silent");
    const lines = plainText(outcome(brokenVerdict("this", "that"))).split("\n");
    expect(lines).toEqual([
      "✗ Ends it [cancel]",
      "    duty      A rule.",
      "    expected  this",
      "    seen      that",
      "    the shop  A loss.",
      "    fix       A way.",
    ]);
  });

  it("counts verdicts for people, and prints JSON for programs", ({ expect }) => {
    const outcomes = [KEPT, KEPT, brokenVerdict("this", "that"), leftOutVerdict("nobody is there")].map(outcome);
    expect(summaryText(outcomes)).toBe("2 kept, 1 broken, 1 skipped");
    expect(summaryText([...outcomes, outcome(unseenVerdict("the host is silent"))])).toMatch(
      /^1 not seen: .+, 2 kept, 1 broken/u,
    );
    expect(JSON.parse(reportJson("pos", "http://127.0.0.1:9001/", outcomes))).toMatchObject({
      kit: "pos",
      kept: 2,
      broken: 1,
      blocked: 0,
      unseen: 0,
      leftOut: 1,
      steps: [
        { verdict: "kept" },
        {},
        { verdict: "broken", expected: "this", seen: "that" },
        { why: "nobody is there" },
      ],
    });
  });
});

function page(...verdicts: StepVerdict[]): string {
  return reportPage({ kit: "terminal", url: "http://127.0.0.1:9000/", at: new Date(0) }, verdicts.map(outcome));
}

describe("a report's page", () => {
  it("says of each step the duty, what was seen, and its cost", ({ expect }) => {
    const text = page({ kind: "kept", seen: "accepted" }, brokenVerdict("this", "that"), unseenVerdict("it is silent"));
    expect(text).toContain("1 not seen: this run does not show that nobody is charged twice, 1 kept, 1 broken");
    expect(text.match(/A rule\./gu)).toHaveLength(3);
    expect(text.match(/A loss\./gu)).toHaveLength(3);
    expect(text).toMatch(
      /✓ kept.*<dd>accepted<\/dd>.*✗ broken.*<dd>that<\/dd>.*A way\..*\? not seen.*<dd>it is silent/su,
    );
  });

  it("shows texts of the tested side as texts, and loads nothing", ({ expect }) => {
    const text = page(brokenVerdict("this", `<script src="http://x/">'&`));
    expect(text).toContain("&lt;script src=&quot;http://x/&quot;&gt;&#39;&amp;");
    expect(text).not.toMatch(/<script|<link|<img|url\(/u);
  });
});

describe("a log", () => {
  it("finds an existing item, awaits a coming one, and stops in time", async ({ expect }) => {
    const log = new Log<number>();
    log.put(1);
    expect(await log.next({ wanted: (item) => item === 1, within: 0 })).toEqual({ item: 1, index: 0 });
    const later = log.next({ wanted: (item) => item === 3, within: 5_000 });
    log.put(2);
    log.put(3);
    expect(await later).toEqual({ item: 3, index: 2 });
    expect(await log.next({ wanted: (item) => item === 3, from: 3, within: 10 })).toBe(null);
  });
});

function seat(): { person: Person; input: PassThrough; said: () => string } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = "";
  output.setEncoding("utf8").on("data", (text: string) => (said += text));
  return { person: new Person(input, output), input, said: () => said };
}

describe("a person at the keyboard", () => {
  it("is asked again until the answer is yes or no", async ({ expect }) => {
    const { person, input, said } = seat();
    const answer = person.confirm("Did it print?");
    input.write("perhaps\n");
    await expect.poll(said).toMatch(/Did it print\?.*Did it print\?/su);
    input.write("y\n");
    expect(await answer).toBe(true);
    person.close();
  });

  it("counts as giving no answer once the input has ended", async ({ expect }) => {
    const { person, input } = seat();
    const answer = person.confirm("Did it print?");
    input.end();
    expect(await answer).toBe(null);
  });
});
