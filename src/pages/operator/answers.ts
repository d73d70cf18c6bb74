export type {
  AccountAnswer,
  AccountPage,
  AccountWithKey,
  ActivationCode,
  AuditAnswer,
  AuditPage,
  ChannelPage,
  DrawnPassword,
  OperatorTerminalDetails,
  ShopAnswer,
  ShopPage,
  SigningKeyAnswer,
  TerminalAnswer,
  TerminalPage,
  TerminalSecret,
  TerminalWithSecret,
  WebhookStateList,
} from "../../protocol/schemas/operator.ts";
export type {
  FoundPayment,
  FoundPayments,
  FoundTransaction,
  TransactionAnswer,
  TransactionPage,
  PendingPage,
  PendingTransaction,
} from "../../protocol/schemas/operator-transactions.ts";
export type { AccountTransaction } from "../../protocol/events.ts";
export type { Incident } from "../../protocol/schemas/incidents.ts";
export type { Overview } from "../../protocol/schemas/operator-overview.ts";
export type { Histogram, ResponseCodeCount, StatisticsRow } from "../../protocol/schemas/operator-statistics.ts";
