import type { AccountEvent, AccountTransaction } from "../events.ts";

const sale: AccountTransaction = {
  requestId: "1000000042",
  transType: "sale",
  deviceId: "T-0001",
  merchantId: "M-1000",
  referenceId: "R-20261120-0001",
  statusCode: "00",
  responseCode: "00",
  responseText: "Approved",
  completedBy: "terminal",
  receivedAt: "2026-11-20T10:15:30.000+08:00",
  completedAt: "2026-11-20T10:15:42.310+08:00",
  day: "2026-11-20",
  transAmt: "12.50",
  cashAmt: null,
  currency: "MYR",
  paymentMethod: "bankCard",
  paymentChannel: "VISA",
  cardNo: "xxxxxxxxxxxx1234",
  invNo: "000042",
  batchNo: "000007",
  tid: "20000001",
  mid: "300000000000001",
  rrn: "632410000042",
  apprCode: "A1B2C3",
  transDateTime: "2026-11-20T10:15:42",
  transId: null,
  voidedBy: null,
};

const wallet: AccountTransaction = {
  ...sale,
  requestId: "1000000043",
  referenceId: "R-20261120-0003",
  statusCode: "22",
  responseCode: "TERMINAL_TIMEOUT",
  responseText: "The terminal has not answered. The outcome is not known yet.",
  completedBy: null,
  receivedAt: "2026-11-20T10:17:00.000+08:00",
  completedAt: null,
  day: null,
  transAmt: "8.90",
  paymentMethod: "qrCustScan",
  paymentChannel: "Touch 'n Go",
  cardNo: null,
  invNo: null,
  batchNo: null,
  tid: null,
  mid: null,
  rrn: null,
  apprCode: null,
  transDateTime: null,
};

function event<Type extends AccountEvent["type"], Data>(number: number, type: Type, timestamp: string, data: Data) {
  return { id: `evt_POS-0001_${number}`, number, type, timestamp, data };
}

export const EVENT_EXAMPLES = {
  "transaction.completed": event(41, "transaction.completed", "2026-11-20T10:15:42.391+08:00", sale),
  "transaction.pending": event(42, "transaction.pending", "2026-11-20T10:18:30.120+08:00", wallet),
  "transaction.updated": event(43, "transaction.updated", "2026-11-20T10:19:13.020+08:00", {
    ...sale,
    voidedBy: { requestId: "1000000044", referenceId: "R-20261120-0005" },
  }),
  "transaction.conflict": event(48, "transaction.conflict", "2026-11-23T14:30:02.110+08:00", {
    transaction: {
      requestId: "1000000043",
      transType: "sale" as const,
      deviceId: "T-0001",
      referenceId: "R-20261120-0003",
      statusCode: "11" as const,
      responseCode: "RESOLVED",
      completedBy: "operator" as const,
      transAmt: "8.90",
      cashAmt: null,
      currency: "MYR",
    },
    reportedAt: "2026-11-23T14:30:01.980+08:00",
    reported: {
      statusCode: "00" as const,
      responseCode: "00",
      responseText: "Approved",
      transAmt: "8.90",
      cashAmt: null,
      currency: "MYR",
    },
  }),
  "day.closed": event(44, "day.closed", "2026-11-21T00:15:00.040+08:00", {
    day: "2026-11-20",
    timezone: "Asia/Kuala_Lumpur",
    closed: true,
    closesAt: "2026-11-21T00:15:00.000+08:00",
    deviceId: null,
    pending: null,
    data: [
      {
        currency: "MYR",
        transType: "sale" as const,
        paymentChannel: "VISA",
        approved: { count: 41, transAmt: "1204.50", cashAmt: "0.00" },
        notApproved: { count: 2 },
      },
    ],
  }),
  "webhook.disabled": event(45, "webhook.disabled", "2026-11-23T10:19:13.020+08:00", {
    webhookId: "wh_1",
    host: "books.example.com",
    disabledBy: "failing" as const,
    cursor: 40,
  }),
  "terminal.unbound": event(46, "terminal.unbound", "2026-11-23T11:02:10.500+08:00", {
    terminalId: "T-0001",
    unboundBy: "account" as const,
  }),
  "prebind.replaced": event(47, "prebind.replaced", "2026-11-23T11:02:31.070+08:00", {
    uniqueIds: ["T-0001", "T-0002"],
  }),
} satisfies Record<AccountEvent["type"], AccountEvent>;

export const EVENT_SUMMARIES: Record<AccountEvent["type"], string> = {
  "transaction.completed": "A transaction became 00 or 11",
  "transaction.pending": "A transaction is pending (22)",
  "transaction.updated": "A transaction was voided, or is still 22 with another code",
  "transaction.conflict": "A terminal contradicts the recorded outcome",
  "day.closed": "A business day is over",
  "webhook.disabled": "A webhook is disabled",
  "terminal.unbound": "A terminal is unbound",
  "prebind.replaced": "The prebind list is replaced",
};
