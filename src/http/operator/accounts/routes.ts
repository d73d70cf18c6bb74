import { createMiddleware } from "hono/factory";
import { announceSuspension, refreshBindings } from "../../../binding/account-changes.ts";
import { applyPrebinding } from "../../../binding/prebinding.ts";
import { unbindAll } from "../../../binding/unbinding.ts";
import { hashPassword } from "../../../keys/passwords.ts";
import { randomKey, seal, unseal } from "../../../keys/sealing.ts";
import { PAGE_ROWS } from "../../../protocol/limits/messages.ts";
import { PREVIOUS_SIGNING_KEY_LIFE } from "../../../protocol/limits/keys.ts";
import {
  type Account,
  changeAccount,
  deleteAccount,
  findAccount,
  findSealedKeys,
  insertAccount,
  listAccounts,
  replaceSealedKeys,
} from "../../../storage/accounts.ts";
import { listPrebound } from "../../../storage/prebinding.ts";
import { isoWithOffset } from "../../../time/zone.ts";
import { invalid, type Refusal, refuse } from "../../errors.ts";
import type { Done } from "../../openapi/fields.ts";
import { body, noQuery, optionalBody, path, query } from "../../validation/validators.ts";
import { type OperatorEnvironment, operatorFactory } from "../authentication.ts";
import { pageOf, pageQuery } from "../pages.ts";
import { accountChanges, accountPath, commonPasswordProblem, keyRotation, newAccount } from "./requests.ts";
import type { AccountAnswer, AccountPage, AccountWithKey, SigningKeyAnswer } from "./responses.ts";

export const accounts = operatorFactory.createApp();

const NO_ACCOUNT: Refusal = { kind: "not_found", message: "There is no such account." };
const DELETED: Refusal = { kind: "conflict", message: "The account is deleted." };

const oneAccount = path(accountPath, NO_ACCOUNT);

/** Looks the account of the path up for calls that change it: it must be there, and not be deleted. */
const requireChangeable = createMiddleware<OperatorEnvironment<{ account: Account }>>(async (c, next) => {
  const account = await findAccount(c.env.DATABASE, c.req.param("posId") ?? "");
  if (account === null) return refuse(c, NO_ACCOUNT);
  if (account.status === "deleted") return refuse(c, DELETED);
  c.set("account", account);
  return next();
});

accounts.post("/operator/accounts", noQuery, body(newAccount), async (c) => {
  const { posId, password: plain, merchantId, currency, timezone, name = null } = c.req.valid("json");
  const now = Date.now();
  const signingKey = randomKey();
  const account: Account = { posId, merchantId, currency, timezone, name, status: "active", createdAt: now };
  const secrets = {
    passwordHash: await hashPassword(plain),
    sealedSigningKey: seal(c.get("keys"), signingKey, "account-signing-key", posId),
    sealedUnder: c.get("keys").current.kid,
  };
  const inserted = await insertAccount(c.env.DATABASE, account, secrets, {
    at: now,
    actor: c.get("operator"),
    action: "account.create",
    target: posId,
    details: { merchantId, currency, timezone },
  });
  if (!inserted) return refuse(c, { kind: "conflict", message: "This posId is taken, or was once." });
  return c.json({ ...accountView(account), signingKey } satisfies AccountWithKey, 201);
});

accounts.get("/operator/accounts", query(pageQuery), async (c) => {
  const { cursor = "", limit = PAGE_ROWS } = c.req.valid("query");
  const rows = await listAccounts(c.env.DATABASE, cursor, limit + 1);
  return c.json(pageOf(rows, limit, ({ posId }) => posId, accountView) satisfies AccountPage);
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
  const passwordHash = plain === undefined ? undefined : await hashPassword(plain);
  const changed = await changeAccount(
    c.env.DATABASE,
    posId,
    { ...rest, passwordHash },
    {
      at: Date.now(),
      actor: c.get("operator"),
      action: "account.change",
      target: posId,
      details: { ...defined(rest), ...(plain === undefined ? {} : { password: true }) },
    },
  );
  const account = await findAccount(c.env.DATABASE, posId);
  if (!changed || account === null) return refuse(c, DELETED);

  const { status, merchantId, currency, timezone } = rest;
  if (status === "suspended") await announceSuspension(c.env, posId);
  if ([merchantId, currency, timezone].some((value) => value !== undefined)) await refreshBindings(c.env, account);
  // Both can make this the account that a listed terminal was waiting for.
  if (status === "active" || merchantId !== undefined) {
    await applyPrebinding(c.env, await listPrebound(c.env.DATABASE, posId));
  }
  return c.json(accountView(account));
});

accounts.delete("/operator/accounts/:posId", noQuery, oneAccount, requireChangeable, async (c) => {
  const account = c.get("account");
  const { posId } = account;
  const listed = await listPrebound(c.env.DATABASE, posId);
  const outcome = await unbindAll(c.env, account);
  if (outcome.kind === "busy") {
    const message = `Terminal ${outcome.terminalId} has a transaction running; delete the account when it has ended.`;
    return refuse(c, { kind: "conflict", message });
  }
  const deleted = await deleteAccount(c.env.DATABASE, posId, {
    at: Date.now(),
    actor: c.get("operator"),
    action: "account.delete",
    target: posId,
    details: { unbound: outcome.terminalIds },
  });
  if (!deleted) return refuse(c, DELETED);
  // Terminals that were bound meanwhile, by a key or by a prebinding in progress.
  await unbindAll(c.env, account);
  await applyPrebinding(c.env, [...new Set([...listed, ...outcome.terminalIds])]);
  return c.json({ code: 20000, message: "The account is deleted." } satisfies Done);
});

accounts.post("/operator/accounts/:posId/signing-key", noQuery, optionalBody(keyRotation), oneAccount, async (c) => {
  const { posId } = c.req.valid("param");
  const revokePrevious = c.req.valid("json").revokePrevious === true;
  const keys = c.get("keys");

  // Of two operators at the same time, the second one's key replaces the first one's: no change is lost unnoticed.
  for (;;) {
    const before = await findSealedKeys(c.env.DATABASE, posId);
    if (before === null) return refuse(c, NO_ACCOUNT);
    if (before.status === "deleted") return refuse(c, DELETED);
    const old = unseal(keys, before.signingKey, "account-signing-key", posId);
    if (!old.ok && !revokePrevious) throw new Error(`The signing key of an account cannot be unsealed: ${old.error}`);

    const now = Date.now();
    const signingKey = randomKey();
    const until = revokePrevious ? null : now + PREVIOUS_SIGNING_KEY_LIFE;
    const after = {
      signingKey: seal(keys, signingKey, "account-signing-key", posId),
      previousSigningKey:
        revokePrevious || !old.ok ? null : seal(keys, old.value, "account-previous-signing-key", posId),
      previousSigningKeyUntil: until,
      sealedUnder: keys.current.kid,
    };
    const replaced = await replaceSealedKeys(c.env.DATABASE, posId, before, after, {
      at: now,
      actor: c.get("operator"),
      action: "account.signing-key",
      target: posId,
      details: { revokePrevious },
    });
    if (!replaced) continue;
    const previousValidUntil = until === null ? null : isoWithOffset(until, "UTC");
    return c.json({ posId, signingKey, previousValidUntil } satisfies SigningKeyAnswer);
  }
});

function accountView({ posId, merchantId, currency, timezone, name, status, createdAt }: Account): AccountAnswer {
  return { posId, merchantId, currency, timezone, name, status, createdAt: isoWithOffset(createdAt, "UTC") };
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
