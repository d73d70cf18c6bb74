/**
 * One key signs several kinds of message. What a message must and must not have tells the kinds apart, so that a signed
 * message of one kind is never taken for another: a response sent back as a request, a frame as a login.
 */
import type { JsonObject } from "./json.ts";
import type { Problem } from "../protocol/problem.ts";

export type MessageKind = "request" | "response" | "login" | "session login" | "call" | "bind" | "frame";

const MEMBERS: Record<MessageKind, { has: readonly string[]; lacks: readonly string[] }> = {
  request: { has: ["datetime"], lacks: ["call", "statusCode", "type"] },
  response: { has: ["statusCode"], lacks: ["datetime", "call", "type"] },
  login: { has: ["terminalId", "datetime"], lacks: ["call", "statusCode", "type"] },
  // Signed with the same key as requests: nothing that names a transfer, a device, a call or a key may be in it.
  "session login": {
    has: ["posId", "datetime", "nonce"],
    lacks: ["transType", "deviceId", "referenceId", "call", "key", "terminalId", "type", "statusCode"],
  },
  // Names what it calls: the same message means nothing anywhere else.
  call: {
    has: ["posId", "datetime", "nonce", "call"],
    lacks: ["transType", "deviceId", "referenceId", "key", "terminalId", "type", "statusCode"],
  },
  bind: { has: ["key", "datetime"], lacks: ["terminalId", "call", "statusCode", "type"] },
  frame: { has: ["type"], lacks: [] },
};

/**
 * Names what keeps `message` from being of `kind`; empty when nothing does. Null and empty texts do not count as having
 * a member that is needed, but do count as having one that is not allowed: other verifiers look for the name alone.
 */
export function kindProblems(message: JsonObject, kind: MessageKind): Problem[] {
  const { has, lacks } = MEMBERS[kind];
  const problems: Problem[] = [];
  for (const path of has) {
    const value = Object.hasOwn(message, path) ? message[path] : undefined;
    if (value === undefined || value === null || value === "") {
      problems.push({ path, message: `This field is required in a ${kind}.` });
    }
  }
  for (const path of lacks) {
    if (Object.hasOwn(message, path)) {
      problems.push({
        path,
        message: `A ${kind} must not have this field, which marks another kind of message. Remove it and sign again.`,
      });
    }
  }
  return problems;
}
