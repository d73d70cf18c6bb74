/** Which frames of a terminal are readable, and what is read of them. */
import { describe, it } from "vitest";
import { DATE_TIME, terminalFrame } from "../../../../src/protocol/terminal-frames.ts";
import { readMessage } from "../../../../src/gateway/terminal/terminal-socket.ts";
import { OPEN_REQUESTS } from "../../../../src/protocol/limits.ts";

const requestId = "1000000001";
const versions = { softwareVersion: "1.0", terminalSn: "SN-1" };

const FRAMES = {
  hello: { type: "hello", nonce: "n", ...versions, memory: "m", open: [requestId], signature: "s" },
  accepted: { type: "accepted", requestId, attempt: 1 },
  refused: { type: "refused", requestId, attempt: 1, reason: "busy" },
  progress: { type: "progress", requestId, stage: "pin" },
  result: {
    type: "result",
    requestId,
    statusCode: "00",
    responseCode: "00",
    responseText: "Approved.",
    ...versions,
    transData: { invNo: "1" },
    signature: "s",
  },
};

type Name = keyof typeof FRAMES;

/** Whether a frame is readable with these members changed; undefined: left out. */
function isReadable(name: Name, changes: object): boolean {
  return terminalFrame.safeParse(JSON.parse(JSON.stringify({ ...FRAMES[name], ...changes }))).success;
}

/** What is read of a member. */
function read(name: Name, member: string, value: unknown): unknown {
  return (terminalFrame.parse({ ...FRAMES[name], [member]: value }) as Record<string, unknown>)[member];
}

/** Without them, the frame still counts. */
const TEXTS = ["softwareVersion", "terminalSn", "responseCode", "responseText", "transData"];

describe("a terminal's frame", () => {
  it.for(Object.entries(FRAMES))("needs each member of %s, except texts and details", ([name, frame], { expect }) => {
    const members = Object.keys(frame);
    const needed = members.filter((member) => !isReadable(name as Name, { [member]: undefined }));
    expect(needed).toEqual(members.filter((member) => !TEXTS.includes(member)));
    const numbers = name === "hello" ? { open: [1_000_000_001] } : { requestId: 1_000_000_001 };
    expect(terminalFrame.parse({ ...frame, more: 1 })).toEqual({ ...frame, ...numbers });
  });

  it("names its requests by their numbers, as text or number", ({ expect }) => {
    for (const right of ["1000000000", "9999999999", 1_000_000_000, 9_999_999_999]) {
      expect([read("accepted", "requestId", right), read("hello", "open", [right])]).toEqual([
        Number(right),
        [Number(right)],
      ]);
    }
    for (const wrong of ["999999999", "10000000000", "1e9", "", 999_999_999, 10_000_000_000, 1_000_000_000.5, null]) {
      expect([isReadable("accepted", { requestId: wrong }), isReadable("hello", { open: [wrong] })]).toEqual([
        false,
        false,
      ]);
    }
  });

  it.for<[Name, string, unknown[], unknown[]]>([
    ["accepted", "attempt", [1, 7], [0, -1, 1.5, "1"]],
    ["refused", "attempt", [1], [0]],
    ["refused", "reason", ["busy", "expired", "unbound", "unsupported", "unknown"], ["tired", 1]],
    ["progress", "stage", ["present", "reading", "pin", "scan", "authorising", "printing"], ["dancing"]],
    ["result", "statusCode", ["00", "11", "22"], ["33", 0]],
    ["hello", "memory", ["m", "m".repeat(128)], ["", "m".repeat(129), 7]],
    ["hello", "open", [[], Array(OPEN_REQUESTS).fill(requestId)], [Array(OPEN_REQUESTS + 1).fill(requestId), {}]],
    ["hello", "nonce", ["", "n"], [7]],
    ["hello", "signature", ["", "s"], [7]],
    ["result", "signature", ["", "s"], [7]],
  ])("is %s with a %s of some kind", ([name, member, right, wrong], { expect }) => {
    for (const value of right) expect(isReadable(name, { [member]: value }), JSON.stringify(value)).toBe(true);
    for (const value of wrong) expect(isReadable(name, { [member]: value }), JSON.stringify(value)).toBe(false);
  });

  it("may report texts as numbers, but as nothing else", ({ expect }) => {
    for (const [name, member] of [
      ["hello", "softwareVersion"],
      ["hello", "terminalSn"],
      ["result", "responseCode"],
      ["result", "responseText"],
      ["result", "softwareVersion"],
      ["result", "terminalSn"],
    ] as const) {
      expect([5, "5", null, {}, undefined].map((value) => read(name, member, value))).toEqual(["5", "5", "", "", ""]);
    }
    const details = [{ a: { b: 1 } }, {}, null, [], "x", undefined].map((value) => read("result", "transData", value));
    expect(details).toEqual([{ a: { b: 1 } }, {}, null, null, null, null]);
  });

  it("is explained with where it is wrong if it is invalid", ({ expect }) => {
    const message = readMessage(JSON.stringify({ ...FRAMES.hello, open: [requestId, "x"] }));
    expect(message).toEqual({ kind: "bad", problem: expect.stringMatching(/^open\.1: \w/u) as string });
  });

  it("has its local time in one form", ({ expect }) => {
    expect(DATE_TIME.test("2026-11-20T18:04:07")).toBe(true);
    for (const wrong of ["2026-11-20 18:04:07", "2026-11-20T18:04:07Z", " 2026-11-20T18:04:07", "26-11-20T18:04:07"]) {
      expect(DATE_TIME.test(wrong)).toBe(false);
    }
  });
});
