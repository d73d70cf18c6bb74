/** What the operator calls. */
import { numberedPageQuery, pageQuery } from "../../http/messages/pages.ts";
import { channelName } from "../../http/messages/operator.ts";
import { PAGE_ROWS, PREVIOUS_SIGNING_KEY_LIFE } from "../../limits.ts";
import { duration } from "../../time/duration.ts";
import { POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../validation/fields.ts";
import { schemasOf } from "../json-schema.ts";
import { inPath, type Particulars, queryParameters } from "./operation.ts";

const posId = inPath("posId", "The account.", "POS-1001", { maxLength: POS_ID_LENGTH });
const terminalId = inPath("terminalId", "The terminal.", "T-1001", { maxLength: TERMINAL_ID_LENGTH });
const requestId = inPath("requestId", "The transaction's number.", "1000000042", { pattern: "^[1-9][0-9]{9}$" });
const name = inPath(
  "name",
  "The channel's name, percent-encoded.",
  "Touch 'n Go",
  schemasOf({ Path: { schema: channelName } }, "input")["Path"]?.properties?.["name"],
);

const limit = {
  description: `How many rows; ${PAGE_ROWS} where it is missing.`,
  schema: { type: "integer", minimum: 1, maximum: PAGE_ROWS },
  examples: [20],
};

const pages = queryParameters(pageQuery, {
  cursor: { description: "`next` of the page before; missing for the first page.", examples: ["T-1001"] },
  limit,
});

const numberedPages = queryParameters(numberedPageQuery, {
  cursor: { description: "`next` of the page before; missing for the newest.", examples: ["1000000042"] },
  limit,
});

const NO_ACCOUNT = "There is no such account, or no operator is set.";
const NO_TERMINAL = "There is no such terminal, or no operator is set.";
const NO_OPERATOR = "No operator is set (`OPERATOR_TOKENS`): then these paths do not exist.";
const RETIRED_OR_BUSY = "The terminal is retired, or has a transaction running.";

const tag = "Operator";
const caller = "operator";

export const OPERATOR_PATHS: Particulars[] = [
  {
    method: "post",
    path: "/operator/accounts",
    operationId: "createAccount",
    summary: "Make an account",
    description: "Makes an account and its signing key, which is shown in this answer and never again.",
    tag,
    caller,
    body: { description: "The new account.", schema: "NewAccount" },
    answers: { 201: { description: "The account, with its signing key.", schema: "AccountWithKey" } },
    refusals: { 404: NO_OPERATOR, 409: "The posId is taken, or was once." },
  },
  {
    method: "get",
    path: "/operator/accounts",
    operationId: "listAccounts",
    summary: "List accounts",
    description: "A page of accounts, by their posIds, deleted ones included.",
    tag,
    caller,
    parameters: pages,
    answers: { 200: { description: "A page.", schema: "AccountPage" } },
    refusals: { 404: NO_OPERATOR },
  },
  {
    method: "get",
    path: "/operator/accounts/{posId}",
    operationId: "getAccount",
    summary: "Read an account",
    description: "One account. Its keys and its password are never shown.",
    tag,
    caller,
    parameters: [posId],
    answers: { 200: { description: "The account.", schema: "Account" } },
    refusals: { 404: NO_ACCOUNT },
  },
  {
    method: "patch",
    path: "/operator/accounts/{posId}",
    operationId: "changeAccount",
    summary: "Change an account",
    description:
      "Changes what is named. Suspending and a new password end its sessions; suspending cancels what is queued for it, " +
      "and lets run what was sent. Its terminals are told of a new merchant, currency or time zone.",
    tag,
    caller,
    parameters: [posId],
    body: { description: "What changes.", schema: "AccountChanges" },
    answers: { 200: { description: "The account as it is now.", schema: "Account" } },
    refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
  },
  {
    method: "delete",
    path: "/operator/accounts/{posId}",
    operationId: "deleteAccount",
    summary: "Delete an account",
    description:
      "Ends its sessions, unbinds its terminals, forgets its open bind keys and its prebind list. The posId is never given " +
      "again. Refused while one of its terminals has a transaction running.",
    tag,
    caller,
    parameters: [posId],
    answers: { 200: { description: "The account is deleted.", schema: "Done" } },
    refusals: { 404: NO_ACCOUNT, 409: "It is deleted already, or one of its terminals has a transaction running." },
  },
  {
    method: "post",
    path: "/operator/accounts/{posId}/signing-key",
    operationId: "rotateSigningKey",
    summary: "Give an account a new signing key",
    description:
      "The new key is shown in this answer and never again. The one before is taken for " +
      `${duration(PREVIOUS_SIGNING_KEY_LIFE)} more, or is dead at once.`,
    tag,
    caller,
    parameters: [posId],
    body: { description: "How; may be missing.", schema: "KeyRotation", optional: true },
    answers: { 200: { description: "The new key.", schema: "SigningKey" } },
    refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
  },
  {
    method: "post",
    path: "/operator/terminals",
    operationId: "enrolTerminal",
    summary: "Enrol a terminal",
    description: "Makes a terminal and its secret, which is shown in this answer and never again.",
    tag,
    caller,
    body: { description: "The new terminal.", schema: "NewTerminal" },
    answers: { 201: { description: "The terminal, with its secret.", schema: "EnrolledTerminalWithSecret" } },
    refusals: { 404: NO_OPERATOR, 409: "The terminalId is taken, or was once." },
  },
  {
    method: "get",
    path: "/operator/terminals",
    operationId: "listEnrolledTerminals",
    summary: "List terminals",
    description: "A page of terminals, by their ids, retired ones included.",
    tag,
    caller,
    parameters: pages,
    answers: { 200: { description: "A page.", schema: "EnrolledTerminalPage" } },
    refusals: { 404: NO_OPERATOR },
  },
  {
    method: "get",
    path: "/operator/terminals/{terminalId}",
    operationId: "getEnrolledTerminal",
    summary: "Read a terminal",
    description: "One terminal, with its connection and versions. Its secret is never shown.",
    tag,
    caller,
    parameters: [terminalId],
    answers: { 200: { description: "The terminal.", schema: "EnrolledTerminalDetails" } },
    refusals: { 404: NO_TERMINAL },
  },
  {
    method: "delete",
    path: "/operator/terminals/{terminalId}",
    operationId: "retireTerminal",
    summary: "Retire a terminal",
    description: "Unbinds it, forgets its secret and closes its socket, for good. Its journal stays.",
    tag,
    caller,
    parameters: [terminalId],
    answers: { 200: { description: "The terminal is retired.", schema: "Done" } },
    refusals: { 404: NO_TERMINAL, 409: RETIRED_OR_BUSY },
  },
  {
    method: "post",
    path: "/operator/terminals/{terminalId}/secret",
    operationId: "replaceTerminalSecret",
    summary: "Give a terminal a new secret",
    description:
      "The new secret is shown in this answer and never again. The one before is dead at once, and the socket is closed.",
    tag,
    caller,
    parameters: [terminalId],
    answers: { 200: { description: "The new secret.", schema: "TerminalSecret" } },
    refusals: { 404: NO_TERMINAL, 409: "The terminal is retired." },
  },
  {
    method: "delete",
    path: "/operator/terminals/{terminalId}/binding",
    operationId: "removeTerminalBinding",
    summary: "Unbind a terminal",
    description: "Takes the terminal from its account, and from that account's prebind list.",
    tag,
    caller,
    parameters: [terminalId],
    answers: { 200: { description: "The terminal is unbound.", schema: "Done" } },
    refusals: { 404: "There is no such terminal, or it is not bound, or no operator is set.", 409: RETIRED_OR_BUSY },
  },
  {
    method: "get",
    path: "/operator/terminals/{terminalId}/transactions",
    operationId: "listTransactions",
    summary: "Read a terminal's journal",
    description:
      "A page of transactions, newest first, each with its stages and with reports that were kept because they contradict it.",
    tag,
    caller,
    parameters: [terminalId, ...numberedPages],
    answers: { 200: { description: "A page.", schema: "TransactionPage" } },
    refusals: { 404: NO_TERMINAL },
  },
  {
    method: "post",
    path: "/operator/terminals/{terminalId}/transactions/{requestId}/resolve",
    operationId: "resolveTransaction",
    summary: "Settle a transaction",
    description:
      "The last word on a transaction that is pending or past its end, once somebody has looked at the terminal and asked its " +
      "host. Final: every asker gets `RESOLVED` with this status from now on.",
    tag,
    caller,
    parameters: [terminalId, requestId],
    body: { description: "How it ended, and why.", schema: "Resolution" },
    answers: { 200: { description: "The transaction as it is now.", schema: "Transaction" } },
    refusals: {
      404: "There is no such terminal or transaction, or no operator is set.",
      409: "The transaction is neither pending nor past its end.",
    },
  },
  {
    method: "get",
    path: "/operator/channels",
    operationId: "listChannels",
    summary: "List e-wallet channels",
    description: "All channels, on one page.",
    tag,
    caller,
    answers: { 200: { description: "The channels.", schema: "ChannelPage" } },
    refusals: { 404: NO_OPERATOR },
  },
  {
    method: "put",
    path: "/operator/channels/{name}",
    operationId: "putChannel",
    summary: "Write an e-wallet channel",
    description: "Makes the channel, or writes over what was there.",
    tag,
    caller,
    parameters: [name],
    body: { description: "The channel.", schema: "ChannelDetails" },
    answers: {
      200: { description: "The channel was there, and is written over.", schema: "Channel" },
      201: { description: "The channel is new.", schema: "Channel" },
    },
    refusals: { 404: NO_OPERATOR },
  },
  {
    method: "delete",
    path: "/operator/channels/{name}",
    operationId: "deleteChannel",
    summary: "Delete an e-wallet channel",
    description: "Transfers that name it are refused from now on.",
    tag,
    caller,
    parameters: [name],
    answers: { 200: { description: "The channel is deleted.", schema: "Done" } },
    refusals: { 404: "There is no such channel, or no operator is set." },
  },
  {
    method: "post",
    path: "/operator/master-keys/reseal",
    operationId: "resealSecrets",
    summary: "Move what is encrypted to the current master key",
    description:
      "Encrypts signing keys and terminals' secrets anew under the first key of `MASTER_KEYS`, a bounded number per call: " +
      "repeat it until nothing is left. Says which older keys nothing needs any more.",
    tag,
    caller,
    answers: { 200: { description: "What was moved, and what is left.", schema: "Reseal" } },
    refusals: { 404: NO_OPERATOR },
  },
  {
    method: "get",
    path: "/operator/audit",
    operationId: "listAudit",
    summary: "Read the audit log",
    description: "A page of changes, newest first: who changed what, and when.",
    tag,
    caller,
    parameters: numberedPages,
    answers: { 200: { description: "A page.", schema: "AuditPage" } },
    refusals: { 404: NO_OPERATOR },
  },
];
