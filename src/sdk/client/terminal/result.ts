import { isJsonObject, parseJson, type JsonValue } from "../../../protocol/signing/json.ts";
import { optionMistakes, CHECKED_BY_GATEWAY as ANY, type Checks } from "../check-options.ts";
import type { TerminalResult } from "./frames.ts";

/**
 * The JSON of a result has at most so many characters. With frame and signature it stays well within a frame's size.
 */
export const RESULT_CHARACTERS = 16 * 1024;

export const RESULT_MEMBERS: Checks<TerminalResult> = {
  statusCode: ANY,
  responseCode: ANY,
  responseText: ANY,
  transData: ANY,
};

/**
 * The gateway refuses a frame with numbers that are not plain integers, invalid strings, or too much data, and would
 * then never learn the outcome. So details that do not fit are dropped, but never the outcome. `problem` says why; null
 * for a complete result.
 *
 * Throws a TypeError without an outcome: such a handler has failed.
 */
export function usableResult(result: TerminalResult): { result: TerminalResult; problem: string | null } {
  const { statusCode, responseCode } = result;
  if (statusCode !== "00" && statusCode !== "11" && statusCode !== "22") {
    throw new TypeError("a result needs statusCode 00, 11 or 22");
  }
  const bare: TerminalResult = { statusCode, responseCode: normalizeCode(responseCode) };
  const text = writtenOut(result);
  if (text === null) return { result: bare, problem: "the result is not JSON" };
  if (text.length > RESULT_CHARACTERS) return { result: bare, problem: "the result is too long" };
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const problems = parsed.error.map(({ path, message }) => `${path}: ${message}`);
    return { result: bare, problem: problems.join(" ") };
  }
  const problem = optionMistakes("the result", result, RESULT_MEMBERS);
  return { result: { ...bare, ...details(parsed.value) }, problem };
}

function normalizeCode(responseCode: unknown): string {
  return typeof responseCode === "string" ? responseCode.slice(0, 32).toWellFormed() : "";
}

function writtenOut(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON has no circles and no BigInts.
    return null;
  }
}

function details(value: JsonValue): Partial<TerminalResult> {
  if (!isJsonObject(value)) return {};
  const { responseText, transData } = value;
  return {
    ...(typeof responseText === "string" ? { responseText } : {}),
    ...(isJsonObject(transData) ? { transData } : {}),
  };
}
