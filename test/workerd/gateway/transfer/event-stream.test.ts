/** The stream of a transfer's stages, whatever becomes of its reader. */
import { describe, it, onTestFinished, vi } from "vitest";
import { eventStream } from "../../../../src/gateway/http/pos/transfer/follow.ts";

describe("a stream of stages", () => {
  it("counts as hung up once it is in error, and never throws", ({ expect }) => {
    const hungUp = new AbortController();
    const stream = eventStream(hungUp);
    const enqueue = vi.spyOn(ReadableStreamDefaultController.prototype, "enqueue").mockImplementation(() => {
      throw new TypeError("the stream is in error");
    });
    onTestFinished(() => enqueue.mockRestore());
    stream.write(": waiting\n\n");
    expect(hungUp.signal.aborted).toBe(true);
    stream.write(": waiting\n\n");
    stream.end();
    expect(enqueue).toHaveBeenCalledTimes(1);
  });
});
