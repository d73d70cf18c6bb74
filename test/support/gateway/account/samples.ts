/** Transactions, messages and endpoints as an account meets them, for tests in the object and for tests of its parts on Node. */
import type { Endpoint } from "../../../../src/gateway/account/storage/webhooks.ts";
import type { RecordEntry, SignedMessage } from "../../../../src/gateway/account/rpc.ts";
import type { Inquiry } from "../../../../src/protocol/transfer-message.ts";
import { signedForm } from "../../../../src/protocol/signing/canonical.ts";
import { sign } from "../../../../src/protocol/signing/signature.ts";

export type EntryChanges = Partial<Omit<RecordEntry, "transaction">> & {
  transaction?: Partial<RecordEntry["transaction"]>;
};

/** A sale of T-1, approved now, unless `changes` say otherwise. */
export function saleEntry(requestId: number, { transaction = {}, ...changes }: EntryChanges = {}): RecordEntry {
  return {
    requestId,
    revision: 1,
    deviceId: "T-1",
    receivedAt: Date.now(),
    completedAt: Date.now(),
    times: {},
    voids: null,
    ...changes,
    transaction: { ...SALE, referenceId: `R-${requestId}`, ...transaction },
  };
}

const SALE: Omit<RecordEntry["transaction"], "referenceId"> = {
  transType: "sale",
  merchantId: "M-1",
  statusCode: "00",
  responseCode: "00",
  responseText: "Approved.",
  completedBy: "terminal",
  transAmt: "12.50",
  cashAmt: null,
  currency: "MYR",
  paymentMethod: "bankCard",
  paymentChannel: "VISA",
  cardNo: "xxxxxxxxxxxx1111",
  invNo: "000001",
  batchNo: "000001",
  tid: "T-1",
  mid: "M-1",
  rrn: "001000000000",
  apprCode: "S00000",
  transDateTime: "2026-11-22T13:47:26",
  transId: null,
};

/** The report of a transaction that is not completed. */
export const OPEN: EntryChanges = {
  completedAt: null,
  transaction: { statusCode: "22", responseCode: "TERMINAL_TIMEOUT", completedBy: null },
};

/** What an operator has set for the account of the tests on Node. */
export const DETAILS = {
  posId: "pos-1",
  merchantId: "M-1",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Counter",
  region: "apac",
} as const;

/** `wh_1`, to which nothing was sent, unless `changes` say otherwise. */
export function newEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  return {
    id: 1,
    host: "books.example.com",
    address: "sealed address",
    secret: "sealed secret",
    previousSecret: null,
    previousSecretUntil: null,
    generation: 1,
    cursor: 0,
    skipped: 0,
    failures: 0,
    failingSince: null,
    retryAt: null,
    attempts: [],
    disabledBy: null,
    disabledAt: null,
    ...changes,
  };
}

/** Members of any kind of message. */
export type MessageChanges = Partial<
  Pick<SignedMessage, "kind" | "posId" | "sessionId" | "deviceId" | "referenceId" | "signature"> &
    Pick<Inquiry, "transType" | "namedReferenceId" | "namedTransId">
>;

/** An inquiry about its own reference. */
export const INQUIRY = {
  kind: "inquire",
  transType: "inquiry",
  namedTransId: null,
  namedReferenceId: null,
} as const satisfies MessageChanges;

/** A signed sale under R-1 at T-1 as the Worker hands it over, unless `changes` say otherwise. */
export function signedMessage(
  key: string,
  changes: MessageChanges & Pick<SignedMessage, "posId" | "sessionId">,
): SignedMessage {
  const body = { posId: changes.posId, salt: crypto.randomUUID() };
  return {
    kind: "submit",
    deviceId: "T-1",
    referenceId: "R-1",
    merchantId: "M-1",
    transType: "sale",
    terms: {},
    details: {},
    datetime: Date.now(),
    signedForm: signedForm(body),
    signature: sign(body, key),
    ...changes,
  } as SignedMessage;
}

/** As many numbers of events as are asked for, in order. */
export function upTo(many: number, from = 1): number[] {
  return Array.from({ length: many }, (_, index) => from + index);
}
