import { describe, it } from "vitest";
import type { TerminalEvent } from "../../../../src/sdk/client/terminal.ts";
import { eventText } from "../../../../src/sdk/simulator/event-text.ts";

const requestId = "1000000001";
const bound = { posId: "POS-1", merchantId: "M-1", currency: "MYR", timezone: "Asia/Kuala_Lumpur" };
const unbound = { posId: null, merchantId: null, currency: null, timezone: null };
const unreachable = { kind: "unreachable", message: "The gateway cannot be reached." } as const;
const away = { kind: "disconnected", code: 1006, reconnectInMs: 5 } as const;
const error = { kind: "gateway-error", code: "bad_frame", message: "No frame.", requestId } as const;

describe("the text for a terminal's event", () => {
  it.for<[TerminalEvent, string]>([
    [{ kind: "connected", binding: bound }, "Connected"],
    [{ kind: "binding", binding: bound }, "Bound to POS-1"],
    [{ kind: "binding", binding: unbound }, "Unbound"],
    [{ ...away, reason: "" }, "Not connected (1006)"],
    [{ ...away, reason: "login failed" }, "Not connected (1006, login failed)"],
    [{ kind: "replaced" }, "Another device uses this terminal's identity"],
    [{ kind: "login-failed", problem: unreachable }, "Login failed: The gateway cannot be reached."],
    [{ kind: "login-failed", problem: { kind: "rate-limited", retryAfterSeconds: 7 } }, "Login failed: rate-limited"],
    [{ kind: "accepted", requestId }, "1000000001 accepted"],
    [{ kind: "refused", requestId, reason: "busy" }, "1000000001 refused: busy"],
    [{ kind: "concluded", requestId, statusCode: "11", responseCode: "05" }, "1000000001 ended: 11 05"],
    [{ kind: "acknowledged", requestId, statusCode: "00" }, "1000000001 acknowledged: 00"],
    [{ kind: "forged-request", requestId }, "1000000001 has a wrong signature and was not answered"],
    [{ kind: "bad-frame", why: "not JSON" }, "Unreadable frame: not JSON"],
    [{ ...error, doc: null }, "The gateway reports bad_frame: No frame."],
    [
      { ...error, doc: "https://gateway.test/docs" },
      "The gateway reports bad_frame: No frame. See https://gateway.test/docs",
    ],
    [
      { kind: "contradiction", requestId, statusCode: "00" },
      "1000000001 was reported as 00 after it ended with another status",
    ],
    [{ kind: "handler-failed", requestId, error: new Error("no paper") }, "1000000001 failed: no paper"],
    [{ kind: "memory-failed", error: "disk full" }, "Cannot write the memory: disk full"],
  ])("%j: %s", ([event, text], { expect }) => {
    expect(eventText(event)).toBe(text);
  });
});
