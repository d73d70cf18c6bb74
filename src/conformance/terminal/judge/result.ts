/** Problems in a result. Each function returns clauses; none if all is well. */
import { isStatusCode } from "../../../protocol/status-codes.ts";
import { isTransferType, needsTarget } from "../../../protocol/transfer-types.ts";
import type { JsonObject } from "../../../signing/json.ts";
import { maskCardNumbers } from "../../../card-data/card-numbers.ts";
import { MANDATORY } from "../../../protocol/transactions.ts";
import { DATE_TIME } from "../../../terminal/result-check.ts";
import { DETAIL_LENGTHS as LENGTHS, RESULT_LENGTHS } from "../../../protocol/lengths.ts";
import { sensitiveMembers } from "../../../card-data/sensitive-data.ts";
import { isObject, lengthOf, textOf } from "../heard.ts";

/** The only optional member beside `transData`. */
const MAY_BE_MISSING = "responseText";

export function resultProblems(result: JsonObject, request: JsonObject): string[] {
  const statusCode = textOf(result, "statusCode");
  const transData = result["transData"];
  return [
    ...(isStatusCode(statusCode) ? [] : [`statusCode “${statusCode}” must be 00, 11 or 22`]),
    ...Object.entries(RESULT_LENGTHS).flatMap(([name, length]) =>
      textProblems(result, name, length, name === MAY_BE_MISSING),
    ),
    ...(transData === undefined || transData === null || isObject(transData) ? [] : ["transData must be an object"]),
    ...(statusCode === "00" ? dataProblems(isObject(transData) ? transData : {}, request) : []),
  ];
}

function textProblems(members: JsonObject, name: string, length: number, optional: boolean): string[] {
  const value = members[name];
  if (value === undefined || value === null || value === "") return optional ? [] : [`${name} is missing`];
  if (typeof value !== "string") return [`${name} must be a string`];
  return lengthOf(value) > length ? [`${name} is longer than ${length} characters`] : [];
}

/** Problems in the details of an approved transaction. */
function dataProblems(transData: JsonObject, request: JsonObject): string[] {
  const mandatory: readonly string[] = MANDATORY;
  const transDateTime = textOf(transData, "transDateTime");
  return [
    ...Object.entries(LENGTHS).flatMap(([name, length]) =>
      textProblems(transData, name, length, !mandatory.includes(name)).map((problem) => `transData.${problem}`),
    ),
    ...(transDateTime === "" || DATE_TIME.test(transDateTime)
      ? []
      : ["transData.transDateTime must have the form yyyy-MM-ddTHH:mm:ss"]),
    ...namedOtherwise(transData, request),
  ];
}

/** Amounts and currency are optional, but must be those of the request. */
function namedOtherwise(transData: JsonObject, request: JsonObject): string[] {
  const asked = isObject(request["transData"]) ? request["transData"] : {};
  const expected = {
    transAmt: textOf(asked, "transAmt"),
    cashAmt: textOf(asked, "cashAmt"),
    currency: textOf(request, "currency"),
    transId: textOf(request, "transId"),
  };
  return Object.entries(expected).flatMap(([name, value]) => {
    const named = textOf(transData, name);
    // A void's request has no amounts. The result has those of the voided transaction, checked elsewhere.
    if (
      named === "" ||
      named === value ||
      (value === "" && isTransferType(request["transType"]) && needsTarget(request["transType"]))
    )
      return [];
    return [`transData.${name} is ${named}, but the request has ${value === "" ? "none" : value}`];
  });
}

/** Free texts, which must not contain a card number. Numbers and codes keep their digits. */
const FREE_TEXTS = ["responseText", "cardLabel", "cardHoldersName", "paymentChannel", "metadata", "terminalSn"];

/** Finds card numbers, track data, PINs and verification codes in a frame. */
export function cardDataProblems(frame: JsonObject): string[] {
  const transData = isObject(frame["transData"]) ? frame["transData"] : {};
  const cardNo = textOf(transData, "cardNo");
  const shown = [...cardNo].slice(0, -4).join("");
  return [
    ...(/[0-9]/u.test(shown) ? ["cardNo shows more than the last four digits"] : []),
    ...[frame, transData].flatMap((members) =>
      FREE_TEXTS.flatMap((name) => {
        const text = textOf(members, name);
        return maskCardNumbers(text) === text ? [] : [`${name} contains a card number`];
      }),
    ),
    ...sensitiveMembers(frame).map(({ path }) => `${path} is track data, a PIN or a verification code`),
  ];
}

/** Whether two results have the same outcome, regardless of their signatures. */
export function isSameOutcome(one: JsonObject | null, other: JsonObject | null): boolean {
  return outcomeOf(one) === outcomeOf(other);
}

function outcomeOf(frame: JsonObject | null): string {
  return JSON.stringify([frame?.["statusCode"], frame?.["responseCode"], sorted(frame?.["transData"])]);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
