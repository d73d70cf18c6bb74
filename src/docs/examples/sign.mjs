// Signs a message, and verifies one that is signed. Node 20 or later:
//
//   SIGNING_KEY=… node sign.mjs < message.json
//
// Prints the canonical form, then the signature. Exit status 1 if the message has a signature that is wrong.
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

// region sign
/** RFC 8785 sorts names by UTF-16 code units, writes no white space, and writes texts as JSON.stringify does. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return primitive(value);
  const names = Object.keys(value).toSorted(); // JavaScript compares UTF-16 code units
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

function primitive(value) {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error("Numbers are integers here.");
  return JSON.stringify(value);
}

/** Returns what is signed: the canonical form of a message without its own signature. */
function signedForm({ signature: _signature, ...rest }) {
  return canonical(rest);
}

function signatureOf(message, key) {
  return createHmac("sha256", key).update(signedForm(message), "utf8").digest("hex");
}
// endregion sign

// region verify
function isSigned(message, key) {
  const [given, expected] = [Buffer.from(String(message.signature)), Buffer.from(signatureOf(message, key))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
// endregion verify

const message = JSON.parse(readFileSync(0, "utf8"));
if (Object.prototype.toString.call(message) !== "[object Object]") throw new Error("A JSON object is wanted.");
const key = process.env.SIGNING_KEY;
console.log(signedForm(message));
console.log(signatureOf(message, key));
if ("signature" in message && !isSigned(message, key)) process.exitCode = 1;
