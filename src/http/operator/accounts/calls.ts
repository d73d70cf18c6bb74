import * as z from "zod";
import { REGIONS, type Region, regionOf } from "../../../rpc/region.ts";
import { PASSWORD_CHARACTERS, PASSWORD_LONGEST, PREVIOUS_SIGNING_KEYS } from "../../../protocol/limits/keys.ts";
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
import { flag, listQuery } from "../filters.ts";
import { pageOf } from "../../pages.ts";
import { keeperStub } from "../../../rpc/keeper.ts";
import { createMiddleware } from "hono/factory";
import { accountStub, type NewAccount } from "../../../rpc/account.ts";
import { applyPrebindingOf } from "../../../binding/binding.ts";
import { drawPassword, hasDrawnForm, sealPassword } from "../../../keys/passwords.ts";
import { randomKey, seal } from "../../../keys/sealing.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { type Account, accountExists, findAccount, listAccounts } from "../../../storage/accounts.ts";
import { utc } from "../../../time/zone.ts";
import { type Refusal, refuse, done } from "../../errors.ts";
import { objectInTime, unlessDown } from "../../time-limit.ts";
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
import { refusalWhileOpen } from "./open-payments.ts";

export const accountPath = z.object({ posId: identifier(POS_ID_LENGTH) });

/** For a migration from another system. The gateway draws a better one. */
const newPassword = password(
  PASSWORD_CHARACTERS,
  PASSWORD_LONGEST,
  "A shorter one can be guessed, because a machine sends it and nothing but the rate limits slows down a guess. " +
    "Omit password: the gateway then creates one.",
).refine((chosen) => !hasDrawnForm(chosen), {
  error:
    "Send a password that does not look like the gateway's own (27 letters, digits, '-' or '_'): nothing limits guesses of " +
    "those. Or omit password: the gateway then creates one.",
});

export const accountQuery = listQuery(ACCOUNT_FILTERS);

export const newAccount = z.object({
  posId: identifier(POS_ID_LENGTH),
  password: optional(newPassword),
  merchantId: identifier(MERCHANT_ID_LENGTH),
  currency: amountCurrency,
  timezone: timeZoneName,
  name: optional(displayName),
  region: optional(z.enum(REGIONS, { error: `Send one of ${REGIONS.join(", ")}, or omit it.` })),
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

export const webhookSwitch = z.object({ enabled: z.boolean({ error: "Send true or false." }) });

export const accounts = operatorFactory.createApp();

export const NO_ACCOUNT: Refusal = { kind: "not_found", message: "There is no such account." };
const DELETED: Refusal = { kind: "conflict", message: "The account is deleted." };

export const oneAccount = path(accountPath, NO_ACCOUNT);

/**
 * Refuses accounts that do not exist or are deleted, without D1 where the posId cannot exist. The object decides, also
 * while D1 is down.
 */
const requireChangeable = createMiddleware<OperatorEnvironment<{ posId: string }>>(async (c, next) => {
  const named = accountPath.safeParse(c.req.param());
  if (!named.success) return refuse(c, NO_ACCOUNT);
  const { posId } = named.data;
  const account = await unlessDown(() => findAccount(c.env.DATABASE, posId));
  if (account === null) return refuse(c, NO_ACCOUNT);
  if (account?.status === "deleted") return refuse(c, DELETED);
  c.set("posId", posId);
  return next();
});

accounts.post("/operator/accounts", forAdmins, noQuery, body(newAccount), async (c) => {
  const { password: chosen, name = null, region = null, ...rest } = c.req.valid("json");
  const spelling = await objectInTime(keeperStub(c.env).reservePosId(rest.posId));
  if (spelling !== rest.posId) {
    const message = `${spelling} differs from this posId only in case. Choose another.`;
    return refuse(c, { kind: "conflict", message });
  }
  const drawn = drawPassword();
  const signingKey = randomKey();
  const account: NewAccount = {
    ...rest,
    name,
    region,
    sealedPassword: sealPassword(c.get("keys"), chosen ?? drawn, rest.posId),
    sealedSigningKey: seal(c.get("keys"), signingKey, "account-signing-key", rest.posId),
  };
  const stub = accountStub(c.env, rest.posId, region ?? regionOf(rest.timezone));
  const created = await stub.create(account, c.get("operator"));
  if (created.kind === "taken")
    return refuse(c, { kind: "conflict", message: "This posId is in use, or was used before. Choose another." });
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
  const posId = c.get("posId");
  const { password: chosen, ...rest } = c.req.valid("json");
  const sealedPassword = chosen === undefined ? undefined : sealPassword(c.get("keys"), chosen, posId);
  const changed = await accountStub(c.env, posId).change({ ...rest, sealedPassword }, c.get("operator"));
  if (changed.kind !== "changed") return refuse(c, refusalOf(changed.kind));
  // Either change can make this the account for which a listed terminal was waiting.
  if (rest.status === "active" || rest.merchantId !== undefined) await applyPrebindingOf(c.env, posId);
  return c.json(accountView(changed.account));
});

accounts.post("/operator/accounts/:posId/password", forSupport, noQuery, requireChangeable, async (c) => {
  const posId = c.get("posId");
  const drawn = drawPassword();
  const sealedPassword = sealPassword(c.get("keys"), drawn, posId);
  const changed = await accountStub(c.env, posId).change({ sealedPassword }, c.get("operator"));
  if (changed.kind !== "changed") return refuse(c, refusalOf(changed.kind));
  return c.json({ posId, password: drawn } satisfies DrawnPassword);
});

export const deletionQuery = z.object({ force: optional(flag) });

accounts.delete("/operator/accounts/:posId", forAdmins, query(deletionQuery), requireChangeable, async (c) => {
  const posId = c.get("posId");
  if (c.req.valid("query").force !== true) {
    const open = await refusalWhileOpen(c.env, posId);
    if (open !== null) return refuse(c, open);
  }
  const removed = await accountStub(c.env, posId).remove(c.get("operator"));
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
    const posId = c.get("posId");
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
  if ((await unlessDown(() => accountExists(c.env.DATABASE, posId))) === false) return refuse(c, NO_ACCOUNT);
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
    if ((await unlessDown(() => accountExists(c.env.DATABASE, posId))) === false) return refuse(c, NO_ACCOUNT);
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
