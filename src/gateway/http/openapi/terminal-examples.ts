import type * as z from "zod";
import { exampleDoc } from "../../../protocol/schemas/fields.ts";
import type { bindingFrame, gatewayFrame } from "../../../protocol/schemas/frames.ts";
import type { terminalFrame } from "../../../protocol/terminal-frames.ts";
import { PING, PONG } from "../../../protocol/frames.ts";
import { withSignature } from "../../../protocol/signing/signature.ts";

/** Signs the examples of a terminal's messages. This secret is public: never use it for anything else. */
export const DEMO_TERMINAL_SECRET = "c2VjcmV0LW9mLXRoZS1kb2N1bWVudGF0aW9uLW9ubHk";

type GatewayFrame = z.infer<typeof gatewayFrame>;
type TerminalInput = z.input<typeof terminalFrame>;
type Gateway<Type extends string> = Extract<GatewayFrame, { type: Type }>;
type Terminal<Type extends string> = Extract<TerminalInput, { type: Type }>;

const NOW = Date.UTC(2026, 10, 20, 2, 15);
const REQUEST_ID = "1000000042";

const binding = {
  posId: "POS-0001",
  merchantId: "M-1000",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
} satisfies Omit<z.infer<typeof bindingFrame>, "type">;

function signed<Message extends object>(message: Message): Message & { signature: string } {
  return withSignature(message, DEMO_TERMINAL_SECRET);
}

export const TERMINAL_EXAMPLES = {
  login: signed({ terminalId: "T-0001", datetime: "20261120T021500", nonce: "5d0c1f0e-7a9b-4c36-9d52-3f1e8b6a2c47" }),
  bind: signed({ key: "7K3Q9ZXM", datetime: "20261120T021500", nonce: "b81e6f92-0c4d-4e7a-8f35-a6d2c9047e1b" }),
};

export const SIGNED_REQUEST = signed({
  type: "request" as const,
  requestId: REQUEST_ID,
  attempt: 1,
  transType: "sale" as const,
  posId: binding.posId,
  merchantId: binding.merchantId,
  referenceId: "R-20261120-0001",
  currency: binding.currency,
  transId: REQUEST_ID,
  transData: { transAmt: "12.50", paymentMethod: "bankCard" as const, printCount: 2 },
  deliverBy: NOW + 10_000,
  respondBy: NOW + 75_000,
});

export const GATEWAY_FRAMES: { [Type in GatewayFrame["type"]]: Gateway<Type> } = {
  welcome: {
    type: "welcome",
    terminalId: "T-0001",
    ...binding,
    nonce: "bm9uY2Utb2YtMTYtYnl0ZQ",
    serverTime: NOW,
    heartbeatSeconds: 30,
  },
  ready: { type: "ready" },
  request: SIGNED_REQUEST,
  ask: { type: "ask", requestId: REQUEST_ID, attempt: 1 },
  cancel: { type: "cancel", requestId: REQUEST_ID, attempt: 1 },
  ack: { type: "ack", requestId: REQUEST_ID, statusCode: "00" },
  binding: { type: "binding", ...binding },
  error: {
    type: "error",
    code: "bad_signature",
    message: "The result's signature is wrong. Sign it again and send it again.",
    doc: exampleDoc("bad_signature"),
    requestId: REQUEST_ID,
  },
};

export const CARD_DETAILS = {
  paymentChannel: "VISA",
  transDateTime: "2026-11-20T10:15:42",
  currency: "MYR",
  cardNo: "xxxxxxxxxxxx1234",
  invNo: "000042",
  batchNo: "000007",
  tid: "20000001",
  mid: "300000000000001",
  entryMode: "Contactless",
  rrn: "632410000042",
  apprCode: "A1B2C3",
  aid: "A0000000031010",
  cvmType: "00",
  cardLabel: "VISA CREDIT",
} as const;

const DECLINED = { statusCode: "11", responseCode: "51", responseText: "Insufficient funds" } as const;
const OPEN = { statusCode: "22", responseCode: "09", responseText: "The wallet has not confirmed yet" } as const;

export const TERMINAL_FRAMES: { [Type in TerminalInput["type"]]: Terminal<Type> } = {
  hello: signed({
    type: "hello",
    nonce: GATEWAY_FRAMES.welcome.nonce,
    softwareVersion: "2.4.1",
    terminalSn: "SN-20417",
    memory: "6f1c2d3e-4b5a-4978-8c6d-0e1f2a3b4c5d",
    open: [],
  }),
  accepted: { type: "accepted", requestId: REQUEST_ID, attempt: 1 },
  refused: { type: "refused", requestId: REQUEST_ID, attempt: 1, reason: "busy" },
  progress: { type: "progress", requestId: REQUEST_ID, stage: "authorising" },
  result: signed({
    type: "result",
    requestId: REQUEST_ID,
    statusCode: "00",
    responseCode: "00",
    responseText: "Approved",
    softwareVersion: "2.4.1",
    terminalSn: "SN-20417",
    transData: { transAmt: "12.50", ...CARD_DETAILS },
  }),
};

/** A sale on a new connection, frame by frame. */
export const EXCHANGE: readonly (readonly [from: "gateway" | "terminal", frame: object | string])[] = [
  ["gateway", GATEWAY_FRAMES.welcome],
  ["terminal", TERMINAL_FRAMES.hello],
  ["gateway", GATEWAY_FRAMES.ready],
  ["terminal", PING],
  ["gateway", PONG],
  ["gateway", GATEWAY_FRAMES.request],
  ["terminal", TERMINAL_FRAMES.accepted],
  ["terminal", TERMINAL_FRAMES.progress],
  ["terminal", TERMINAL_FRAMES.result],
  ["gateway", GATEWAY_FRAMES.ack],
];

export const FURTHER_FRAMES: { name: string; summary: string; payload: GatewayFrame | TerminalInput }[] = [
  {
    name: "wallet",
    summary: "A wallet sale whose code the customer scans.",
    payload: signed({
      ...SIGNED_REQUEST,
      requestId: "1000000043",
      referenceId: "R-20261120-0003",
      referenceLabel: "Table 7",
      transId: "1000000043",
      transData: { transAmt: "8.90", paymentMethod: "qrCustScan", paymentChannel: "Touch 'n Go", note: "No onions" },
    }),
  },
  {
    name: "void",
    summary: "A void of the sale above, named by `transId`.",
    payload: signed({
      ...SIGNED_REQUEST,
      requestId: "1000000044",
      transType: "void",
      referenceId: "R-20261120-0005",
      transId: REQUEST_ID,
      transData: { transId: REQUEST_ID },
    }),
  },
  {
    name: "declined",
    summary: "A result of a declined sale.",
    payload: signed({
      ...TERMINAL_FRAMES.result,
      ...DECLINED,
      transData: { paymentChannel: "VISA", entryMode: "contact" },
    }),
  },
  {
    name: "open",
    summary: "A pending result: the wallet has not confirmed yet.",
    payload: signed({ ...TERMINAL_FRAMES.result, ...OPEN, transData: { paymentChannel: "Touch 'n Go" } }),
  },
  {
    name: "back",
    summary: "A hello after a restart, with a pending request.",
    payload: signed({ ...TERMINAL_FRAMES.hello, open: [REQUEST_ID] }),
  },
];
