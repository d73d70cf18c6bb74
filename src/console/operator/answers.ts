/** The gateway's answers, as its routes declare them. */
export type { AccountAnswer, AccountPage, AccountWithKey } from "../../http/operator/accounts/responses.ts";
export type { SigningKeyAnswer, DrawnPassword } from "../../http/operator/accounts/responses.ts";
export type { AuditAnswer, AuditPage } from "../../http/operator/audit/responses.ts";
export type { ChannelPage } from "../../http/operator/channels/responses.ts";
export type { ShopAnswer, ShopPage } from "../../http/operator/shops/responses.ts";
export type { OperatorTerminalDetails, TerminalAnswer, TerminalPage } from "../../http/operator/terminals/responses.ts";
export type { TerminalSecret, TerminalWithSecret } from "../../http/operator/terminals/responses.ts";
export type {
  FoundTransaction,
  TransactionAnswer,
  TransactionPage,
} from "../../http/operator/transactions/responses.ts";
export type { WebhookStateList } from "../../http/operator/webhooks/responses.ts";
export type { AccountTransaction } from "../../protocol/events.ts";
export type { Matter, Overview } from "../../http/operator/overview/responses.ts";
export type { UnresolvedPage, UnresolvedTransaction } from "../../http/operator/unresolved/responses.ts";
export type { Percentiles, ResponseCodeCount, StatisticsRow } from "../../http/operator/statistics/responses.ts";
