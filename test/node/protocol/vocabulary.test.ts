/** The words of the protocol: each is sent or stored, so a change of one breaks somebody. */
import { describe, it } from "vitest";
import { MULTI_LINE, onOneLine, SINGLE_LINE } from "../../../src/protocol/characters.ts";
import { enrolmentText } from "../../../src/protocol/enrolment.ts";
import { documentationOf } from "../../../src/protocol/errors.ts";
import { isAboutTransaction, type AccountEvent } from "../../../src/protocol/events.ts";
import { GATEWAY_CODES } from "../../../src/protocol/gateway-codes.ts";
import { isOperatorRole, mayDo, operatorEntry, OPERATOR_ROLES } from "../../../src/protocol/operator-roles.ts";
import { coverageWords, readAmount, readSearchText } from "../../../src/protocol/operator-search.ts";
import * as payment from "../../../src/protocol/payment-methods.ts";
import * as refusals from "../../../src/protocol/refusals.ts";
import { codeWithWords } from "../../../src/protocol/response-codes.ts";
import { stageKey } from "../../../src/protocol/stages.ts";
import { isStatusCode } from "../../../src/protocol/status-codes.ts";
import { gatewayAnswer, TRANSACTION_NUMBER } from "../../../src/protocol/transactions.ts";
import * as webhooks from "../../../src/protocol/webhooks.ts";

describe("the words of a transfer", () => {
  it("distinguish a stage that is sent again from a duplicate", ({ expect }) => {
    expect(stageKey({ stage: "accepted", at: 1 })).toBe(stageKey({ stage: "accepted", at: 2 }));
    expect(stageKey({ stage: "sent", at: 1 })).not.toBe(stageKey({ stage: "sent", at: 2 }));
    expect(stageKey({ stage: "sent", at: 1 })).not.toBe(stageKey({ stage: "pin", at: 1 }));
  });

  it("distinguish a status code from anything else", ({ expect }) => {
    expect(["00", "11", "22", "33", 0, null].map(isStatusCode)).toEqual([true, true, true, false, false, false]);
  });

  it("distinguish a wallet from a card", ({ expect }) => {
    expect(["qrCustScan", "qrMerchScan", "bankCard", undefined].map(payment.isWallet)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("have transaction numbers of ten digits", ({ expect }) => {
    const texts = ["1000000000", "9999999999", "0999999999", "100000000", "10000000000", "x1000000000", ""];
    expect(texts.map((text) => TRANSACTION_NUMBER.test(text))).toEqual([true, true, false, false, false, false, false]);
  });
});

describe("the gateway's own answer", () => {
  it("shows a cashier whether money moved", ({ expect }) => {
    for (const { statusCode, responseText } of Object.values(GATEWAY_CODES)) {
      expect(responseText).toMatch(/^[A-Z].{20,126}\.$/u);
      if (statusCode === "22") expect(responseText).toMatch(/Ask again|ask the operator/u);
    }
  });

  it("has code, text and the versions of the terminal", ({ expect }) => {
    expect(gatewayAnswer("CANCELLED", { softwareVersion: "1", terminalSn: "2" })).toEqual({
      statusCode: "11",
      responseCode: "CANCELLED",
      responseText: GATEWAY_CODES.CANCELLED.responseText,
      softwareVersion: "1",
      terminalSn: "2",
    });
  });
});

describe("the words of a terminal's connection", () => {
  it("give a terminal its identity as JSON", ({ expect }) => {
    const enrolment = { gateway: "https://g.example", terminalId: "T", secret: "s" };
    expect(JSON.parse(enrolmentText(enrolment))).toEqual(enrolment);
  });
});

describe("an error", () => {
  it("is documented at the gateway that sent it", ({ expect }) => {
    expect(documentationOf(40009, "https://g.example/api/x?y=1")).toBe("https://g.example/docs/errors#40009");
  });

  it("names, for a transfer, the member that it is about", ({ expect }) => {
    const { usedElsewhere, usedLongAgo, usedOtherwise, ...known } = refusals;
    const used = {
      usedElsewhere: usedElsewhere("T-1", true),
      usedLongAgo: usedLongAgo(Date.UTC(2026, 0, 31, 23, 59), false),
      usedOtherwise: usedOtherwise("sale", 1_000_000_001, true),
    };
    const problems = { ...known, ...used };
    const paths = Object.entries(problems).map(([name, { path }]) => `${name}: ${path}`);
    expect(paths.toSorted()).toEqual([
      "FORGOTTEN_REFERENCE: referenceId",
      "NOT_BOUND: deviceId",
      "NO_TRANSACTION: deviceId",
      "UNKNOWN_REFERENCE: referenceId",
      "UNKNOWN_TRANS_ID: transData.transId",
      "usedElsewhere: referenceId",
      "usedLongAgo: referenceId",
      "usedOtherwise: referenceId",
    ]);
    for (const { message } of Object.values(problems)) expect(message).toMatch(/^[A-Z].*\.$/u);
    const only = "Use a new referenceId only for another transaction.";
    const open = "That transaction is still open: money may still move.";
    expect(Object.values(used).map(({ message }) => message)).toEqual([
      `Send an inquiry about this referenceId to device T-1 first. It belongs to that device. ${open} ${only}`,
      "Send an inquiry about this referenceId first. It was used on 2026-01-31 (UTC), more than 24 hours ago. " + only,
      `Send an inquiry about this referenceId first. It belongs to another sale (number 1000000001), with other terms. ${open} ${only}`,
    ]);
  });
});

describe("the words of events, statistics and pages", () => {
  it("distinguish an event that a reader books from others", ({ expect }) => {
    const types = ["transaction.completed", "transaction.pending", "transaction.conflict", "day.closed"] as const;
    expect(types.map((type) => isAboutTransaction({ type } as AccountEvent))).toEqual([true, true, false, false]);
  });

  it("name a webhook by a number, and nothing else", ({ expect }) => {
    expect(webhooks.webhookNumber(webhooks.readWebhookId(17))).toBe(17);
    const texts = ["wh_0", "wh_1234567890", "17", "wh_1x", "xwh_1", ""];
    expect(texts.map(webhooks.webhookNumber)).toEqual(texts.map(() => null));
  });
});

describe("the words of operators", () => {
  it("give each role what those before it may do", ({ expect }) => {
    expect(OPERATOR_ROLES).toEqual(["viewer", "support", "admin"]);
    const allowed = OPERATOR_ROLES.map((role) => OPERATOR_ROLES.filter((needed) => mayDo(role, needed)).length);
    expect(allowed).toEqual([1, 2, 3]);
    expect(["admin", "owner", ""].map(isOperatorRole)).toEqual([true, false, false]);
    expect(operatorEntry(" anna : viewer : a:b ")).toEqual({ name: "anna", role: "viewer", token: "a:b" });
    expect(operatorEntry("anna:a")).toEqual({ name: "anna", role: "admin", token: "a" });
    expect(operatorEntry("")).toEqual({ name: "", role: "admin", token: "" });
  });

  it("explain the codes of cards, and leave other codes unchanged", ({ expect }) => {
    const codes = Array.from({ length: 100 }, (_, code) => String(code).padStart(2, "0"));
    const known = codes.filter((code) => /^\d\d [a-z]{2}/u.test(codeWithWords(code)));
    expect(known.join(" ")).toBe(
      "00 01 03 04 05 06 07 12 13 14 15 17 19 21 25 30 41 43 51 54 55 57 58 59 61 62 63 65 68 75 76 78 82 85 91 92 94 96",
    );
    expect(codeWithWords("51")).toBe("51 insufficient funds");
    for (const code of ["02", "TERMINAL_OFFLINE", "toString", ""]) expect(codeWithWords(code)).toBe(code);
  });

  it("read an amount as people write it", ({ expect }) => {
    const amounts = ["48.22", "48,22", "48.22 MYR", "MYR 1,048.22", "myr1.048,22", "0.05"].map(readAmount);
    expect(amounts).toEqual(["48.22", "48.22", "48.22", "1048.22", "1048.22", "0.05"]);
    expect(["48", "48.2", "4822", "R-48.22", "1,04.22", "48.22 ringgit"].map(readAmount)).toEqual(Array(6).fill(null));
  });

  it("read what somebody knows of a payment", ({ expect }) => {
    expect(readSearchText(" ")).toEqual([{}]);
    expect(readSearchText(" 1000000042 ")).toEqual([{ transId: "1000000042" }, { referenceId: "1000000042" }]);
    expect(readSearchText("48,22 MYR")).toEqual([{ amount: "48.22" }]);
    expect(readSearchText("1234")).toEqual([{ cardLastFour: "1234" }, { referenceId: "1234" }]);
    expect(readSearchText("r-42")).toEqual([{ referenceId: "r-42" }, { referenceId: "R-42" }]);
    expect(readSearchText("R-42")).toEqual([{ referenceId: "R-42" }]);
    expect(readSearchText("The corner shop by the bridge")).toEqual([]);
  });

  it("show what a search has covered, and what it may lack", ({ expect }) => {
    const covered = { from: "A", to: "2026-11-20T10:00:00Z", completeUntil: "2026-11-20T10:00:00Z" };
    const said = (members: object) => coverageWords({ ...covered, cut: false, notCovered: [], ...members }, (at) => at);
    expect(said({})).toEqual(["Searched: payments from A to 2026-11-20T10:00:00Z."]);
    const lacking = { completeUntil: "2026-11-20T09:59:59Z", cut: true, notCovered: ["P-1", "P-2"] };
    expect(said(lacking)).toEqual([
      "Searched: payments from A to 2026-11-20T10:00:00Z.",
      "Those since 2026-11-20T09:59:59Z may be missing, unless you name the account or its shop.",
      "Earlier ones may be missing: there is too much to search. Name a shorter time, or the account.",
      "Not searched: P-1, P-2. Name each account.",
    ]);
  });
});

describe("a text for printers and displays", () => {
  const controls = [..."\u0000\u0007\u001b\u007f\u009f\u061c\u200e\u200f\u202a\u202e\u2066\u2069"];
  const breaks = [..."\t\n\v\f\r\u0085\u2028\u2029"];

  it("has no control characters, and line feeds only if it may", ({ expect }) => {
    for (const character of [...controls, ...breaks]) {
      const text = `a${character}b`;
      expect([text, SINGLE_LINE.test(text), MULTI_LINE.test(text)]).toEqual([text, false, character === "\n"]);
    }
    for (const text of ["", "a b", "é 支付 😂", "~\u00a0"]) expect(SINGLE_LINE.test(text)).toBe(true);
  });

  it("is put on one line, with spaces for separators", ({ expect }) => {
    for (const character of breaks) expect(onOneLine(`a${character}\r\nb${character}c`)).toBe("a b c");
    for (const character of controls) expect(onOneLine(`a${character}${character}b${character}`)).toBe("ab");
    expect(onOneLine("as it is")).toBe("as it is");
  });
});
