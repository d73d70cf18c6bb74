/** The webhook receiver of a chaos run. */
import { createHmac, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, onTestFinished } from "vitest";
import { JournalFile } from "../../chaos/journal-file.ts";
import { Receiver } from "../../chaos/shop/receiver.ts";

const KEY = randomBytes(24);

/** Delivers an event, signed with the key, and resolves to the status. */
async function delivered(url: string): Promise<number> {
  const body = JSON.stringify({ number: 1 });
  const signature = createHmac("sha256", KEY).update(`evt_1.1.${body}`).digest("base64");
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": `v1,${signature}` };
  return (await fetch(url, { method: "POST", headers, body })).status;
}

describe("a shop whose webhook was created with a lost answer", () => {
  it("creates another, and takes nothing at the address of the first", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "chaos-test-"));
    const journal = new JournalFile(join(folder, "journal.jsonl"));
    const receiver = await Receiver.start("POS-1", journal);
    onTestFinished(async () => {
      receiver.close();
      journal.close();
      await rm(folder, { recursive: true, force: true });
    });
    const first = receiver.newAddress();
    const second = receiver.newAddress();
    receiver.trusts("wh_2", `whsec_${KEY.toString("base64")}`);
    expect(await delivered(first.url)).toBe(410);
    expect(journal.count("webhook.received")).toBe(0);
    expect(await delivered(second.url)).toBe(204);
    expect(journal.count("webhook.received")).toBe(1);
  });
});
