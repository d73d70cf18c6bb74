import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commonFolder } from "../../support/memory-folder.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let place: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "memory-folder-"));
});

afterEach(async () => {
  await rm(place, { recursive: true, force: true });
});

describe("the folder for temporary files of the tests", () => {
  it("is shared by a user's runs, and cleared after a day", async () => {
    const folder = commonFolder(place);
    const [old, recent] = [join(folder, "old"), join(folder, "recent")];
    for (const left of [old, recent]) {
      await mkdir(left);
      await writeFile(join(left, "database.sqlite"), "");
    }
    await utimes(old, new Date(), new Date(Date.now() - DAY_MS - 1000));

    expect(commonFolder(place)).toBe(folder);
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });
});
