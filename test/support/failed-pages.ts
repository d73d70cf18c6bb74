/** What a person needs who has only the log of a failed run: a picture of every open page, in the folder ARTIFACTS. */
import { join } from "node:path";
import { afterEach } from "vitest";

const { ARTIFACTS } = process.env;

if (ARTIFACTS !== undefined) {
  const { openPages } = await import("./chromium.ts");
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    for (const [index, page] of openPages().entries()) {
      const name = `${task.name.replaceAll(/\W+/gu, "-").slice(0, 80)}-${index}.png`;
      // A page that is closing has no picture, and hides no failure.
      await page.screenshot({ path: join(ARTIFACTS, name), timeout: 5_000 }).catch(() => undefined);
    }
  });
}
