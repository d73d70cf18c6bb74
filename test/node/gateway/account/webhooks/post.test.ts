/** A call to an address that someone else chose: what is sent, what is read, and when it ends. */
import { describe, it, vi } from "vitest";
import { post } from "../../../../../src/gateway/account/webhooks/sending.ts";
import { DELIVERY_WAIT } from "../../../../../src/protocol/limits.ts";
import { type Answering, hanging, Receivers } from "../../../../support/receiver.ts";
import { ADDRESS, NOON, useNoon } from "./memory-shop.ts";

useNoon();

const BODY = JSON.stringify({ type: "ping" });

/** Posts to a receiver. */
function posted(answer: Answering) {
  const receivers = Receivers.start(answer);
  const answered = post(ADDRESS, { "x-test": "1" }, BODY, new AbortController());
  return { answered, call: receivers.received[0] };
}

describe("a call", () => {
  it("posts the text with headers, follows no redirect, measures its time", async ({ expect }) => {
    const { answered, call } = posted(() => {
      vi.setSystemTime(NOON + 1_234);
      return 302;
    });
    expect(call).toMatchObject({ url: ADDRESS, body: BODY, redirect: "manual", method: "POST" });
    expect(call?.headers.get("x-test")).toBe("1");
    expect(call?.signal.aborted).toBe(false);
    expect(await answered).toEqual({ status: 302, milliseconds: 1_234 });
  });

  it("drops the answer's body unread, and ends with its status", async ({ expect }) => {
    const cancelled = vi.fn<() => void>();
    const { answered, call } = posted(() => new Response(new ReadableStream({ cancel: cancelled }), { status: 200 }));
    expect((await answered).status).toBe(200);
    expect(cancelled).toHaveBeenCalledOnce();
    expect(call?.signal.aborted).toBe(true);
  });

  it("counts even if the body of its answer cannot be dropped", async ({ expect }) => {
    const broken = new ReadableStream({
      cancel: () => {
        throw new Error("broken");
      },
    });
    const { answered } = posted(() => new Response(broken, { status: 200 }));
    expect((await answered).status).toBe(200);
  });

  it("has no status if it fails, and hides its error", async ({ expect }) => {
    const { answered, call } = posted(() => {
      throw new TypeError(`cannot load ${ADDRESS}`);
    });
    expect(await answered).toEqual({ status: null, milliseconds: 0 });
    expect(call?.signal.aborted).toBe(true);
  });

  it("ends after ten seconds", async ({ expect }) => {
    const { answered, call } = posted(hanging().answer);
    await vi.advanceTimersByTimeAsync(DELIVERY_WAIT - 1);
    expect(call?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(call?.signal.aborted).toBe(true);
    expect(await answered).toEqual({ status: null, milliseconds: DELIVERY_WAIT });
  });
});
