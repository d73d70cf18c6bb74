import { describe, it } from "vitest";
import { prefers } from "../../../../src/gateway/http/middleware/accept.ts";
import { EVENT_STREAM } from "../../../../src/gateway/http/pos/transfer/follow.ts";

describe("the form of a transfer's answer", () => {
  const cases: [accept: string | undefined, isStream: boolean][] = [
    [undefined, false],
    ["", false],
    ["*/*", false],
    ["application/json", false],
    ["text/*", false],
    ["text/event-stream", true],
    ["Text/Event-Stream; charset=utf-8", true],
    ["application/json, text/event-stream", true],
    ["text/event-stream, application/json;q=0.9", true],
    ["text/event-stream;q=0.5, */*", true],
    ["application/json, text/event-stream;q=0.5", false],
    ["text/event-stream;q=0", false],
    ["text/event-stream;q=0.000, application/json;q=0", false],
    ["text/event-stream;q=high", true],
  ];
  it.for(cases)("is, for Accept: %s, a stream: %s", ([accept, isStream], { expect }) => {
    expect(prefers(EVENT_STREAM, accept)).toBe(isStream);
  });
});
