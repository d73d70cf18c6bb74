import { noteMade } from "../../../keeper/stub.ts";
import { accountObject } from "../../../storage/untold.ts";
import { createMiddleware } from "hono/factory";
import type { NewAccount } from "../../../account/calls.ts";
import { regionOf, type Region } from "../../../account/region.ts";
import { accountStub } from "../../../account/stub.ts";
import { applyPrebindingOf } from "../../../binding/prebinding.ts";
import { drawSecret, hashSecret } from "../../../keys/account-secrets.ts";
import { hashPassword } from "../../../keys/passwords.ts";
import { randomKey, seal } from "../../../keys/sealing.ts";
import { PREVIOUS_SIGNING_KEYS } from "../../../protocol/limits/keys.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { ok } from "../../../result.ts";
import { type Account, findAccount, findNamesake, listAccounts } from "../../../storage/accounts.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { invalid, type Refusal, refuse } from "../../errors.ts";
import { hashInTurn, operatorCaller } from "../../in-turn.ts";
import type { Done } from "../../openapi/fields.ts";
import { inTime } from "../../time-limit.ts";
import { body, noQuery, optionalBody, path, query } from "../../validation/validators.ts";
import { type OperatorEnvironment, operatorFactory } from "../authentication.ts";
import { pageOf } from "../../pages.ts";
import {
  accountChanges,
  accountPath,
  accountQuery,
  commonPasswordProblem,
  keyRotation,
  newAccount,
} from "./requests.ts";
import type { AccountAnswer, AccountPage, AccountWithKey, DrawnPassword, SigningKeyAnswer } from "./responses.ts";

export const accounts = operatorFactory.createApp();

export const NO_ACCOUNT: Refusal = { kind: "not_found", message: "There is no such account." };
const DELETED: Refusal = { kind: "conflict", message: "The account is deleted." };

const oneAccount = path(accountPath, NO_ACCOUNT);

/**
 * Looks up the account in the path for calls that change it: it must exist and not be deleted. D1 is asked first,
 * because an unknown posId must not create an object. The object decides.
 */
const requireChangeable = createMiddleware<OperatorEnvironment<{ account: Account }>>(async (c, next) => {
  const account = await inTime(findAccount(c.env.DATABASE, c.req.param("posId") ?? ""));
  if (account === null) return refuse(c, NO_ACCOUNT);
  if (account.status === "deleted") return refuse(c, DELETED);
  c.set("account", account);
  return next();
});

accounts.post("/operator/accounts", noQuery, body(newAccount), async (c) => {
  const { password: chosen, name = null, region = null, ...rest } = c.req.valid("json");
  // A D1 that fails does not keep a shop from being opened.
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

accounts.get("/operator/accounts", query(accountQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS, ...filter } = c.req.valid("query");
  const found = await listAccounts(c.env.DATABASE, filter, cursor, limit + 1);
  return c.json(pageOf(found, limit, ({ posId }) => posId, accountView) satisfies AccountPage);
});

accounts.get("/operator/accounts/:posId", noQuery, oneAccount, async (c) => {
  const account = await findAccount(c.env.DATABASE, c.req.valid("param").posId);
  return account === null ? refuse(c, NO_ACCOUNT) : c.json(accountView(account));
});

accounts.patch("/operator/accounts/:posId", noQuery, oneAccount, requireChangeable, body(accountChanges), async (c) => {
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
  // Either change can make this the account that a listed terminal was waiting for.
  if (rest.status === "active" || rest.merchantId !== undefined) await applyPrebindingOf(c.env, posId);
  return c.json(accountView(changed.account));
});

accounts.post("/operator/accounts/:posId/password", noQuery, oneAccount, requireChangeable, async (c) => {
  const { posId } = c.get("account");
  const password = drawSecret();
  const changed = await accountStub(c.env, posId).change({ passwordHash: hashSecret(password) }, c.get("operator"));
  if (changed.kind !== "changed") return refuse(c, refusalOf(changed.kind));
  return c.json({ posId, password } satisfies DrawnPassword);
});

accounts.delete("/operator/accounts/:posId", noQuery, oneAccount, requireChangeable, async (c) => {
  const removed = await accountStub(c.env, c.get("account").posId).remove(c.get("operator"));
  if (removed.kind !== "changed") return refuse(c, refusalOf(removed.kind));
  return c.json({ code: 20000, message: "The account is deleted." } satisfies Done);
});

accounts.post(
  "/operator/accounts/:posId/signing-key",
  noQuery,
  optionalBody(keyRotation),
  oneAccount,
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
    const previousValidUntil = until === null ? null : isoWithOffset(until, "UTC");
    return c.json({ posId, signingKey, previousValidUntil } satisfies SigningKeyAnswer);
  },
);

function accountView(account: Account): AccountAnswer {
  const { posId, merchantId, currency, timezone, name, status, createdAt } = account;
  // No other was ever taken.
  const region = account.region as Region | null;
  return { posId, merchantId, currency, timezone, name, region, status, createdAt: isoWithOffset(createdAt, "UTC") };
}

/** @param until when the first of the previous keys ends, epoch milliseconds */
function tooManyKeys(until: number): Refusal {
  const message =
    `${PREVIOUS_SIGNING_KEYS} previous keys are still valid, the first until ${isoWithOffset(until, "UTC")}. Rotate again ` +
    "after that, or send revokePrevious: true, which ends all previous keys.";
  return { kind: "conflict", message };
}

/** The answer if the object refuses a change. */
function refusalOf(kind: "deleted" | "unknown"): Refusal {
  return kind === "deleted" ? DELETED : NO_ACCOUNT;
}
