/** The POS client's reading of server-sent events, regardless of how they are split. */
import { describe, it } from "vitest";
import { EventParser, readServerEvents, type ServerEvent } from "../../../../src/sdk/client/pos/server-events.ts";
import { patiently } from "../../../support/patience.ts";

function parsed(...pieces: string[]): ServerEvent[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const TEXT = ': hello\r\nevent: stage\r\ndata: {"a":1}\r\n\r\nevent:result\ndata:{"b":2}\n\n';
const EVENTS = [
  { event: "stage", data: '{"a":1}' },
  { event: "result", data: '{"b":2}' },
];

describe("a stream of events", () => {
  it("is read the same however it is cut into pieces", ({ expect }) => {
    expect(parsed(TEXT)).toEqual(EVENTS);
    expect(parsed(...TEXT)).toEqual(EVENTS);
    for (let cut = 1; cut < TEXT.length; cut++) {
      expect(parsed(TEXT.slice(0, cut), TEXT.slice(cut))).toEqual(EVENTS);
    }
  });

  it("may have comments, any line ends, and data of several lines", ({ expect }) => {
    expect(parsed("id: 7\rretry: 10\rdata: one\rdata: two\rdata\r\r:\n\n")).toEqual([
      { event: "message", data: "one\ntwo\n" },
    ]);
    expect(parsed("event: stage\n\ndata:  x\n\n")).toEqual([{ event: "message", data: " x" }]);
  });

  it("does not emit an incomplete event", ({ expect }) => {
    expect(parsed("event: result\ndata: {}\n")).toEqual([]);
  });
});

describe("the end of a stream", () => {
  it("is its last event, regardless of what follows", async ({ expect }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${TEXT}event: stage\ndata: late\n\n`)),
    });
    const before: ServerEvent[] = [];
    expect(await readServerEvents(new Response(body), "result", (event) => before.push(event))).toBe('{"b":2}');
    expect(before).toEqual(EVENTS.slice(0, 1));
  });

  it("leaves the connection free to be used again", async ({ expect }) => {
    const isRead = Promise.withResolvers<void>();
    const pieces = [TEXT, ": more\n\n", ": and more\n\n"];
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = pieces.shift();
          if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
          controller.close();
          isRead.resolve();
        },
      },
      { highWaterMark: 0 },
    );
    expect(await readServerEvents(new Response(body), "result", () => undefined)).toBe('{"b":2}');
    await patiently(isRead.promise, () => `that these are read: ${pieces.join("")}`);
  });

  it("is whole if it is cut within a character", async ({ expect }) => {
    const bytes = new TextEncoder().encode("event: result\ndata: Käse\n\n");
    for (let cut = 1; cut < bytes.length; cut++) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const piece of [bytes.slice(0, cut), bytes.slice(cut)]) controller.enqueue(piece);
          controller.close();
        },
      });
      expect(await readServerEvents(new Response(body), "result", () => undefined)).toBe("Käse");
    }
  });

  it("is null without its last event", async ({ expect }) => {
    expect(await readServerEvents(new Response(": hello\n\n"), "result", () => undefined)).toBeNull();
  });

  it("is also found if the runtime gives the whole body at once", async ({ expect }) => {
    const whole = { body: undefined, text: async () => TEXT } as unknown as Response;
    const before: ServerEvent[] = [];
    expect(await readServerEvents(whole, "result", (event) => before.push(event))).toBe('{"b":2}');
    expect(before).toEqual(EVENTS.slice(0, 1));
  });
});
