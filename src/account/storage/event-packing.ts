/** How the body of an event is stored. */
import { Packing } from "../../objects/storage/packing.ts";

/** Append-only; see `Packing`. */
export const EVENT_PACKING = new Packing([
  // Changes are rarer than settlements, and wallets rarer than cards.
  [
    '"settledAt":null,"day":null,',
    '"type":"transaction.pending","type":"transaction.updated","statusCode":"22","responseCode":"TERMINAL_TIMEOUT",',
    '"responseCode":"TERMINAL_LOST","responseText":"The terminal did not answer in time. Ask again with the same ',
    'referenceId. Do not charge again.","responseText":"The connection to the terminal was lost. ',
    '"responseCode":"CANCELLED","responseText":"The transaction was cancelled. Nothing was charged.",',
    '"responseCode":"TERMINAL_BUSY","responseText":"The terminal is busy. Nothing was charged. Try again when it is free.",',
    '"responseCode":"TERMINAL_OFFLINE","responseText":"The terminal is not connected. Nothing was charged. Check the ',
    'terminal and try again.","settledBy":"operator","settledBy":"gateway","transType":"void","transType":"cashOut",',
    '"paymentMethod":"qrMerchScan","paymentMethod":"qrCustScan","cardNo":null,"batchNo":null,"rrn":null,"apprCode":null,',
    '"statusCode":"11","responseCode":"05","responseText":"DECLINED","responseText":"APPROVED","responseText":null,',
    '"paymentChannel":"AMEX","paymentChannel":"MASTERCARD",',
    '{"id":"evt_',
    '","number":',
    ',"type":"transaction.settled","timestamp":"2026-',
    ':00","data":{"requestId":"1000',
    '","transType":"sale","deviceId":"',
    '","merchantId":"',
    '","referenceId":"',
    '","statusCode":"00","responseCode":"00","responseText":"Approved.","settledBy":"terminal","receivedAt":"2026-',
    ':00","settledAt":"2026-',
    ':00","day":"2026-',
    '","transAmt":"',
    '.00","cashAmt":null,"currency":"MYR","paymentMethod":"bankCard","cardNo":"',
    '","invNo":"0000',
    '","batchNo":"0000',
    '","tid":"',
    '","mid":"0000',
    '","rrn":"',
    '","apprCode":"',
    '","transDateTime":"2026-',
    '","paymentChannel":"VISA","transId":null,"voidedBy":null}}',
  ].join(""),
]);
