/**
 * A gateway's object may still write to its log when a test file has ended. Sent to Vitest from there, such a line would keep
 * the run from ending: see test/support/log-lines.ts. This file has no other way to fail than to stay.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { lines } from "../../support/log-lines.ts";

/** Milliseconds between two lines, and how many there are at most. The next file's start ends the object. */
const BETWEEN_LINES = 1;
const LINES = 2_000;

it("lets a test file end while an object still logs", async () => {
  await runInDurableObject(env.TERMINAL.getByName(crypto.randomUUID()), () => {
    let written = 0;
    const writing = setInterval(() => {
      console.log("still here");
      if (++written === LINES) clearInterval(writing);
    }, BETWEEN_LINES);
  });
  await expect.poll(() => lines).toContain("still here");
});
