/** Texts for the terminal's user, without secrets (I6). */
import type { TerminalEvent } from "../client/terminal.ts";

export function eventText(event: TerminalEvent): string {
  switch (event.kind) {
    case "connected":
      return "Connected";
    case "binding":
      return event.binding.posId === null ? "Unbound" : `Bound to ${event.binding.posId}`;
    case "disconnected":
      return `Not connected (${event.code}${event.reason === "" ? "" : `, ${event.reason}`})`;
    case "replaced":
      return "Another device uses this terminal's identity";
    case "login-failed":
      return `Login failed: ${"message" in event.problem ? event.problem.message : event.problem.kind}`;
    case "accepted":
      return `${event.requestId} accepted`;
    case "refused":
      return `${event.requestId} refused: ${event.reason}`;
    case "concluded":
      return `${event.requestId} ended: ${event.statusCode} ${event.responseCode}`;
    case "acknowledged":
      return `${event.requestId} acknowledged: ${event.statusCode}`;
    case "forged-request":
      return `${event.requestId} has a wrong signature and was not answered`;
    case "bad-frame":
      return `Unreadable frame: ${event.why}`;
    case "gateway-error":
      return `The gateway reports ${event.code}: ${event.message}${event.doc === null ? "" : ` See ${event.doc}`}`;
    case "contradiction":
      return `${event.requestId} was reported as ${event.statusCode} after it ended with another status`;
    case "handler-failed":
      return `${event.requestId} failed: ${messageOf(event.error)}`;
    case "memory-failed":
      return `Cannot write the memory: ${messageOf(event.error)}`;
    default:
      return event satisfies never;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
