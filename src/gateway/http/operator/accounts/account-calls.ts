import * as z from "zod";
import { type Region, findRegion } from "../../../../protocol/region.ts";
import { PAGE_ROWS, PREVIOUS_SIGNING_KEYS, PREVIOUS_SIGNING_KEY_LIFE } from "../../../../protocol/limits.ts";
import { identifier, optionalField } from "../../validation/fields.ts";
import { POS_ID_LENGTH } from "../../../../protocol/lengths.ts";
import { ACCOUNT_FILTERS } from "../../../../protocol/operator-filters.ts";
import { flag, listQuery } from "../filters.ts";
import { makePage } from "../../middleware/pages.ts";
import { coordinatorStub } from "../../../coordinator/rpc.ts";
import { createMiddleware } from "hono/factory";
import { accountStub, type NewAccount } from "../../../account/rpc.ts";
import { applyAccountPrebinding } from "../../../binding/binding.ts";
import { drawPassword, sealPassword } from "../../../secrets/passwords.ts";
import { randomKey, seal } from "../../../secrets/sealing.ts";
import { type AccountRow, accountExists, findAccount, listAccounts } from "../../../d1/accounts.ts";
import { utc } from "../../../../protocol/time/zone.ts";
import { type Refusal, refuse, answerDone } from "../../middleware/errors.ts";
import { objectInTime, unlessDown } from "../../middleware/time-limit.ts";
import { body, noQuery, optionalBody, path, query } from "../../validation/validators.ts";
import { mayDo } from "../../../../protocol/operator-roles.ts";
import { type OperatorEnvironment, operatorFactory, forAdmins, forSupport, forViewers } from "../authentication.ts";
import type {
  AccountAnswer,
  AccountPage,
  AccountWithKey,
  DrawnPassword,
  SigningKeyAnswer,
  WebhookStateList,
} from "../../../../protocol/schemas/operator.ts";
import type { WebhookState } from "../../../../protocol/webhooks.ts";
import { NO_WEBHOOK } from "../../pos/webhooks/webhook-calls.ts";
import { webhookPath } from "../../pos/webhooks/requests.ts";
import { refusalWhileOpen } from "./open-payments.ts";
import { describeCall } from "../../middleware/describe.ts";
import { accountChanges, keyRotation, newAccount, webhookSwitch } from "./requests.ts";
import { duration } from "../../../../protocol/time/duration.ts";
import { filterNotes, noSuch, PAGE_NOTES, SHORT_PAGES } from "../words.ts";
import type { EpochMs } from "../../../../protocol/time/units.ts";

export const accountPath = z.object({ posId: identifier(POS_ID_LENGTH) });

const accountQuery = listQuery(ACCOUNT_FILTERS);

const accountWebhookPath = z.object({ ...accountPath.shape, ...webhookPath.shape });

export const accountCalls = operatorFactory.createApp();

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

accountCalls.post("/operator/accounts", forAdmins, noQuery, body(newAccount), async (c) => {
  const { password: chosen, name = null, region = null, ...rest } = c.req.valid("json");
  const spelling = await objectInTime(coordinatorStub(c.env).reservePosId(rest.posId));
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
  const stub = accountStub(c.env, rest.posId, region ?? findRegion(rest.timezone));
  const created = await stub.create(account, c.get("operator"));
  if (created.kind === "taken")
    return refuse(c, { kind: "conflict", message: "This posId is in use, or was used before. Choose another." });
  const secrets = chosen === undefined ? { signingKey, password: drawn } : { signingKey };
  return c.json({ ...accountView(created.account), ...secrets } satisfies AccountWithKey, 201);
});

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "createAccount",
  summary: "Create an account",
  description:
    "Creates an account and its signing key. Without `password`, also creates a password. Only this response has them. " +
    "Prefer a created password: nobody can guess it, so wrong attempts from a shop's network never keep its POS from " +
    "logging in.",
  body: "The new account.",
  answers: {
    201: ["The account with its signing key, and its password if the gateway created it.", "AccountWithKey"],
    409: "The posId is in use, or was used before, in any case.",
  },
}));

accountCalls.get("/operator/accounts", forViewers, query(accountQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listAccounts(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(makePage(found, limit, ({ posId }) => posId, accountView) satisfies AccountPage);
});

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "listAccounts",
  summary: "List accounts",
  description: `A page of accounts, ordered by posId, including deleted ones. ${SHORT_PAGES}`,
  query: { ...PAGE_NOTES, ...filterNotes(ACCOUNT_FILTERS) },
  answers: { 200: ["A page.", "AccountPage"] },
}));

accountCalls.get("/operator/accounts/:posId", forViewers, noQuery, oneAccount, async (c) => {
  const account = await findAccount(c.env.DATABASE, c.req.valid("param").posId);
  return account === null ? refuse(c, NO_ACCOUNT) : c.json(accountView(account));
});

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "getAccount",
  summary: "Read an account",
  description: "One account. Its keys and its password are never shown.",
  answers: { 200: ["The account.", "Account"], 404: noSuch("account") },
}));

accountCalls.patch(
  "/operator/accounts/:posId",
  forSupport,
  noQuery,
  requireChangeable,
  body(accountChanges),
  async (c) => {
    const posId = c.get("posId");
    const changes = c.req.valid("json");
    const others = Object.entries(changes).flatMap(([name, value]) =>
      name === "status" || value === undefined ? [] : [name],
    );
    if (others.length > 0 && !mayDo(c.get("role"), "admin")) {
      const message = `To change ${others.join(", ")} you need the role admin. With ${c.get("role")}, send only status.`;
      return refuse(c, { kind: "forbidden", message });
    }
    const { password: chosen, ...rest } = changes;
    const sealedPassword = chosen === undefined ? undefined : sealPassword(c.get("keys"), chosen, posId);
    const changed = await accountStub(c.env, posId).change({ ...rest, sealedPassword }, c.get("operator"));
    if (changed.kind !== "changed") return refuse(c, refuseAccount(changed.kind));
    // Either change can make this the account for which a listed terminal was waiting.
    if (rest.status === "active" || rest.merchantId !== undefined) await applyAccountPrebinding(c.env, posId);
    return c.json(accountView(changed.account));
  },
);

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "changeAccount",
  summary: "Change an account",
  description:
    "Changes the fields in the body; all but `status` need the role `admin`. Suspending and a new password end the account's sessions. Suspending cancels queued " +
    "transactions; sent ones continue. The account's terminals get a new merchant, currency or time zone. Every transfer " +
    "that arrives after the response is checked against the new values.",
  body: "The changes.",
  answers: {
    200: ["The account as it is now.", "Account"],
    404: noSuch("account"),
    409: "The account is deleted.",
  },
}));

accountCalls.post("/operator/accounts/:posId/password", forSupport, noQuery, requireChangeable, async (c) => {
  const posId = c.get("posId");
  const drawn = drawPassword();
  const sealedPassword = sealPassword(c.get("keys"), drawn, posId);
  const changed = await accountStub(c.env, posId).change({ sealedPassword }, c.get("operator"));
  if (changed.kind !== "changed") return refuse(c, refuseAccount(changed.kind));
  return c.json({ posId, password: drawn } satisfies DrawnPassword);
});

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
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
}));

const deletionQuery = z.object({ force: optionalField(flag) });

accountCalls.delete("/operator/accounts/:posId", forAdmins, query(deletionQuery), requireChangeable, async (c) => {
  const posId = c.get("posId");
  if (c.req.valid("query").force !== true) {
    const open = await refusalWhileOpen(c.env, posId);
    if (open !== null) return refuse(c, open);
  }
  const removed = await accountStub(c.env, posId).remove(c.get("operator"));
  if (removed.kind !== "changed") return refuse(c, refuseAccount(removed.kind));
  return answerDone(c, "The account is deleted.");
});

describeCall(accountCalls, ({ said }) => ({
  tag: "Operator accounts",
  operationId: "deleteAccount",
  summary: "Delete an account",
  description:
    "Ends the account's sessions, unbinds its terminals, and deletes its open bind keys and its prebind list. The posId " +
    "is never reused. Refused while transactions are in progress or pending, because the POS could never learn their " +
    "outcome. With `force`, a terminal with a transaction in progress is unbound when it has ended.",
  query: {
    force: said("true: also delete an account with open transactions.", "true"),
  },
  answers: {
    200: ["The account is deleted.", "Done"],
    404: noSuch("account"),
    409: "The account is deleted already, or transactions are open: `message` lists them.",
  },
}));

accountCalls.post(
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
    if (rotated.kind !== "rotated") return refuse(c, refuseAccount(rotated.kind));
    const until = rotated.previousValidUntil;
    const previousValidUntil = until === null ? null : utc(until);
    return c.json({ posId, signingKey, previousValidUntil } satisfies SigningKeyAnswer);
  },
);

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "rotateSigningKey",
  summary: "Rotate an account's signing key",
  description:
    "Only this response has the new key. Each previous key stays valid for " +
    `${duration(PREVIOUS_SIGNING_KEY_LIFE)} after its rotation, or all end immediately.`,
  body: "Optional.",
  answers: {
    200: ["The new key.", "SigningKey"],
    404: noSuch("account"),
    409: `The account is deleted, or ${PREVIOUS_SIGNING_KEYS} previous keys are still valid.`,
  },
}));

accountCalls.get("/operator/accounts/:posId/webhooks", forViewers, noQuery, oneAccount, async (c) => {
  const { posId } = c.req.valid("param");
  if ((await unlessDown(() => accountExists(c.env.DATABASE, posId))) === false) return refuse(c, NO_ACCOUNT);
  return c.json({ data: await accountStub(c.env, posId).webhookStates() } satisfies WebhookStateList);
});

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "listAccountWebhooks",
  summary: "List an account's webhooks",
  description: "The host and state of each endpoint. Only the account sees the rest of the address and the secret.",
  answers: { 200: ["The endpoints.", "WebhookStateList"], 404: noSuch("account") },
}));

accountCalls.patch(
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

describeCall(accountCalls, () => ({
  tag: "Operator accounts",
  operationId: "switchWebhook",
  summary: "Stop or start an account's webhook",
  description:
    "Stops deliveries to the endpoint until an operator starts it again; its account cannot. The account gets an event. " +
    "An endpoint that its account has disabled stays disabled.",
  body: "The change.",
  answers: { 200: ["The endpoint as it is now.", "WebhookState"], 404: noSuch("account or webhook") },
}));

function accountView({ signedChanges, region, createdAt, ...account }: AccountRow): AccountAnswer {
  return {
    ...account,
    // Only values of `Region` are stored.
    region: region as Region | null,
    signedChanges: Boolean(signedChanges),
    createdAt: utc(createdAt),
  };
}

/** @param until when the first of the previous keys ends */
function tooManyKeys(until: EpochMs): Refusal {
  const message =
    `${PREVIOUS_SIGNING_KEYS} previous keys are still valid, the first until ${utc(until)}. Rotate again ` +
    "after that, or send revokePrevious: true, which ends all previous keys.";
  return { kind: "conflict", message };
}

function refuseAccount(kind: "deleted" | "unknown"): Refusal {
  return kind === "deleted" ? DELETED : NO_ACCOUNT;
}
