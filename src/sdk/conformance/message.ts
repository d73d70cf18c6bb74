/** Reads only a message's own members, and returns nothing that could be secret for a person. */
import { signedForm } from "../../protocol/signing/canonical.ts";
import { isJsonObject, parseJson, type JsonObject } from "../../protocol/signing/json.ts";
import { digestForm } from "../../protocol/signing/signature.ts";

/** Characters that encoders escape by habit, and RFC 8785 does not: those of HTML, slashes, and other scripts. */
export const UNESCAPED_TEXT = "</a> & 'b' Käfer 已批准 मंज़ूर";

/** Null if the text is not a JSON object that the service accepts. */
export function readText(text: string): JsonObject | null {
  const parsed = parseJson(text);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** Returns a member as text, a number as its digits, and "" for everything else. */
export function textOf(message: JsonObject | null | undefined, name: string): string {
  const value = message?.[name];
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** Empty if it is not an object. */
export function dataOf(message: JsonObject | null | undefined): JsonObject {
  const data = message?.["transData"];
  return isJsonObject(data) ? data : {};
}

/** Lengths count Unicode code points. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}

/** Tells a wrong form from a wrong key: if the digest matches, the form is right. */
export function wrongSignature(message: JsonObject): string {
  if (textOf(message, "signature") === "") return "there is no signature";
  const { length, sha256 } = digestForm(signedForm(message));
  return `the signature is wrong (the received message in RFC 8785 form has ${length} bytes and SHA-256 ${sha256})`;
}
