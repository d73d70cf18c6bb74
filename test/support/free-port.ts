/** Ports for programs that need a port on their command line and cannot choose one by listening on 0. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFree } from "../../src/tools/development/gateway-process.ts";
import { takeLock } from "../../src/sdk/command-line/lock-file.ts";
import { ownFolder } from "./memory-folder.ts";

/**
 * Below the ports that systems give to outgoing connections (Linux: 32768 and above; macOS, Windows: 49152 and above):
 * of those, one that is free now may be somebody's connection a moment later. Above those that services commonly have.
 */
const FIRST = 20_000;
const LAST = 29_999;

const TRIES = 200;

/** For every process of this user: the other workers of a run, and other runs. */
const RESERVED = ownFolder(tmpdir(), "gateway-test-ports");

/** What ends the reservations of this process. */
const reserved: (() => void)[] = [];
process.once("exit", () => {
  for (const release of reserved) release();
});

/**
 * Finds `count` ports in a row on which nobody listens, and reserves them for this process until it ends, so that
 * nobody else finds them before they are listened on. Resolves to the first one. Throws when there are none.
 */
export async function freePort(count = 1): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const first = FIRST + Math.floor(Math.random() * (LAST - FIRST + 2 - count));
    if (await reserve(Array.from({ length: count }, (_, index) => first + index))) return first;
  }
  throw new Error(`no ${count} free ports in a row between ${FIRST} and ${LAST}`);
}

/** Reserves all of them, or none. */
async function reserve(ports: readonly number[]): Promise<boolean> {
  const releases: (() => void)[] = [];
  for (const port of ports) {
    const taken = takeLock(join(RESERVED, String(port)));
    if (taken.ok) releases.push(taken.value);
    if (!taken.ok || !(await isFree(port))) {
      for (const release of releases) release();
      return false;
    }
  }
  reserved.push(...releases);
  return true;
}
