/** An account's object, called as the Worker and terminals' objects call it, with helpers to read its state. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type EntryChanges, type MessageChanges, saleEntry, signedMessage } from "./samples.ts";
import type { MasterKeys } from "../../../../src/gateway/secrets/master-keys.ts";
import { sealPassword } from "../../../../src/gateway/secrets/passwords.ts";
import { seal } from "../../../../src/gateway/secrets/sealing.ts";
import { type AccountEvent, type TransactionEvent, isAboutTransaction } from "../../../../src/protocol/events.ts";
import {
  type AccountStub,
  type SignedMessage,
  type NewAccount,
  type RecordEntry,
  type AccountUpdate,
  accountStub,
} from "../../../../src/gateway/account/rpc.ts";
import { Terminal } from "../../../../src/gateway/terminal/terminal.ts";
import { keysFrom } from "../../master-keys.ts";
import { uniqueId } from "../../gateway.ts";
import { eventsIn } from "../../stored-rows.ts";

/** What terminals receive from now on; `answer` decides how each responds. */
export function terminalsThat(answer: (update: AccountUpdate) => Promise<{ kind: "done" } | { kind: "busy" }>) {
  return vi.spyOn(Terminal.prototype, "applyAccountUpdate").mockImplementation((_posId, update) => answer(update));
}

export const KID = "test-1";

export function masterKeys(): MasterKeys {
  return keysFrom(env.MASTER_KEYS);
}

export interface Books {
  posId: string;
  signingKey: string;
  object: AccountStub;
  sessionId: string;
  /** Makes a signed message as the Worker hands it over. */
  question(changes?: MessageChanges, key?: string): SignedMessage;
  /** Makes a transaction's outcome as a terminal's object hands it over. */
  entry(changes?: EntryChanges): RecordEntry;
  feed(): Promise<AccountEvent[]>;
  events(): Promise<TransactionEvent[]>;
}

export function sealedKey(posId: string, key: string): string {
  return seal(masterKeys(), key, "account-signing-key", posId);
}

/** Every account here has it at first. */
export const PASSWORD = "the password of the books";

export function sealedPassword(posId: string, password: string): string {
  return sealPassword(masterKeys(), password, posId);
}

export function newAccount(posId: string, signingKey: string, timezone = "Asia/Kuala_Lumpur"): NewAccount {
  return {
    posId,
    merchantId: "M-1",
    currency: "MYR",
    timezone,
    name: null,
    region: null,
    sealedPassword: sealedPassword(posId, PASSWORD),
    sealedSigningKey: sealedKey(posId, signingKey),
  };
}

/** Opens a new account with a session and two terminals, T-1 and T-2. */
export async function openBooks(timezone?: string): Promise<Books> {
  const posId = uniqueId("pos");
  const signingKey = crypto.randomUUID();
  const object = accountStub(env, posId);
  await object.create(newAccount(posId, signingKey, timezone), "tester");
  for (const terminalId of ["T-1", "T-2"]) await object.deviceChanged({ terminalId, bindingVersion: 1, bound: true });
  const opened = await object.openSession(PASSWORD, KID);
  if (opened.kind !== "opened") throw new Error(`no session: ${opened.kind}`);
  const { sessionId } = opened;
  let requestId = 1_000_000_000;
  return {
    posId,
    signingKey,
    object,
    sessionId,
    question: (changes, key = signingKey) => signedMessage(key, { sessionId, posId, ...changes }),
    entry: (changes) => saleEntry(requestId++, changes),
    feed: () => feedOf(posId),
    events: async () => (await feedOf(posId)).filter(isAboutTransaction),
  };
}

/** Returns when the object wants to be woken, or null. */
export function alarmOf({ posId }: Pick<Books, "posId">): Promise<number | null> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => storage.getAlarm());
}

/** Fires the alarm that is set, even before it is due. */
export async function ring({ posId }: Pick<Books, "posId">): Promise<void> {
  await runDurableObjectAlarm(env.ACCOUNT.getByName(posId));
}

function feedOf(posId: string): Promise<AccountEvent[]> {
  return runInDurableObject(env.ACCOUNT.getByName(posId), (_object, { storage }) => eventsIn(storage));
}
