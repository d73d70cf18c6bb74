/** What the contract says of accounts. Only the build of the site reads it. */
import { requestSchema, said } from "../../../contracts/json-schema.ts";
import { PREVIOUS_SIGNING_KEYS, PREVIOUS_SIGNING_KEY_LIFE } from "../../../protocol/limits/keys.ts";
import { ACCOUNT_FILTERS } from "../../../protocol/operator-filters.ts";
import { duration } from "../../../time/duration.ts";
import { type Family, queryParameters } from "../../openapi/operation.ts";
import { changesSomething, filterNotes, noSuch, PAGE_NOTES, removableName, SHORT_PAGES } from "../contract.ts";
import * as answers from "../responses.ts";
import { accountChanges, accountQuery, deletionQuery, keyRotation, newAccount, webhookSwitch } from "./calls.ts";

export function operatorAccountsContract(): Family {
  const ACCOUNT = {
    posId: "POS-1001",
    merchantId: "M-1001",
    currency: "MYR",
    timezone: "Asia/Kuala_Lumpur",
    name: "Corner shop, till 1",
  };

  const account = {
    password: {
      description:
        "For a migration from another system. Any characters, counted in composed form (NFC). Stored as a keyed hash.",
      format: "password",
      examples: ["correct horse battery"],
    },
    merchantId: said("The merchant that the account sells for.", ACCOUNT.merchantId),
    currency: said("Of all its transfers: ISO 4217, in any case, with two decimals.", ACCOUNT.currency),
    timezone: said(
      "An IANA time zone name. Determines when the account's day ends, and `transDateTime`.",
      ACCOUNT.timezone,
    ),
    name: said("The operator's own name for it.", ACCOUNT.name),
  };

  return {
    tag: "Operator accounts",
    caller: "operator",
    requests: {
      NewAccount: requestSchema(
        newAccount,
        {
          posId: said("The account's id. It is never reused.", ACCOUNT.posId),
          ...account,
          password: {
            ...account.password,
            description: `${account.password.description} Without one, the gateway creates a password and returns it.`,
          },
          region: said(
            "The region of the account's data: a location hint of Cloudflare's Durable Objects, such as `apac` for Asia and " +
              "the Pacific. Default: near the time zone. Cannot be changed later.",
            "apac",
          ),
        },
        said("A new account.", { ...ACCOUNT, password: "correct horse battery" }),
      ),
      AccountChanges: requestSchema(
        accountChanges,
        {
          status: said(
            "A suspended account gets 403. Suspending ends its sessions and cancels its queued transactions.",
            "suspended",
          ),
          ...account,
          password: { ...account.password, description: "A new password ends the account's sessions." },
          name: removableName(ACCOUNT.name),
          signedChanges: said(
            "true: the account must sign the calls that unbind a terminal or replace its prebind list, so that a stolen " +
              "token cannot make them. false: a token is enough.",
            true,
          ),
        },
        {
          description:
            "The changes, at least one field. Missing fields do not change anything. Neither do null or empty ones, except `name`.",
          examples: [{ status: "suspended" }],
          ...changesSomething(Object.keys(accountChanges.shape)),
        },
      ),
      KeyRotation: requestSchema(
        keyRotation,
        {
          revokePrevious: said(
            `true: all previous keys end at once. Otherwise each stays valid for ${duration(PREVIOUS_SIGNING_KEY_LIFE)}.`,
            false,
          ),
        },
        said("How the key changes.", { revokePrevious: false }),
      ),
      WebhookSwitch: requestSchema(
        webhookSwitch,
        {
          enabled: said("`false` stops the endpoint. `true` starts one that an operator has stopped.", false),
        },
        said("Stops or starts an endpoint.", { enabled: false }),
      ),
    },
    responses: {
      Account: answers.account,
      AccountWithKey: answers.accountWithKey,
      DrawnPassword: answers.drawnPassword,
      AccountPage: answers.accountPage,
      SigningKey: answers.signingKey,
      WebhookState: answers.webhookState,
      WebhookStateList: answers.webhookStateList,
    },
    operations: {
      "POST /operator/accounts": {
        operationId: "createAccount",
        summary: "Create an account",
        description:
          "Creates an account and its signing key. Without `password`, also creates a password. Only this response has them. " +
          "Prefer a created password: nobody can guess it, so wrong attempts from a shop's network never keep its POS from " +
          "logging in.",
        body: ["The new account.", "NewAccount"],
        answers: {
          201: ["The account with its signing key, and its password if the gateway created it.", "AccountWithKey"],
          409: "The posId is in use, or was used before, in any case.",
        },
      },
      "GET /operator/accounts": {
        operationId: "listAccounts",
        summary: "List accounts",
        description: `A page of accounts, ordered by posId, including deleted ones. ${SHORT_PAGES}`,
        parameters: queryParameters(accountQuery, { ...PAGE_NOTES, ...filterNotes(ACCOUNT_FILTERS) }),
        answers: { 200: ["A page.", "AccountPage"] },
      },
      "GET /operator/accounts/{posId}": {
        operationId: "getAccount",
        summary: "Read an account",
        description: "One account. Its keys and its password are never shown.",
        answers: { 200: ["The account.", "Account"], 404: noSuch("account") },
      },
      "PATCH /operator/accounts/{posId}": {
        operationId: "changeAccount",
        summary: "Change an account",
        description:
          "Changes the fields in the body. Suspending and a new password end the account's sessions. Suspending cancels queued " +
          "transactions; sent ones continue. The account's terminals get a new merchant, currency or time zone. Every transfer " +
          "that arrives after the response is checked against the new values.",
        body: ["The changes.", "AccountChanges"],
        answers: {
          200: ["The account as it is now.", "Account"],
          404: noSuch("account"),
          409: "The account is deleted.",
        },
      },
      "POST /operator/accounts/{posId}/password": {
        operationId: "drawPassword",
        summary: "Create a new password for an account",
        description:
          "The gateway creates the password, as for a new account without one. It replaces the current password and ends the " +
          "account's sessions. No body is needed.",
        answers: {
          200: ["The new password.", "DrawnPassword"],
          404: noSuch("account"),
          409: "The account is deleted.",
        },
      },
      "DELETE /operator/accounts/{posId}": {
        operationId: "deleteAccount",
        summary: "Delete an account",
        description:
          "Ends the account's sessions, unbinds its terminals, and deletes its open bind keys and its prebind list. The posId " +
          "is never reused. Refused while transactions are in progress or pending, because the POS could never learn their " +
          "outcome. With `force`, a terminal with a transaction in progress is unbound when it has ended.",
        parameters: queryParameters(deletionQuery, {
          force: said("true: also delete an account with open transactions.", "true"),
        }),
        answers: {
          200: ["The account is deleted.", "Done"],
          404: noSuch("account"),
          409: "The account is deleted already, or transactions are open: `message` lists them.",
        },
      },
      "POST /operator/accounts/{posId}/signing-key": {
        operationId: "rotateSigningKey",
        summary: "Rotate an account's signing key",
        description:
          "Only this response has the new key. Each previous key stays valid for " +
          `${duration(PREVIOUS_SIGNING_KEY_LIFE)} after its rotation, or all end at once.`,
        body: { description: "Optional.", schema: "KeyRotation", optional: true },
        answers: {
          200: ["The new key.", "SigningKey"],
          404: noSuch("account"),
          409: `The account is deleted, or ${PREVIOUS_SIGNING_KEYS} previous keys are still valid.`,
        },
      },
      "GET /operator/accounts/{posId}/webhooks": {
        operationId: "listAccountWebhooks",
        summary: "List an account's webhooks",
        description:
          "The host and state of each endpoint. Only the account sees the rest of the address and the secret.",
        answers: { 200: ["The endpoints.", "WebhookStateList"], 404: noSuch("account") },
      },
      "PATCH /operator/accounts/{posId}/webhooks/{webhookId}": {
        operationId: "switchWebhook",
        summary: "Stop or start an account's webhook",
        description:
          "Stops deliveries to the endpoint until an operator starts it again; its account cannot. The account gets an event. " +
          "An endpoint that its account has disabled stays disabled.",
        body: ["The change.", "WebhookSwitch"],
        answers: { 200: ["The endpoint as it is now.", "WebhookState"], 404: noSuch("account or webhook") },
      },
    },
  };
}
