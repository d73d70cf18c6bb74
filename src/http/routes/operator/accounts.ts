/** The operator's accounts. */
import { hashPassword } from "../../../keys/passwords.ts";
import { randomKey, seal, unseal } from "../../../keys/sealing.ts";
import { PAGE_ROWS, PREVIOUS_SIGNING_KEY_LIFE } from "../../../limits.ts";
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
import type { Done } from "../../answers/fields.ts";
import type { AccountAnswer, AccountPage, AccountWithKey, SigningKeyAnswer } from "../../answers/operator.ts";
import { announceSuspension, applyPrebinding, refreshBindings, unbindAll } from "../../bindings.ts";
import { invalid, readBody, readOptionalJsonObject } from "../../body.ts";
import { createFactory } from "hono/factory";
import { type Refusal, refuse } from "../../errors.ts";
import { accountChanges, keyRotation, newAccount } from "../../messages/operator.ts";
import type { OperatorEnvironment } from "../../operator.ts";
import { pageQuery } from "../../messages/pages.ts";
import { pageOf, query } from "../../pages.ts";
import { problemsOf } from "../../../validation/problems.ts";

export const accounts = createFactory<OperatorEnvironment>().createApp();

accounts.post("/operator/accounts", async (c) => {
  const body = await readBody(c, newAccount);
  if (!body.ok) return refuse(c, body.refusal);
  const { posId, password: plain, merchantId, currency, timezone, name = null } = body.value;
  const now = Date.now();
  const signingKey = randomKey();
  const account: Account = { posId, merchantId, currency, timezone, name, status: "active", createdAt: now };
  const secrets = {
    passwordHash: await hashPassword(plain),
    sealedSigningKey: seal(c.get("keys"), signingKey, posId),
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

accounts.get("/operator/accounts/:posId", async (c) => {
  const account = await findAccount(c.env.DATABASE, c.req.param("posId"));
  return account === null ? refuse(c, NO_ACCOUNT) : c.json(accountView(account));
});

accounts.patch("/operator/accounts/:posId", async (c) => {
  const posId = c.req.param("posId");
  const before = await findAccount(c.env.DATABASE, posId);
  if (before === null) return refuse(c, NO_ACCOUNT);
  if (before.status === "deleted") return refuse(c, DELETED);
  const body = await readBody(c, accountChanges);
  if (!body.ok) return refuse(c, body.refusal);
  const { password: plain, ...rest } = body.value;
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
  // Both can make the account the one that a listed terminal was waiting for.
  if (status === "active" || merchantId !== undefined) {
    await applyPrebinding(c.env, await listPrebound(c.env.DATABASE, posId));
  }
  return c.json(accountView(account));
});

accounts.delete("/operator/accounts/:posId", async (c) => {
  const posId = c.req.param("posId");
  const account = await findAccount(c.env.DATABASE, posId);
  if (account === null) return refuse(c, NO_ACCOUNT);
  if (account.status === "deleted") return refuse(c, DELETED);
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
  // What was bound while the account was still there: by a key that was claimed, or by a prebinding under way.
  await unbindAll(c.env, account);
  await applyPrebinding(c.env, [...new Set([...listed, ...outcome.terminalIds])]);
  return c.json({ code: 20000, message: "The account is deleted." } satisfies Done);
});

accounts.post("/operator/accounts/:posId/signing-key", async (c) => {
  const posId = c.req.param("posId");
  const body = await readOptionalJsonObject(c);
  if (!body.ok) return refuse(c, body.refusal);
  const parsed = keyRotation.safeParse(body.value ?? {});
  if (!parsed.success) return refuse(c, invalid(problemsOf(parsed.error)));
  const keys = c.get("keys");

  // Two operators at the same time: the second one's key replaces the first one's, and neither is lost unnoticed.
  for (;;) {
    const before = await findSealedKeys(c.env.DATABASE, posId);
    if (before === null) return refuse(c, NO_ACCOUNT);
    if (before.status === "deleted") return refuse(c, DELETED);
    const old = unseal(keys, before.signingKey, posId);
    const revokePrevious = parsed.data.revokePrevious === true;
    if (!old.ok && !revokePrevious) throw new Error(`The signing key of an account cannot be unsealed: ${old.reason}`);

    const now = Date.now();
    const signingKey = randomKey();
    const until = revokePrevious ? null : now + PREVIOUS_SIGNING_KEY_LIFE;
    const after = {
      signingKey: seal(keys, signingKey, posId),
      previousSigningKey: revokePrevious || !old.ok ? null : seal(keys, old.plaintext, posId),
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

const NO_ACCOUNT: Refusal = { kind: "not_found", message: "There is no such account." };
const DELETED: Refusal = { kind: "conflict", message: "The account is deleted." };

function accountView({ posId, merchantId, currency, timezone, name, status, createdAt }: Account): AccountAnswer {
  return { posId, merchantId, currency, timezone, name, status, createdAt: isoWithOffset(createdAt, "UTC") };
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
