import { CARD_DETAILS } from "./terminal-examples.ts";
import type { GatewayCode } from "../../../protocol/gateway-codes.ts";
import type { Problem } from "../../../protocol/problem.ts";
import { datetimeProblems } from "../../../protocol/signing/problems.ts";
import { withSignature } from "../../../protocol/signing/signature.ts";
import { gatewayAnswer } from "../../../protocol/transactions.ts";
import type { TransferType } from "../../../protocol/transfer-types.ts";
import type { TransactionDetails, AnyTransferAnswer } from "../../../protocol/transfers.ts";

/** Signs the examples. This key is public: never use it for anything else. */
export const DEMO_SIGNING_KEY = "3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc";

/** The local time of a POS that sends it. */
export const LOCAL_TIME = {
  summary: "Local time was sent",
  problem: datetimeProblems(Date.UTC(2026, 10, 20, 10, 15), Date.UTC(2026, 10, 20, 2, 15))[0] as Problem,
};

export const LOGIN_EXAMPLES = {
  password: { posId: "POS-1001", password: "correct horse battery" },
  signed: withSignature(
    { posId: "POS-0001", datetime: "20261120T021500", nonce: "5f1c2d9e-8a57-4c0b-9a3e-2f6b1d7c4e80" },
    DEMO_SIGNING_KEY,
  ),
};

const AT = { posId: "POS-0001", deviceId: "T-0001" };
const VERSIONS = { softwareVersion: "2.4.1", terminalSn: "SN-20417" };
const approved = { statusCode: "00", responseCode: "00", responseText: "Approved", ...VERSIONS } as const;
const voidedSale = { transId: "1000000042", transAmt: "12.50", ...CARD_DETAILS };

/** Each request is sent a minute after the one before. */
function request<Members extends object>(transType: TransferType, number: number, members: Members) {
  const referenceId = `R-20261120-000${number}`;
  const head = { transType, ...AT, merchantId: "M-1000", referenceId };
  return withSignature(
    { ...head, ...members, apiVersion: "v1", datetime: `20261120T02${14 + number}00` },
    DEMO_SIGNING_KEY,
  );
}

type Outcome = Omit<AnyTransferAnswer, keyof typeof AT | "transType" | "referenceId" | "apiVersion" | "signature">;

function answer({ transType, referenceId }: Pick<AnyTransferAnswer, "transType" | "referenceId">, outcome: Outcome) {
  return withSignature({ transType, ...AT, referenceId, ...outcome, apiVersion: "v1" as const }, DEMO_SIGNING_KEY);
}

function own(
  code: GatewayCode,
  versions: typeof VERSIONS,
  details: Partial<TransactionDetails> & Pick<TransactionDetails, "transId" | "transAmt" | "transDateTime">,
) {
  const empty = { paymentChannel: "", invNo: "", tid: "", mid: "" };
  return { ...gatewayAnswer(code, versions), transData: { ...empty, ...details, currency: "MYR" } };
}

const sale = request("sale", 1, { transData: { transAmt: "12.50", paymentMethod: "bankCard", printCount: 2 } });
const offlineSale = request("sale", 2, {
  referenceLabel: "Table 7",
  transData: { transAmt: "27.00", paymentMethod: "qrMerchScan", note: "No onions", metadata: "basket 42" },
});
const walletSale = request("sale", 3, {
  transData: { transAmt: "8.90", paymentMethod: "qrCustScan", paymentChannel: "Touch 'n Go", note: "No onions" },
});
const cashOut = request("cashOut", 4, {
  transData: { transAmt: "12.50", cashAmt: "50.00", paymentMethod: "bankCard" },
});
const voiding = request("void", 5, { transData: { transId: "1000000042" } });
const inquiry = request("inquiry", 6, { transData: { referenceId: sale.referenceId } });
const getLast = request("getLast", 7, {});
const cancel = withSignature({ ...AT, referenceId: sale.referenceId, datetime: "20261120T021530" }, DEMO_SIGNING_KEY);

interface Example {
  request: object;
  answer: AnyTransferAnswer;
  words: { request: string; answer: string };
}

/** The examples of every type of transfer, and of some special cases. */
export const EXAMPLES = {
  sale: {
    words: { request: "A sale by card", answer: "Approved" },
    request: sale,
    answer: answer(sale, { ...approved, transData: voidedSale }),
  },
  offlineSale: {
    words: { request: "A sale by wallet, whose code the merchant scans", answer: "The terminal is offline" },
    request: offlineSale,
    answer: answer(
      offlineSale,
      own("TERMINAL_OFFLINE", VERSIONS, {
        transId: "1000000042",
        transAmt: "27.00",
        transDateTime: "2026-11-20T10:16:00",
        metadata: "basket 42",
      }),
    ),
  },
  walletSale: {
    words: { request: "A sale by wallet, whose code the customer scans", answer: "Pending" },
    request: walletSale,
    answer: answer(walletSale, {
      statusCode: "22",
      responseCode: "09",
      responseText: "The wallet has not confirmed yet",
      ...VERSIONS,
      transData: {
        transId: "1000000043",
        transAmt: "8.90",
        paymentChannel: "Touch 'n Go",
        transDateTime: "2026-11-20T10:17:31",
        currency: "MYR",
        invNo: "000043",
        tid: "20000001",
        mid: "300000000000001",
      },
    }),
  },
  cashOut: {
    words: { request: "A purchase with cash", answer: "Declined" },
    request: cashOut,
    answer: answer(cashOut, {
      statusCode: "11",
      responseCode: "51",
      responseText: "Insufficient funds",
      ...VERSIONS,
    }),
  },
  void: {
    words: { request: "A void", answer: "Voided" },
    request: voiding,
    answer: answer(voiding, { ...approved, transData: { ...voidedSale, transDateTime: "2026-11-20T10:19:12" } }),
  },
  inquiry: {
    words: { request: "An inquiry by reference", answer: "Approved, and voided since" },
    request: inquiry,
    answer: answer(inquiry, {
      ...approved,
      transData: voidedSale,
      originalTransType: "sale",
      originalReferenceId: sale.referenceId,
      voidStatus: "00",
    }),
  },
  getLast: {
    words: { request: "The last transaction", answer: "Pending: the terminal has not answered" },
    request: getLast,
    answer: answer(getLast, {
      ...own("TERMINAL_TIMEOUT", VERSIONS, {
        transId: "1000000043",
        transAmt: "8.90",
        transDateTime: "2026-11-20T10:17:00",
      }),
      originalTransType: "sale",
      originalReferenceId: walletSale.referenceId,
    }),
  },
  cancel: {
    words: { request: "The cancel of a sale", answer: "Cancelled: nothing was charged" },
    request: cancel,
    answer: answer(
      sale,
      own(
        "CANCELLED",
        { softwareVersion: "unknown", terminalSn: "unknown" },
        { transId: "1000000042", transAmt: "12.50", transDateTime: "2026-11-20T10:15:30" },
      ),
    ),
  },
} satisfies Record<TransferType | "cancel", Example> & Record<string, Example>;
