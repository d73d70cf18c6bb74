import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { PREVIOUS_SIGNING_KEY_LIFE } from "../../../protocol/limits/keys.ts";
import { duration } from "../../../time/duration.ts";
import { POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { type Family, inPath, queryParameters } from "../../openapi/operation.ts";
import { MERCHANT_NOTE, NAME_NOTE, PAGE_NOTES, SHORT_PAGES, changesSomething, removableName } from "../operations.ts";
import { accountChanges, accountQuery, keyRotation, newAccount } from "./requests.ts";
import * as responses from "./responses.ts";

const posId = inPath("posId", "The account.", "POS-1001", { maxLength: POS_ID_LENGTH });

const NO_ACCOUNT = "There is no such account, or no operator is set.";

const ACCOUNT = {
  posId: "POS-1001",
  merchantId: "M-1001",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Corner shop, till 1",
};

const region = {
  description:
    "Where the account's data are to stand: a location hint of Cloudflare's Durable Objects, such as `apac` for Asia and " +
    "the Pacific. Without it they stand near the time zone. Cannot be changed later.",
  examples: ["apac"],
};

const account = {
  password: {
    description: "Of any characters, counted as they are composed (NFC). Kept as a hash.",
    format: "password",
    examples: ["correct horse battery"],
  },
  merchantId: { description: "The merchant that the account sells for.", examples: [ACCOUNT.merchantId] },
  currency: { description: "Of all its transfers: ISO 4217, in any case.", examples: [ACCOUNT.currency] },
  timezone: {
    description: "Name of an IANA time zone: it decides when the account's day ends, and `transDateTime`.",
    examples: [ACCOUNT.timezone],
  },
  name: { description: "The operator's own name for it.", examples: [ACCOUNT.name] },
};

const status = {
  description: "A suspended account gets 403; suspending ends its sessions and cancels what is queued.",
  examples: ["suspended"],
};

export const operatorAccounts: Family = {
  tag: "Operator accounts",
  caller: "operator",
  requests: {
    NewAccount: requestSchema(
      newAccount,
      {
        posId: { description: "The account's name, never given twice.", examples: [ACCOUNT.posId] },
        ...account,
        password: {
          ...account.password,
          description: `${account.password.description} Without it the gateway draws one, and shows it in the answer.`,
        },
        region,
      },
      { description: "A new account.", examples: [{ ...ACCOUNT, password: "correct horse battery" }] },
    ),
    AccountChanges: requestSchema(
      accountChanges,
      {
        status,
        ...account,
        password: { ...account.password, description: "A new one ends the account's sessions." },
        name: removableName(ACCOUNT.name),
      },
      {
        description:
          "What changes; at least one member. Members that are missing stay as they are, and, except for `name`, those that are null or empty.",
        examples: [{ status: "suspended" }],
        ...changesSomething(Object.keys(accountChanges.shape)),
      },
    ),
    KeyRotation: requestSchema(
      keyRotation,
      {
        revokePrevious: {
          description: `true: the key before is dead at once. Else it is taken for ${duration(PREVIOUS_SIGNING_KEY_LIFE)} more.`,
          examples: [false],
        },
      },
      { description: "How the key changes.", examples: [{ revokePrevious: false }] },
    ),
  },
  responses: {
    Account: responseSchema(responses.account),
    AccountWithKey: responseSchema(responses.accountWithKey),
    DrawnPassword: responseSchema(responses.drawnPassword),
    AccountPage: responseSchema(responses.accountPage),
    SigningKey: responseSchema(responses.signingKey),
  },
  operations: {
    "POST /operator/accounts": {
      operationId: "createAccount",
      summary: "Make an account",
      description:
        "Makes an account and its signing key, which is shown in this answer and never again. Without `password` the " +
        "gateway draws one, and shows it likewise. Prefer that: it cannot be guessed, so a login with it costs next to " +
        "nothing, and wrong tries from a shop's address do not lock its tills out.",
      body: { description: "The new account.", schema: "NewAccount" },
      answers: {
        201: {
          description: "The account, with its signing key, and its password if the gateway drew it.",
          schema: "AccountWithKey",
        },
      },
      refusals: { 409: "The posId is taken, or was once." },
    },
    "GET /operator/accounts": {
      operationId: "listAccounts",
      summary: "List accounts",
      description: `A page of accounts, by their posIds, deleted ones included. ${SHORT_PAGES}`,
      parameters: queryParameters(accountQuery, {
        ...PAGE_NOTES,
        posId: { description: "Only posIds that begin like this.", examples: ["SHOP-"] },
        name: NAME_NOTE,
        merchantId: MERCHANT_NOTE,
        status: { description: "Only those of this status.", examples: ["active"] },
      }),
      answers: { 200: { description: "A page.", schema: "AccountPage" } },
    },
    "GET /operator/accounts/{posId}": {
      operationId: "getAccount",
      summary: "Read an account",
      description: "One account. Its keys and its password are never shown.",
      parameters: [posId],
      answers: { 200: { description: "The account.", schema: "Account" } },
      refusals: { 404: NO_ACCOUNT },
    },
    "PATCH /operator/accounts/{posId}": {
      operationId: "changeAccount",
      summary: "Change an account",
      description:
        "Changes what is named. Suspending and a new password end its sessions; suspending cancels what is queued for it, " +
        "and lets run what was sent. Its terminals are told of a new merchant, currency or time zone. No transfer that " +
        "arrives after the answer is judged by what was before.",
      parameters: [posId],
      body: { description: "What changes.", schema: "AccountChanges" },
      answers: { 200: { description: "The account as it is now.", schema: "Account" } },
      refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
    },
    "POST /operator/accounts/{posId}/password": {
      operationId: "drawPassword",
      summary: "Draw a new password for an account",
      description:
        "The gateway draws the password, as it does for an account that is made without one. It takes the place of the " +
        "password before, and ends the account's sessions. No body is needed.",
      parameters: [posId],
      answers: { 200: { description: "The new password.", schema: "DrawnPassword" } },
      refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
    },
    "DELETE /operator/accounts/{posId}": {
      operationId: "deleteAccount",
      summary: "Delete an account",
      description:
        "Ends its sessions, unbinds its terminals, forgets its open bind keys and its prebind list. A terminal with a " +
        "transaction running is unbound when it has ended. The posId is never given again.",
      parameters: [posId],
      answers: { 200: { description: "The account is deleted.", schema: "Done" } },
      refusals: { 404: NO_ACCOUNT, 409: "It is deleted already." },
    },
    "POST /operator/accounts/{posId}/signing-key": {
      operationId: "rotateSigningKey",
      summary: "Give an account a new signing key",
      description:
        "The new key is shown in this answer and never again. The one before is taken for " +
        `${duration(PREVIOUS_SIGNING_KEY_LIFE)} more, or is dead at once.`,
      parameters: [posId],
      body: { description: "How; may be missing.", schema: "KeyRotation", optional: true },
      answers: { 200: { description: "The new key.", schema: "SigningKey" } },
      refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
    },
  },
};
