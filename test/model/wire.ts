/** The model's words, as they stand on the wire of the real gateway, and back. */
import { withSignature } from "../../src/protocol/signing/signature.ts";
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import type { Answer as Received, CallOptions } from "../support/gateway.ts";
import type { Pos, TransferAnswer } from "../support/pos.ts";
import { Violation } from "./oracle.ts";
import type { Answer, DownFrame, Message, UpFrame } from "./vocabulary.ts";

const VERSIONS = { softwareVersion: "model-1.0", terminalSn: "SN-1" };

/** A device's frame as text; a result that is forged is signed with another secret. */
export function textOf(frame: UpFrame, secret: string): string {
  switch (frame.type) {
    case "ping":
    case "pong":
      return frame.type;
    case "hello":
      return signed({ ...frame, open: frame.open.map(String), ...VERSIONS }, secret);
    case "result": {
      const { requestId, statusCode, amount, forged } = frame;
      const result = {
        type: "result",
        requestId: String(requestId),
        statusCode,
        responseCode: statusCode === "00" ? "00" : statusCode === "11" ? "05" : "09",
        ...VERSIONS,
        ...(amount === undefined ? {} : { transData: { transAmt: amount } }),
      };
      return signed(result, forged === true ? "another secret" : secret);
    }
    case "accepted":
    case "refused":
    case "progress":
      return JSON.stringify({ ...frame, requestId: String(frame.requestId) });
  }
}

function signed(frame: object, secret: string): string {
  return JSON.stringify(withSignature(frame, secret));
}

export function sendAs(pos: Pos, message: Message, options: CallOptions): Promise<Received<TransferAnswer>> {
  const members = { referenceId: message.reference };
  switch (message.kind) {
    case "sale":
      return pos.sale(members, { transAmt: message.amount }, options);
    case "cashOut": {
      const transData = { transAmt: message.amount, cashAmt: "5.00", paymentMethod: "bankCard" };
      return pos.transfer(pos.body("cashOut", { ...members, transData }), options);
    }
    case "void":
      return pos.void(String(message.transId), members, options);
    case "inquiry":
      if (message.transId !== undefined) return pos.inquiry({ transId: String(message.transId) }, members, options);
      return pos.inquiry(message.named === undefined ? undefined : { referenceId: message.named }, members, options);
    case "getLast":
      return pos.getLast(members, options);
    case "cancel":
      return pos.cancel(message.reference, {}, options);
  }
}

/** An answer as the oracle reads it. A known asker gets a status or a 400, nothing else. */
export function readAnswer(message: Message, { status, body: answer }: Received<TransferAnswer>): Answer {
  if (status === 400) return { kind: "refused", code: answer.code ?? 0 };
  if (status !== 200) {
    throw new Violation("I3", `${JSON.stringify(message)} is answered ${status} ${JSON.stringify(answer)}`);
  }
  const { statusCode, responseCode, responseText, softwareVersion, terminalSn, transData } = answer;
  const named = message.kind === "inquiry" ? message.named : undefined;
  return {
    kind: "status",
    statusCode,
    responseCode,
    posId: "P",
    referenceId: answer.originalReferenceId ?? named ?? message.reference,
    requestId: null,
    frozen:
      statusCode === "22" ? "" : JSON.stringify([responseCode, responseText, softwareVersion, terminalSn, transData]),
  };
}

/** A frame as the model's devices read it. */
export function readFrame(text: string, posOf: (posId: unknown) => string | null): DownFrame {
  if (text === "ping" || text === "pong") return { type: text };
  const frame = JSON.parse(text) as Record<string, unknown> & { type: string };
  const number = (name: string): number => Number(frame[name]);
  const requestId = number("requestId");
  const posId = posOf(frame["posId"]);
  switch (frame.type) {
    case "welcome":
      return { type: "welcome", nonce: String(frame["nonce"]), serverTime: number("serverTime"), posId };
    case "ready":
      return { type: "ready" };
    case "request": {
      const { transAmt } = frame["transData"] as { transAmt?: string };
      return {
        type: "request",
        requestId,
        attempt: number("attempt"),
        transType: frame["transType"] as "sale" | "cashOut" | "void",
        posId: posId ?? "",
        referenceId: String(frame["referenceId"]),
        transId: number("transId"),
        amount: transAmt ?? null,
        deliverBy: number("deliverBy"),
        respondBy: number("respondBy"),
      };
    }
    case "ask":
    case "cancel":
      return { type: frame.type, requestId, attempt: number("attempt") };
    case "ack":
      return { type: "ack", requestId, statusCode: frame["statusCode"] as StatusCode };
    case "binding":
      return { type: "binding", posId };
    case "error":
      return {
        type: "error",
        code: String(frame["code"]),
        requestId: frame["requestId"] === undefined ? null : requestId,
      };
    default:
      throw new Violation("frames", `${text} is no frame of the protocol`);
  }
}
