import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { PREVIOUS_SIGNING_KEY_LIFE, PREVIOUS_SIGNING_KEYS } from "../../../protocol/limits/keys.ts";
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
    "The region of the account's data: a location hint of Cloudflare's Durable Objects, such as `apac` for Asia and the " +
    "Pacific. Default: near the time zone. Cannot be changed later.",
  examples: ["apac"],
};

const account = {
  password: {
    description: "Any characters, counted in composed form (NFC). Stored as a hash.",
    format: "password",
    examples: ["correct horse battery"],
  },
  merchantId: { description: "The merchant that the account sells for.", examples: [ACCOUNT.merchantId] },
  currency: { description: "Of all its transfers: ISO 4217, in any case.", examples: [ACCOUNT.currency] },
  timezone: {
    description: "An IANA time zone name. Determines when the account's day ends, and `transDateTime`.",
    examples: [ACCOUNT.timezone],
  },
  name: { description: "The operator's own name for it.", examples: [ACCOUNT.name] },
};

const status = {
  description: "A suspended account gets 403. Suspending ends its sessions and cancels its queued transactions.",
  examples: ["suspended"],
};

export const operatorAccounts: Family = {
  tag: "Operator accounts",
  caller: "operator",
  requests: {
    NewAccount: requestSchema(
      newAccount,
      {
        posId: { description: "The account's id. It is never reused.", examples: [ACCOUNT.posId] },
        ...account,
        password: {
          ...account.password,
          description: `${account.password.description} Without one, the gateway creates a password and returns it.`,
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
        password: { ...account.password, description: "A new password ends the account's sessions." },
        name: removableName(ACCOUNT.name),
      },
      {
        description:
          "The changes, at least one member. Missing members do not change anything. Neither do null or empty ones, except `name`.",
        examples: [{ status: "suspended" }],
        ...changesSomething(Object.keys(accountChanges.shape)),
      },
    ),
    KeyRotation: requestSchema(
      keyRotation,
      {
        revokePrevious: {
          description: `true: all previous keys end at once. Otherwise each stays valid for ${duration(PREVIOUS_SIGNING_KEY_LIFE)}.`,
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
      summary: "Create an account",
      description:
        "Creates an account and its signing key. Without `password`, also creates a password. Only this response has them. " +
        "Prefer a created password: it cannot be guessed, so a login with it is verified at once, and wrong attempts from " +
        "a shop's address do not lock out its tills.",
      body: { description: "The new account.", schema: "NewAccount" },
      answers: {
        201: {
          description: "The account with its signing key, and its password if the gateway created it.",
          schema: "AccountWithKey",
        },
      },
      refusals: { 409: "The posId is in use, or was used before, in any case." },
    },
    "GET /operator/accounts": {
      operationId: "listAccounts",
      summary: "List accounts",
      description: `A page of accounts, ordered by posId, including deleted ones. ${SHORT_PAGES}`,
      parameters: queryParameters(accountQuery, {
        ...PAGE_NOTES,
        posId: { description: "Only accounts whose posId starts with this.", examples: ["SHOP-"] },
        name: NAME_NOTE,
        merchantId: MERCHANT_NOTE,
        status: { description: "Only those with this status.", examples: ["active"] },
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
        "Changes the members in the body. Suspending and a new password end the account's sessions. Suspending cancels queued " +
        "transactions; sent ones continue. The account's terminals get a new merchant, currency or time zone. Every transfer " +
        "that arrives after the response is checked against the new values.",
      parameters: [posId],
      body: { description: "The changes.", schema: "AccountChanges" },
      answers: { 200: { description: "The account as it is now.", schema: "Account" } },
      refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
    },
    "POST /operator/accounts/{posId}/password": {
      operationId: "drawPassword",
      summary: "Create a new password for an account",
      description:
        "The gateway creates the password, as for a new account without one. It replaces the current password and ends the " +
        "account's sessions. No body is needed.",
      parameters: [posId],
      answers: { 200: { description: "The new password.", schema: "DrawnPassword" } },
      refusals: { 404: NO_ACCOUNT, 409: "The account is deleted." },
    },
    "DELETE /operator/accounts/{posId}": {
      operationId: "deleteAccount",
      summary: "Delete an account",
      description:
        "Ends the account's sessions, unbinds its terminals, and deletes its open bind keys and its prebind list. A terminal " +
        "with a transaction in progress is unbound when it has ended. The posId is never reused.",
      parameters: [posId],
      answers: { 200: { description: "The account is deleted.", schema: "Done" } },
      refusals: { 404: NO_ACCOUNT, 409: "The account is deleted already." },
    },
    "POST /operator/accounts/{posId}/signing-key": {
      operationId: "rotateSigningKey",
      summary: "Rotate an account's signing key",
      description:
        "Only this response has the new key. Each previous key stays valid for " +
        `${duration(PREVIOUS_SIGNING_KEY_LIFE)} after its rotation, or all end at once.`,
      parameters: [posId],
      body: { description: "Optional.", schema: "KeyRotation", optional: true },
      answers: { 200: { description: "The new key.", schema: "SigningKey" } },
      refusals: {
        404: NO_ACCOUNT,
        409: `The account is deleted, or ${PREVIOUS_SIGNING_KEYS} previous keys are still valid.`,
      },
    },
  },
};
