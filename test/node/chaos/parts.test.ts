/** Parts of a chaos run that it relies on: what they claim must be so, or the run proves nothing. */
import vectors from "../../signing/vectors.json" with { type: "json" };
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { Needles } from "../../chaos/journal-file.ts";
import { streamOf } from "../../chaos/random.ts";
import { Book, type Kept } from "../../chaos/terminal/book.ts";
import { Host } from "../../chaos/terminal/book.ts";
import { canonical, isSigned, signatureOf, signed } from "../../chaos/wire/signature.ts";
import { madeUpCard } from "../../chaos/wire/values.ts";
import { hoursNearMidnight, zoneAhead } from "../../chaos/shop/clock.ts";
import { search } from "../../chaos/ending/ending.ts";

const kept = (more: Partial<Kept>): Kept => ({
  requestId: "1000000001",
  posId: "POS-1",
  referenceId: "R1-1",
  transType: "sale",
  transId: "1000000001",
  transData: { transAmt: "12.50", cashAmt: "20.00" },
  respondBy: 0,
  stage: "host",
  decision: null,
  isPending: false,
  isPendingKnown: false,
  ...more,
});

describe("a chaos run's own signatures", () => {
  it("are those of the vectors that an independent program has made", ({ expect }) => {
    expect(vectors.vectors.length).toBeGreaterThan(5);
    for (const { body, key, canonical: form, signature } of vectors.vectors) {
      expect([canonical(body), signatureOf(body, key)]).toEqual([form, signature]);
    }
  });

  it("are verified, and a missing one differs from a wrong one", ({ expect }) => {
    const message = signed({ referenceId: "R1-1", statusCode: "00" }, "key");
    expect(isSigned(message, "key")).toBe(true);
    expect(isSigned({ ...message, statusCode: "11" }, "key")).toBe(false);
    expect(isSigned({ statusCode: "00" }, "key")).toBe(null);
  });
});

describe("a chaos run's terminals", () => {
  it("lose what they are writing when the power goes, and nothing that is written", async ({ expect }) => {
    const book = new Book(streamOf(1));
    const power = new AbortController();
    await book.write(power.signal, () => book.kept.set("1", kept({})));
    const writing = book.write(power.signal, () => book.kept.set("2", kept({})));
    power.abort();
    await expect(writing).rejects.toThrow("aborted");
    expect([...book.kept.keys()]).toEqual(["1"]);
  });

  it("move money once, and back once", ({ expect }) => {
    const host = new Host();
    expect(host.authorise(kept({}), true)).toMatchObject({ statusCode: "00", moved: 3_250 });
    expect(host.authorise(kept({}), false)).toMatchObject({ statusCode: "00", moved: 3_250 });
    const undo = { transType: "void", transData: {} };
    expect(host.authorise(kept({ ...undo, requestId: "2" }), true)).toMatchObject({ moved: -3_250 });
    expect(host.authorise(kept({ ...undo, requestId: "3" }), true)).toMatchObject({ statusCode: "11", moved: 0 });
  });

  it("never get an approval for what they have asked the host about in vain", ({ expect }) => {
    const host = new Host();
    expect(host.clearUp(kept({}))).toMatchObject({ statusCode: "11", moved: 0 });
    expect(host.authorise(kept({}), true)).toMatchObject({ statusCode: "11", moved: 0 });
  });
});

describe("a chaos run's accounts", () => {
  it("have a first day that stays open for twenty minutes, and is over two hours further east", ({ expect }) => {
    for (let hour = 0; hour < 24; hour++) {
      for (const [minute, local, east] of [
        [39, "23:39:00", "01:39:00"],
        [40, "22:40:00", "00:40:00"],
      ] as const) {
        const now = Date.UTC(2026, 6, 1, hour, minute);
        const hours = hoursNearMidnight(now);
        const at = (ahead: number) => new Date(now).toLocaleTimeString("en-GB", { timeZone: zoneAhead(ahead) });
        expect([hours, at(hours), at(hours + 2)]).toEqual([hours, local, east]);
      }
    }
  });
});

describe("a chaos run's search for secrets", () => {
  it("finds one in any file below a folder, tells its name and not its text", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "search-"));
    try {
      const card = madeUpCard(streamOf(5));
      const needles = new Needles();
      needles.add("card number", card);
      needles.add("password", "correct horse battery");
      needles.add("bind key", "short");
      expect(needles.size).toBe(2);
      await writeFile(join(folder, "one"), Buffer.concat([Buffer.from([0, 255, 4]), Buffer.from(`4${card}`)]));
      await writeFile(join(folder, "two"), "correct horse batter");
      expect(await search(folder, needles)).toEqual({ bytes: 40, found: ["card number 1"] });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
