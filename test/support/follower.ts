/**
 * A back office that follows an account's events, as a separate program, to be killed: `node follower.ts BOOK`. Each
 * event is a line of its book; it continues after the number of the last complete line.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { type AccountEvent, PosClient } from "../../src/client/pos.ts";

const [, , book = ""] = process.argv;

/** The lines that were written as a whole: a power cut may leave half of one. */
function wholeLines(): string[] {
  const text = existsSync(book) ? readFileSync(book, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) writeFileSync(book, whole);
  return whole.split("\n").slice(0, -1);
}

const { GATEWAY_URL: baseUrl = "", POS_ID: posId = "", MERCHANT_ID: merchantId = "", SIGNING_KEY = "" } = process.env;
const pos = new PosClient({ baseUrl, posId, merchantId, signingKey: SIGNING_KEY });
const last = wholeLines().at(-1);
const after = last === undefined ? 0 : (JSON.parse(last) as AccountEvent).number;
for await (const event of pos.events({ after })) appendFileSync(book, `${JSON.stringify(event)}\n`);
