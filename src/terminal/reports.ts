/** A terminal's report about a request on its current connection: looked up, checked, and passed to the lane. */
import { sensitiveMembers } from "../card-data/sensitive-data.ts";
import { log } from "../outcomes/log.ts";
import type { JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import type { HelloFrame, ResultFrame, TerminalFrame } from "./frames.ts";
import type { Kept } from "./lane/index.ts";
import { checkResult, keptReport } from "./result-check.ts";
import type { TerminalSide } from "./terminal-side.ts";

export type ReportFrame = Exclude<TerminalFrame, HelloFrame>;

/** A frame, and as it was received: the signature of a result covers that. */
interface Received<Frame> {
  frame: Frame;
  signed: JsonObject;
}

export function report(
  side: TerminalSide,
  socket: WebSocket,
  { frame, signed }: Received<ReportFrame>,
  now: number,
): void {
  const { lane } = side;
  const { requestId } = frame;
  switch (frame.type) {
    case "accepted":
      lane.take({ kind: "accepted", requestId, transaction: lane.find(requestId) }, now);
      return;
    case "refused": {
      const { attempt, reason } = frame;
      lane.take({ kind: "refused", requestId, attempt, reason, transaction: lane.find(requestId) }, now);
      return;
    }
    case "progress":
      lane.take({ kind: "progress", requestId, stage: frame.stage, transaction: lane.find(requestId) }, now);
      return;
    case "result":
      reportResult(side, socket, { frame, signed }, now);
      return;
  }
}

function reportResult(
  side: TerminalSide,
  socket: WebSocket,
  { frame, signed }: Received<ResultFrame>,
  now: number,
): void {
  const { lane, records, reports } = side;
  const { requestId } = frame;
  const about = { transaction: requestId, terminal: records.terminalId };
  const secret = side.secret();
  if (secret === null || !verifySignature(signed, secret)) {
    log("warning", "result-with-wrong-signature", about);
    const message = "The result's signature is wrong. Sign it again and send it again.";
    side.connections.sendError(socket, "bad_signature", message, requestId);
    return;
  }
  // The terminal's maker must fix this. The result still counts (I4); only the sensitive data are dropped.
  if (sensitiveMembers(signed).length > 0) log("error", "result-with-sensitive-data", about);
  const transaction = lane.find(requestId);
  if (transaction === null || transaction.attempt === 0) {
    const stray = keptReport(frame, null, lane.versions);
    lane.take(
      { kind: "stray", requestId, statusCode: frame.statusCode, kept: reports.stray(requestId, stray) },
      now,
      stray,
    );
    return;
  }
  const checked = checkResult(frame, transaction, lane.versions, now);
  const result = { kind: "result", requestId, transaction, report: checked } as const;
  if (!checked.contradicts && transaction.state !== "completed") {
    lane.take({ ...result, kept: NOTHING_KEPT }, now);
    return;
  }
  const beside = keptReport(frame, transaction, lane.versions);
  lane.take({ ...result, kept: reports.beside(requestId, beside) }, now, beside);
}

/** A report that goes into its row. */
const NOTHING_KEPT: Kept = { as: [], hasRoom: true };
