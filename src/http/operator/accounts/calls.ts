import * as z from "zod";
import * as answers from "../responses.ts";
import { REGIONS, type Region, regionOf } from "../../../rpc/region.ts";
import { isCommonPassword } from "../../../keys/common-passwords.ts";
import {
  PASSWORD_CHARACTERS,
  PASSWORD_LONGEST,
  PREVIOUS_SIGNING_KEYS,
  PREVIOUS_SIGNING_KEY_LIFE,
} from "../../../protocol/limits/keys.ts";
import type { Problem } from "../../../protocol/problem.ts";
import {
  amountCurrency,
  displayName,
  identifier,
  optional,
  password,
  removable,
  timeZoneName,
} from "../../../validation/fields.ts";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH } from "../../../protocol/lengths.ts";
import { ACCOUNT_FILTERS } from "../../../protocol/operator-filters.ts";
import { listQuery } from "../filters.ts";
import { pageOf } from "../../pages.ts";
import { noteMade } from "../../../rpc/keeper.ts";
import { accountObject } from "../../../storage/objects.ts";
import { createMiddleware } from "hono/factory";
import { accountStub, type NewAccount } from "../../../rpc/account.ts";
import { applyPrebindingOf } from "../../../binding/binding.ts";
import { drawSecret, hashSecret, hashPassword } from "../../../keys/passwords.ts";
import { randomKey, seal } from "../../../keys/sealing.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { ok } from "../../../outcomes/result.ts";
import { type Account, accountExists, findAccount, findNamesake, listAccounts } from "../../../storage/accounts.ts";
import { utc } from "../../../time/zone.ts";
import { type Refusal, invalid, refuse, done } from "../../errors.ts";
import { hashInTurn, operatorCaller } from "../../in-turn.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery, optionalBody, path, query } from "../../validation/validators.ts";
import { type OperatorEnvironment, operatorFactory, forAdmins, forSupport, forViewers } from "../authentication.ts";
import type {
  AccountAnswer,
  AccountPage,
  AccountWithKey,
  DrawnPassword,
  SigningKeyAnswer,
  WebhookStateList,
} from "../responses.ts";
import type { WebhookState } from "../../../protocol/webhooks.ts";
import { NO_WEBHOOK, webhookPath } from "../../webhooks/calls.ts";
import { requestSchema, said } from "../../../contracts/json-schema.ts";
import { duration } from "../../../time/duration.ts";
import { type Family, queryParameters } from "../../openapi/operation.ts";
import { filterNotes, PAGE_NOTES, SHORT_PAGES, changesSomething, removableName, noSuch } from "../contract.ts";

export const accountPath = z.object({ posId: identifier(POS_ID_LENGTH) });

const COMMON = "Choose another password: this one is easy to guess. Let a password manager generate it.";

const newPassword = password(PASSWORD_CHARACTERS, PASSWORD_LONGEST).refine((value) => !isCommonPassword(value), {
  error: COMMON,
});

function commonPasswordProblem(value: string, posId: string): Problem | null {
  return isCommonPassword(value, posId) ? { path: "password", message: COMMON } : null;
}

const accountQuery = listQuery(ACCOUNT_FILTERS);

export const newAccount = z
  .object({
    posId: identifier(POS_ID_LENGTH),
    password: optional(newPassword),
    merchantId: identifier(MERCHANT_ID_LENGTH),
    currency: amountCurrency,
    timezone: timeZoneName,
    name: optional(displayName),
    region: optional(z.enum(REGIONS, { error: `Send one of ${REGIONS.join(", ")}, or omit it.` })),
  })
  .refine(({ password: chosen, posId }) => chosen === undefined || commonPasswordProblem(chosen, posId) === null, {
    path: ["password"],
    error: COMMON,
  });

export const accountChanges = z
  .object({
    status: optional(z.enum(["active", "suspended"], { error: "Send active or suspended." })),
    password: optional(newPassword),
    merchantId: optional(identifier(MERCHANT_ID_LENGTH)),
    currency: optional(amountCurrency),
    timezone: optional(timeZoneName),
    name: removable(displayName),
    signedChanges: optional(z.boolean({ error: "Send true or false." })),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    error: "Send at least one of status, password, merchantId, currency, timezone, name, signedChanges.",
  });

export const keyRotation = z.object({ revokePrevious: optional(z.boolean({ error: "Send true or false." })) });

const accountWebhookPath = z.object({ ...accountPath.shape, ...webhookPath.shape });

const webhookSwitch = z.object({ enabled: z.boolean({ error: "Send true or false." }) });

export const accounts = operatorFactory.createApp();

export const NO_ACCOUNT: Refusal = { kind: "not_found", message: "There is no such account." };
const DELETED: Refusal = { kind: "conflict", message: "The account is deleted." };

export const oneAccount = path(accountPath, NO_ACCOUNT);

/**
 * Refuses accounts that do not exist or are deleted, without D1 where the posId cannot exist. D1 is asked first, because
 * an unknown posId must not create an object. The object decides.
 */
const requireChangeable = createMiddleware<OperatorEnvironment<{ account: Account }>>(async (c, next) => {
  const named = accountPath.safeParse(c.req.param());
  const account = named.success ? await inTime(findAccount(c.env.DATABASE, named.data.posId)) : null;
  if (account === null) return refuse(c, NO_ACCOUNT);
  if (account.status === "deleted") return refuse(c, DELETED);
  c.set("account", account);
  return next();
});

accounts.post("/operator/accounts", forAdmins, noQuery, body(newAccount), async (c) => {
  const { password: chosen, name = null, region = null, ...rest } = c.req.valid("json");
  // A failing D1 does not prevent a new shop.
  const namesake = await inTime(findNamesake(c.env.DATABASE, rest.posId)).catch(() => null);
  if (namesake !== null) {
    return refuse(c, {
      kind: "conflict",
      message: `${namesake} differs from this posId only in case. Choose another.`,
    });
  }
  const drawn = drawSecret();
  const passwordHash =
    chosen === undefined
      ? ok(hashSecret(drawn))
      : await hashInTurn(c, operatorCaller(c, c.get("operator")), (pause) => hashPassword(chosen, pause));
  if (!passwordHash.ok) return refuse(c, passwordHash.error);
  const signingKey = randomKey();
  const account: NewAccount = {
    ...rest,
    name,
    region,
    passwordHash: passwordHash.value,
    sealedSigningKey: seal(c.get("keys"), signingKey, "account-signing-key", rest.posId),
  };
  const stub = accountStub(c.env, rest.posId, region ?? regionOf(rest.timezone));
  const created = await stub.create(account, c.get("operator"));
  if (created.kind === "taken")
    return refuse(c, { kind: "conflict", message: "This posId is in use, or was used before. Choose another." });
  await noteMade(c.env, accountObject(rest.posId));
  const secrets = chosen === undefined ? { signingKey, password: drawn } : { signingKey };
  return c.json({ ...accountView(created.account), ...secrets } satisfies AccountWithKey, 201);
});

accounts.get("/operator/accounts", forViewers, query(accountQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listAccounts(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, ({ posId }) => posId, accountView) satisfies AccountPage);
});

accounts.get("/operator/accounts/:posId", forViewers, noQuery, oneAccount, async (c) => {
  const account = await findAccount(c.env.DATABASE, c.req.valid("param").posId);
  return account === null ? refuse(c, NO_ACCOUNT) : c.json(accountView(account));
});

accounts.patch("/operator/accounts/:posId", forAdmins, noQuery, requireChangeable, body(accountChanges), async (c) => {
  const { posId } = c.get("account");
  const { password: plain, ...rest } = c.req.valid("json");
  const problem = plain === undefined ? null : commonPasswordProblem(plain, posId);
  if (problem !== null) return refuse(c, invalid([problem]));
  const hashed =
    plain === undefined
      ? ok(undefined)
      : await hashInTurn(c, operatorCaller(c, c.get("operator")), (pause) => hashPassword(plain, pause));
  if (!hashed.ok) return refuse(c, hashed.error);
  const changed = await accountStub(c.env, posId).change({ ...rest, passwordHash: hashed.value }, c.get("operator"));
  if (changed.kind !== "changed") return refuse(c, refusalOf(changed.kind));
  // Either change can make this the account for which a listed terminal was waiting.
  if (rest.status === "active" || rest.merchantId !== undefined) await applyPrebindingOf(c.env, posId);
  return c.json(accountView(changed.account));
});

accounts.post("/operator/accounts/:posId/password", forSupport, noQuery, requireChangeable, async (c) => {
  const { posId } = c.get("account");
  const chosen = drawSecret();
  const changed = await accountStub(c.env, posId).change({ passwordHash: hashSecret(chosen) }, c.get("operator"));
  if (changed.kind !== "changed") return refuse(c, refusalOf(changed.kind));
  return c.json({ posId, password: chosen } satisfies DrawnPassword);
});

accounts.delete("/operator/accounts/:posId", forAdmins, noQuery, requireChangeable, async (c) => {
  const removed = await accountStub(c.env, c.get("account").posId).remove(c.get("operator"));
  if (removed.kind !== "changed") return refuse(c, refusalOf(removed.kind));
  return done(c, "The account is deleted.");
});

accounts.post(
  "/operator/accounts/:posId/signing-key",
  forAdmins,
  noQuery,
  optionalBody(keyRotation),
  requireChangeable,
  async (c) => {
    const { posId } = c.get("account");
    const revokePrevious = c.req.valid("json").revokePrevious === true;
    const signingKey = randomKey();
    const sealed = seal(c.get("keys"), signingKey, "account-signing-key", posId);
    const rotated = await accountStub(c.env, posId).rotateKey(sealed, revokePrevious, c.get("operator"));
    if (rotated.kind === "too-many-keys") return refuse(c, tooManyKeys(rotated.until));
    if (rotated.kind !== "rotated") return refuse(c, refusalOf(rotated.kind));
    const until = rotated.previousValidUntil;
    const previousValidUntil = until === null ? null : utc(until);
    return c.json({ posId, signingKey, previousValidUntil } satisfies SigningKeyAnswer);
  },
);

accounts.get("/operator/accounts/:posId/webhooks", forViewers, noQuery, oneAccount, async (c) => {
  const { posId } = c.req.valid("param");
  // D1 is asked first: an unknown posId must not create an object.
  if (!(await accountExists(c.env.DATABASE, posId))) return refuse(c, NO_ACCOUNT);
  return c.json({ data: await accountStub(c.env, posId).webhookStates() } satisfies WebhookStateList);
});

accounts.patch(
  "/operator/accounts/:posId/webhooks/:webhookId",
  forAdmins,
  noQuery,
  oneAccount,
  path(accountWebhookPath, NO_WEBHOOK),
  body(webhookSwitch),
  async (c) => {
    const { posId, webhookId } = c.req.valid("param");
    if (!(await inTime(accountExists(c.env.DATABASE, posId)))) return refuse(c, NO_ACCOUNT);
    const wanted = { id: webhookId, enabled: c.req.valid("json").enabled };
    const switched = await accountStub(c.env, posId).switchWebhook(wanted, c.get("operator"));
    return switched.kind === "switched" ? c.json(switched.webhook satisfies WebhookState) : refuse(c, NO_WEBHOOK);
  },
);

function accountView({ signedChanges, region, createdAt, ...account }: Account): AccountAnswer {
  return {
    ...account,
    // Only values of `Region` are stored.
    region: region as Region | null,
    signedChanges: Boolean(signedChanges),
    createdAt: utc(createdAt),
  };
}

/** @param until when the first of the previous keys ends, epoch milliseconds */
function tooManyKeys(until: number): Refusal {
  const message =
    `${PREVIOUS_SIGNING_KEYS} previous keys are still valid, the first until ${utc(until)}. Rotate again ` +
    "after that, or send revokePrevious: true, which ends all previous keys.";
  return { kind: "conflict", message };
}

function refusalOf(kind: "deleted" | "unknown"): Refusal {
  return kind === "deleted" ? DELETED : NO_ACCOUNT;
}

export function operatorAccountsContract(): Family {
  const ACCOUNT = {
    posId: "POS-1001",
    merchantId: "M-1001",
    currency: "MYR",
    timezone: "Asia/Kuala_Lumpur",
    name: "Corner shop, till 1",
  };

  const region = said(
    "The region of the account's data: a location hint of Cloudflare's Durable Objects, such as `apac` for Asia and the " +
      "Pacific. Default: near the time zone. Cannot be changed later.",
    "apac",
  );

  const account = {
    password: {
      description: "Any characters, counted in composed form (NFC). Stored as a hash.",
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

  const status = said(
    "A suspended account gets 403. Suspending ends its sessions and cancels its queued transactions.",
    "suspended",
  );
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
          region,
        },
        said("A new account.", { ...ACCOUNT, password: "correct horse battery" }),
      ),
      AccountChanges: requestSchema(
        accountChanges,
        {
          status,
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
          "Prefer a created password: it cannot be guessed, so a login with it is verified at once, and wrong attempts from " +
          "a shop's address do not lock out its tills.",
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
          "Ends the account's sessions, unbinds its terminals, and deletes its open bind keys and its prebind list. A terminal " +
          "with a transaction in progress is unbound when it has ended. The posId is never reused.",
        answers: {
          200: ["The account is deleted.", "Done"],
          404: noSuch("account"),
          409: "The account is deleted already.",
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
