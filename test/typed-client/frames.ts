/** A terminal's developer reads frames by types that two generators made of their schema. */
import type { components } from "./frames-gateway.d.ts";
import type { Frame as HeyFrame } from "./hey-frames/types.gen.ts";

type Frame = components["schemas"]["Frame"];

/** Each frame is told apart by its type, and each member has its own. */
export function describeFrame(frame: Frame): string {
  if (frame.type === "request") return `${frame.requestId} ${frame.transType} until ${frame.respondBy.toFixed(0)}`;
  if (frame.type === "welcome") return `${frame.nonce} ${frame.serverTime.toFixed(0)} ${frame.posId ?? "unbound"}`;
  if (frame.type === "ack") return `${frame.requestId} ${frame.statusCode}`;
  return frame.type;
}

export const accepted: Frame = { type: "accepted", requestId: "1000000042", attempt: 1 };
export const refused: HeyFrame = { type: "refused", requestId: "1000000042", attempt: 1, reason: "busy" };

// @ts-expect-error A frame without its requestId is not one.
export const lost: HeyFrame = { type: "accepted", attempt: 1 };
