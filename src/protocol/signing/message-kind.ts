/**
 * One key signs several kinds of message. Required and forbidden members distinguish them, so that a signed message of
 * one kind is never accepted as another: a response as a request, a frame as a login.
 */
import type { JsonObject } from "./json.ts";
import type { Problem } from "../problem.ts";

export type MessageKind = "request" | "response" | "login" | "session login" | "call" | "bind" | "frame";

const MEMBERS: Record<MessageKind, { has: readonly string[]; lacks: readonly string[] }> = {
  request: { has: ["datetime"], lacks: ["call", "statusCode", "type"] },
  response: { has: ["statusCode"], lacks: ["datetime", "call", "type"] },
  login: { has: ["terminalId", "datetime"], lacks: ["call", "statusCode", "type"] },
  // Signed with the same key as requests, so it must not name a transfer, a device, a call or a key.
  "session login": {
    has: ["posId", "datetime", "nonce"],
    lacks: ["transType", "deviceId", "referenceId", "call", "key", "terminalId", "type", "statusCode"],
  },
  // The message is invalid for any other call.
  call: {
    has: ["posId", "datetime", "nonce", "call"],
    lacks: ["transType", "deviceId", "referenceId", "key", "terminalId", "type", "statusCode"],
  },
  bind: { has: ["key", "datetime"], lacks: ["terminalId", "call", "statusCode", "type"] },
  frame: { has: ["type"], lacks: [] },
};

/**
 * The problems that keep `message` from being of `kind`. A required member must not be null or empty. A forbidden one
 * must not be there even if it is null or empty: other verifiers look only at names.
 */
export function kindProblems(message: JsonObject, kind: MessageKind): Problem[] {
  const { has, lacks } = MEMBERS[kind];
  const problems: Problem[] = [];
  for (const path of has) {
    const value = message[path];
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
