export type {
  AccountAnswer,
  AccountPage,
  AccountWithKey,
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
} from "../../http/operator/responses.ts";
export type {
  FoundPayment,
  FoundPayments,
  FoundTransaction,
  TransactionAnswer,
  TransactionPage,
  UnresolvedPage,
  UnresolvedTransaction,
} from "../../http/operator/transactions/responses.ts";
export type { AccountTransaction } from "../../protocol/events.ts";
export type { Matter } from "../../protocol/schemas/matters.ts";
export type { Overview } from "../../http/operator/overview/responses.ts";
export type { Histogram, ResponseCodeCount, StatisticsRow } from "../../http/operator/statistics/responses.ts";
