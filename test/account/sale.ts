/** A transaction as a terminal's object hands it over, for tests in the object and for tests of its parts on Node. */
import type { RecordEntry } from "../../src/rpc/account.ts";

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
