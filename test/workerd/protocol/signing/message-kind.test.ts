import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { kindProblems, type MessageKind } from "../../../../src/protocol/signing/message-kind.ts";
import { parsedObject } from "./json-values.ts";

const KINDS: MessageKind[] = ["request", "response", "login", "session login", "call", "bind", "frame"];

const EXAMPLES: Record<MessageKind, JsonObject> = {
  request: { transType: "sale", posId: "POS-0001", datetime: "20261120T021500", signature: "" },
  response: { transType: "sale", posId: "POS-0001", statusCode: "00", signature: "" },
  login: { terminalId: "T-0001", datetime: "20261120T021500", signature: "" },
  "session login": { posId: "POS-0001", datetime: "20261120T021500", nonce: "a nonce", signature: "" },
  call: {
    posId: "POS-0001",
    datetime: "20261120T021500",
    nonce: "a nonce",
    call: "DELETE /api/webhooks/wh_1",
    signature: "",
  },
  bind: { key: "7K3Q9ZXM", datetime: "20261120T021500", signature: "" },
  frame: { type: "result", requestId: "1000000000", statusCode: "00", signature: "" },
};

function paths(message: JsonObject, kind: MessageKind): string[] {
  return kindProblems(message, kind).map((problem) => problem.path);
}

describe("a signed message", () => {
  it.each(KINDS)("counts as a %s if it is one", (kind) => {
    expect(kindProblems(EXAMPLES[kind], kind)).toEqual([]);
  });

  it.each<[MessageKind, MessageKind, string[]]>([
    ["response", "request", ["datetime", "statusCode"]],
    ["frame", "request", ["datetime", "statusCode", "type"]],
    ["request", "response", ["statusCode", "datetime"]],
    ["login", "response", ["statusCode", "datetime"]],
    ["frame", "response", ["type"]],
    ["request", "login", ["terminalId"]],
    ["response", "login", ["terminalId", "datetime", "statusCode"]],
    ["frame", "login", ["terminalId", "datetime", "statusCode", "type"]],
    ["request", "session login", ["nonce", "transType"]],
    ["response", "session login", ["datetime", "nonce", "transType", "statusCode"]],
    ["login", "session login", ["posId", "nonce", "terminalId"]],
    ["frame", "session login", ["posId", "datetime", "nonce", "type", "statusCode"]],
    ["session login", "response", ["statusCode", "datetime"]],
    ["session login", "login", ["terminalId"]],
    ["session login", "frame", ["type"]],
    ["bind", "session login", ["posId", "nonce", "key"]],
    ["session login", "bind", ["key"]],
    ["request", "bind", ["key"]],
    ["response", "bind", ["key", "datetime", "statusCode"]],
    ["login", "bind", ["key", "terminalId"]],
    ["frame", "bind", ["key", "datetime", "statusCode", "type"]],
    ["bind", "response", ["statusCode", "datetime"]],
    ["bind", "login", ["terminalId"]],
    ["bind", "frame", ["type"]],
    ["request", "frame", ["type"]],
    ["response", "frame", ["type"]],
    ["login", "frame", ["type"]],
    ["call", "request", ["call"]],
    ["call", "response", ["statusCode", "datetime", "call"]],
    ["call", "login", ["terminalId", "call"]],
    ["call", "session login", ["call"]],
    ["call", "bind", ["key", "call"]],
    ["call", "frame", ["type"]],
    ["request", "call", ["nonce", "call", "transType"]],
    ["response", "call", ["datetime", "nonce", "call", "transType", "statusCode"]],
    ["login", "call", ["posId", "nonce", "call", "terminalId"]],
    ["session login", "call", ["call"]],
    ["bind", "call", ["posId", "nonce", "call", "key"]],
    ["frame", "call", ["posId", "datetime", "nonce", "call", "type", "statusCode"]],
  ])("is a %s, and does not count as a %s", (kind, other, because) => {
    expect(paths(EXAMPLES[kind], other)).toEqual(because);
  });

  it.each<[MessageKind, string]>([
    ["request", "call statusCode type"],
    ["response", "datetime call type"],
    ["login", "call statusCode type"],
    ["session login", "transType deviceId referenceId call key terminalId type statusCode"],
    ["call", "transType deviceId referenceId key terminalId type statusCode"],
    ["bind", "terminalId call statusCode type"],
  ])("is a %s, and has none of %s", (kind, members) => {
    for (const member of members.split(" ")) {
      expect(paths({ ...EXAMPLES[kind], [member]: "any" }, kind)).toEqual([member]);
    }
  });

  it("does not count as a bind if it is a login", () => {
    expect(paths({ ...EXAMPLES.login, key: "7K3Q9ZXM" }, "bind")).toEqual(["terminalId"]);
  });

  it.each([null, ""])("lacks needed members and has forbidden ones: %j", (empty) => {
    expect(paths({ datetime: empty, statusCode: empty, type: empty }, "request")).toEqual([
      "datetime",
      "statusCode",
      "type",
    ]);
    expect(paths({ type: empty }, "frame")).toEqual(["type"]);
  });

  it("has only members of its own", () => {
    expect(paths(parsedObject('{"__proto__":{"type":"hello"}}'), "frame")).toEqual(["type"]);
  });
});
