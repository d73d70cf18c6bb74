/** The data folder of a gateway on this machine: for one gateway at a time. */
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readMasterKeys } from "../../gateway/secrets/master-keys.ts";
import { type Result, err, ok } from "../../protocol/result.ts";
import { readVars, startLock } from "../../sdk/command-line/settings.ts";
import { isFree } from "./gateway-process.ts";
import { isHolding, readLock, takeLock } from "../../sdk/command-line/lock-file.ts";
import { readPrivate, writePrivate } from "../../sdk/command-line/private-file.ts";
import { DEFAULT_PORT } from "./options.ts";

/**
 * Two gateways would corrupt the database. Returns a function that releases the lock, or a message about who holds it
 * and what to do.
 */
export async function lockFolder(folder: string, port: number): Promise<Result<() => void, string>> {
  const path = startLock(folder);
  const before = readLock(path);
  // A killed process may have left its gateway running.
  if (before !== null && !isHolding(path, before) && !(await isFree(parsePort(before.note)))) {
    return err(
      `Process ${before.pid} ran a gateway on the data folder ${resolve(folder)} and has ended, but something still ` +
        `listens on its port ${parsePort(before.note)}. If that is the gateway, end it. Otherwise delete ${path}. ` +
        `(Find the process with lsof -i :${parsePort(before.note)}.)`,
    );
  }
  const taken = takeLock(path, String(port));
  if (taken.ok) return taken;
  const { error: holder } = taken;
  if (holder === null) return err(`Cannot lock ${path}: another process is locking it. Try again.`);
  return err(
    `Process ${holder.pid} already runs a gateway on the data folder ${resolve(folder)}, on port ${holder.note}. ` +
      `Use it, end it, or start a second gateway: ${besides(parsePort(holder.note))} npm start\n` +
      `(If process ${holder.pid} is not a gateway, delete ${path}.)`,
  );
}

function parsePort(note: string): number {
  return Number(note) || DEFAULT_PORT;
}

function besides(port: number): string {
  return `PORT=${port < 65_535 ? port + 1 : DEFAULT_PORT} PERSIST_TO=.wrangler/second`;
}

/**
 * Checks that the keys in `.dev.vars` at `devVars` encrypted the folder's data: with new keys, a gateway would start on
 * the old data and fail at the first secret. Resolves to null, or to a message about what is missing and what to do.
 */
export async function checkKeys(devVars: string, folder: string): Promise<string | null> {
  if (!existsSync(join(folder, "v3", "d1"))) return null;
  const text = (await readVars(devVars)).get("MASTER_KEYS");
  const data = `the data in ${resolve(folder)} is encrypted with`;
  const ways =
    `Restore ${devVars} from a backup, or delete the data and start over: rm -r "${resolve(folder)}"\n` +
    "(To keep the data, start in another folder: PERSIST_TO=.wrangler/second npm start)";
  if (text === undefined) {
    const what = existsSync(devVars) ? `${devVars} has no MASTER_KEYS` : `The file ${devVars} is missing`;
    return `${what}, but ${data} the MASTER_KEYS it contained. ${ways}`;
  }
  const digests = digestKeys(text);
  if (!digests.ok) return `${devVars}: ${digests.error}`;
  const kept = Object.entries(await readStored<Record<string, string>>(digestsPath(folder), {}));
  const known = kept.filter(([kid]) => kid in digests.value);
  const isSame = known.length > 0 && known.every(([kid, digest]) => digests.value[kid] === digest);
  return kept.length === 0 || isSame
    ? null
    : `The MASTER_KEYS in ${devVars} are not those of the data: ${data} other keys. ${ways}`;
}

/** Records the keys for the next `checkKeys`. */
export async function noteKeys(devVars: string, folder: string): Promise<void> {
  const digests = digestKeys((await readVars(devVars)).get("MASTER_KEYS"));
  if (!digests.ok) return;
  await writeStored(digestsPath(folder), digests.value);
}

function digestsPath(folder: string): string {
  return join(folder, "master-keys.json");
}

/** Returns the digests by kid. */
function digestKeys(masterKeys: string | undefined): Result<Record<string, string>, string> {
  const read = readMasterKeys(masterKeys);
  if (!read.ok) return read;
  return ok(Object.fromEntries([...read.value.all].map(([kid, { bytes }]) => [kid, digestKey(bytes)])));
}

/** A key is 32 random bytes, so its digest reveals nothing (I6). */
function digestKey(key: Uint8Array): string {
  return createHmac("sha256", key).update("payment-terminal-gateway data folder").digest("hex");
}

/** Returns `otherwise` without a file of JSON. Throws a UsageError if others can read or change it. */
export async function readStored<Content>(path: string, otherwise: Content): Promise<Content> {
  const text = await readPrivate(path);
  try {
    return JSON.parse(text ?? "") as Content;
  } catch {
    return otherwise;
  }
}

/** It may contain secrets. */
export async function writeStored(path: string, content: unknown): Promise<void> {
  await writePrivate(path, `${JSON.stringify(content, null, 2)}\n`);
}
