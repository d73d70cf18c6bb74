/** Example messages of transfers, signed with a published key. */
import type { GatewayCode } from "../../protocol/gateway-codes.ts";
import { withSignature } from "../../signing/signature.ts";
import { gatewayAnswer } from "../../protocol/transactions.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";
import type { TransactionDetails, TransferAnswer } from "../../protocol/transfers.ts";

/** Signs the examples. This key is public: never use it for anything else. */
export const DEMO_SIGNING_KEY = "3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc";

type Unsigned<Message> = Omit<Message, "signature">;

function request<Message extends object>(message: Message): Message & { signature: string } {
  return withSignature(message, DEMO_SIGNING_KEY);
}

function answer(message: Unsigned<TransferAnswer>): TransferAnswer {
  return withSignature(message, DEMO_SIGNING_KEY);
}

const AT = { posId: "POS-0001", deviceId: "T-0001" };
const VERSIONS = { softwareVersion: "2.4.1", terminalSn: "SN-20417" };
const CARD = {
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

const approved = { statusCode: "00", responseCode: "00", responseText: "Approved", ...VERSIONS } as const;

const sale = request({
  transType: "sale",
  ...AT,
  merchantId: "M-1000",
  referenceId: "R-20261120-0001",
  transData: { transAmt: "12.50", paymentMethod: "bankCard", printCount: 2 },
  apiVersion: "v1",
  datetime: "20261120T021500",
});

const offlineSale = request({
  ...sale,
  referenceId: "R-20261120-0002",
  referenceLabel: "Table 7",
  transData: { transAmt: "27.00", paymentMethod: "qrMerchScan", note: "No onions", metadata: "basket 42" },
  datetime: "20261120T021600",
});

const walletSale = request({
  transType: "sale",
  ...AT,
  merchantId: "M-1000",
  referenceId: "R-20261120-0003",
  transData: { transAmt: "8.90", paymentMethod: "qrCustScan", paymentChannel: "Touch 'n Go", note: "No onions" },
  apiVersion: "v1",
  datetime: "20261120T021700",
});

const cashOut = request({
  transType: "cashOut",
  ...AT,
  merchantId: "M-1000",
  referenceId: "R-20261120-0004",
  transData: { transAmt: "12.50", cashAmt: "50.00", paymentMethod: "bankCard" },
  apiVersion: "v1",
  datetime: "20261120T021800",
});

const voiding = request({
  transType: "void",
  ...AT,
  merchantId: "M-1000",
  referenceId: "R-20261120-0005",
  transData: { transId: "1000000042" },
  apiVersion: "v1",
  datetime: "20261120T021900",
});

const inquiry = request({
  transType: "inquiry",
  ...AT,
  merchantId: "M-1000",
  referenceId: "R-20261120-0006",
  transData: { referenceId: "R-20261120-0001" },
  apiVersion: "v1",
  datetime: "20261120T022000",
});

const getLast = request({
  transType: "getLast",
  ...AT,
  merchantId: "M-1000",
  referenceId: "R-20261120-0007",
  apiVersion: "v1",
  datetime: "20261120T022100",
});

const cancel = request({
  ...AT,
  referenceId: "R-20261120-0001",
  datetime: "20261120T021530",
});

/** One of the gateway's own answers about a sale, with the details that the gateway knows. */
function own(
  code: GatewayCode,
  versions: typeof VERSIONS,
  details: Partial<TransactionDetails> & Pick<TransactionDetails, "transId" | "transAmt" | "transDateTime">,
) {
  const empty = { paymentChannel: "", invNo: "", tid: "", mid: "" };
  return { ...gatewayAnswer(code, versions), transData: { ...empty, ...details, currency: "MYR" } };
}

const unknown = { softwareVersion: "unknown", terminalSn: "unknown" };

interface Example {
  request: object;
  answer: TransferAnswer;
}

/** Requests of a POS, each with a possible answer: every type of transfer and some special cases. */
export const EXAMPLES = {
  sale: {
    request: sale,
    answer: answer({
      transType: "sale",
      ...AT,
      referenceId: sale.referenceId,
      ...approved,
      transData: { transId: "1000000042", transAmt: "12.50", ...CARD },
      apiVersion: "v1",
    }),
  },
  offlineSale: {
    request: offlineSale,
    answer: answer({
      transType: "sale",
      ...AT,
      referenceId: offlineSale.referenceId,
      ...own("TERMINAL_OFFLINE", VERSIONS, {
        transId: "1000000042",
        transAmt: "27.00",
        transDateTime: "2026-11-20T10:16:00",
        metadata: "basket 42",
      }),
      apiVersion: "v1",
    }),
  },
  walletSale: {
    request: walletSale,
    answer: answer({
      transType: "sale",
      ...AT,
      referenceId: walletSale.referenceId,
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
      apiVersion: "v1",
    }),
  },
  cashOut: {
    request: cashOut,
    answer: answer({
      transType: "cashOut",
      ...AT,
      referenceId: cashOut.referenceId,
      statusCode: "11",
      responseCode: "51",
      responseText: "Insufficient funds",
      ...VERSIONS,
      apiVersion: "v1",
    }),
  },
  void: {
    request: voiding,
    answer: answer({
      transType: "void",
      ...AT,
      referenceId: voiding.referenceId,
      ...approved,
      transData: { transId: "1000000042", transAmt: "12.50", ...CARD, transDateTime: "2026-11-20T10:19:12" },
      apiVersion: "v1",
    }),
  },
  inquiry: {
    request: inquiry,
    answer: answer({
      transType: "inquiry",
      ...AT,
      referenceId: inquiry.referenceId,
      ...approved,
      transData: { transId: "1000000042", transAmt: "12.50", ...CARD },
      originalTransType: "sale",
      originalReferenceId: "R-20261120-0001",
      voidStatus: "00",
      apiVersion: "v1",
    }),
  },
  getLast: {
    request: getLast,
    answer: answer({
      transType: "getLast",
      ...AT,
      referenceId: getLast.referenceId,
      ...own("TERMINAL_TIMEOUT", VERSIONS, {
        transId: "1000000043",
        transAmt: "8.90",
        transDateTime: "2026-11-20T10:17:00",
      }),
      originalTransType: "sale",
      originalReferenceId: "R-20261120-0003",
      apiVersion: "v1",
    }),
  },
  cancel: {
    request: cancel,
    answer: answer({
      transType: "sale",
      ...AT,
      referenceId: cancel.referenceId,
      ...own("CANCELLED", unknown, { transId: "1000000042", transAmt: "12.50", transDateTime: "2026-11-20T10:15:30" }),
      apiVersion: "v1",
    }),
  },
} satisfies Record<TransferType | "cancel", Example> & Record<string, Example>;
