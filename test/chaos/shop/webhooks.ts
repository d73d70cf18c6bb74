/** A shop's calls about its webhook, which are signed. */
import { randomUUID } from "node:crypto";
import { call, NoReply, parsed, type Reply } from "../wire/http.ts";
import { signed } from "../wire/signature.ts";
import type { Account } from "./account.ts";
import type { Session } from "./session.ts";
import { datetimeOf } from "./clock.ts";

export interface Webhook {
  id: string;
  secret: string;
}

/** Null: try again with another address. After a lost answer the account may have one more than its shop knows. */
export async function addWebhook(account: Account, session: Session, url: string): Promise<Webhook | null> {
  const reply = await signedCall(account, session, "POST", "/api/webhooks", { url });
  const { id, secret } = (reply === null ? null : parsed(reply.text)) ?? {};
  return reply?.status === 201 ? { id: String(id), secret: String(secret) } : null;
}

/** Delivers at once, whatever failed before. */
export async function enableWebhook(account: Account, session: Session, id: string): Promise<boolean> {
  const reply = await signedCall(account, session, "PATCH", `/api/webhooks/${id}`, { enabled: true });
  return reply?.status === 200;
}

/** How many events it has not taken yet; null: unknown. */
export async function webhookBehind(account: Account, session: Session, id: string): Promise<number | null> {
  const token = await session.token();
  if (token === null) return null;
  const reply = await call(account.door.port, { method: "GET", path: `/api/webhooks/${id}`, token }).catch(nothing);
  const { behind } = (reply === null ? null : parsed(reply.text)) ?? {};
  return typeof behind === "number" ? behind : null;
}

async function signedCall(
  account: Account,
  session: Session,
  method: string,
  path: string,
  members: object,
): Promise<Reply | null> {
  const token = await session.token();
  if (token === null) return null;
  const { posId, key, door } = account;
  const own = { posId, datetime: datetimeOf(Date.now()), nonce: randomUUID(), call: `${method} ${path}` };
  return call(door.port, { method, path, token, body: signed({ ...members, ...own }, key) }).catch(nothing);
}

function nothing(error: unknown): null {
  if (error instanceof NoReply) return null;
  throw error;
}
