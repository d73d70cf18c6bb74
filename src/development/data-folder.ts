/** The data folder of a gateway on this machine: one gateway at a time, and only with the keys that its data is under. */
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readMasterKeys } from "../keys/master-keys.ts";
import { type Result, err, ok } from "../result.ts";
import { readVars } from "./dev-vars.ts";
import { isFree } from "./gateway-process.ts";
import { isHolding, readLock, takeLock } from "./lock-file.ts";
import { DEFAULT_PORT } from "./options.ts";

/**
 * Locks the data folder for a gateway on `port`: two gateways would each keep their own view of one database and ruin
 * it. Returns what releases the lock, or a sentence about who holds it and what to do.
 */
export async function lockFolder(folder: string, port: number): Promise<Result<() => void, string>> {
  const path = join(resolve(folder), "start.lock");
  const before = readLock(path);
  // A process that was killed hard may have left its gateway running.
  if (before !== null && !isHolding(path, before) && !(await isFree(portOf(before.note)))) {
    return err(
      `Process ${before.pid}, which ran a gateway on the data folder ${resolve(folder)}, is gone, but something still ` +
        `listens on its port ${portOf(before.note)}. If it is that gateway, end it; if not, delete ${path}. ` +
        `(lsof -i :${portOf(before.note)} names the process.)`,
    );
  }
  const taken = takeLock(path, String(port));
  if (taken.ok) return taken;
  const { error: holder } = taken;
  if (holder === null) return err(`${path} cannot be locked: other processes try to at the same time. Try again.`);
  return err(
    `Process ${holder.pid} already runs a gateway on the data folder ${resolve(folder)}, on port ${holder.note}. ` +
      `Use that one or end it, or start another one beside it: ${besides(portOf(holder.note))} npm start\n` +
      `(If process ${holder.pid} is no gateway, delete ${path}.)`,
  );
}

function portOf(note: string): number {
  return Number(note) || DEFAULT_PORT;
}

function besides(port: number): string {
  return `PORT=${port < 65_535 ? port + 1 : DEFAULT_PORT} PERSIST_TO=.wrangler/second`;
}

/**
 * Whether the keys in `.dev.vars` at `devVars` are those that the folder's data is encrypted with. Resolves to a
 * sentence about what is missing and what to do, or null.
 *
 * Without this check, a gateway with new keys starts on the old data and fails at the first secret that it decrypts.
 */
export async function checkKeys(devVars: string, folder: string): Promise<string | null> {
  if (!existsSync(join(folder, "v3", "d1"))) return null;
  const text = (await readVars(devVars)).get("MASTER_KEYS");
  const data = `the data in ${resolve(folder)} is encrypted with`;
  const ways =
    `Restore ${devVars} from a backup, or delete the data to begin anew: rm -r "${resolve(folder)}"\n` +
    "(PERSIST_TO=.wrangler/second npm start keeps it, and starts on another folder.)";
  if (text === undefined) {
    const what = existsSync(devVars) ? `${devVars} has no MASTER_KEYS` : `The file ${devVars} is missing`;
    return `${what}, and ${data} the MASTER_KEYS it had. ${ways}`;
  }
  const digests = digestsOf(text);
  if (!digests.ok) return `${devVars}: ${digests.error}`;
  const kept = Object.entries(await readDigests(folder));
  const known = kept.filter(([kid]) => kid in digests.value);
  const isSame = known.length > 0 && known.every(([kid, digest]) => digests.value[kid] === digest);
  return kept.length === 0 || isSame ? null : `The MASTER_KEYS in ${devVars} are not those that ${data}. ${ways}`;
}

/** Notes in the data folder which keys its data is encrypted with from now on, for the next `checkKeys`. */
export async function noteKeys(devVars: string, folder: string): Promise<void> {
  const digests = digestsOf((await readVars(devVars)).get("MASTER_KEYS"));
  if (!digests.ok) return;
  await mkdir(folder, { recursive: true });
  await writeFile(digestsPath(folder), `${JSON.stringify(digests.value, null, 2)}\n`, { mode: 0o600 });
}

function digestsPath(folder: string): string {
  return join(folder, "master-keys.json");
}

/** A digest of each key by its kid. */
function digestsOf(masterKeys: string | undefined): Result<Record<string, string>, string> {
  const read = readMasterKeys(masterKeys);
  if (!read.ok) return read;
  return ok(Object.fromEntries([...read.value.all].map(([kid, { bytes }]) => [kid, digestOf(bytes)])));
}

/** A key is 32 random bytes, so its digest gives nothing away (I6). */
function digestOf(key: Uint8Array): string {
  return createHmac("sha256", key).update("payment-terminal-gateway data folder").digest("hex");
}

/** None where the folder is from before they were noted. */
async function readDigests(folder: string): Promise<Record<string, string>> {
  try {
    return { ...JSON.parse(await readFile(digestsPath(folder), "utf8")) };
  } catch {
    return {};
  }
}
