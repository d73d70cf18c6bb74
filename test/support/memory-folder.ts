/** A place for temporary files in memory: the databases of a run sync thousands of files, which a disk takes seconds for. */
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";

/** The file system in memory that Linux programs may use (https://www.kernel.org/doc/html/latest/filesystems/tmpfs.html). */
const MEMORY = "/dev/shm";

/** The type of such a file system (statfs(2): TMPFS_MAGIC). */
const TMPFS = 0x01_02_19_94;

/** A run takes about 100 MiB. A container often has 64 MiB. */
const NEEDED_BYTES = 1024 ** 3;

/** What a run that was killed left behind would stay in memory until the machine restarts. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/** The path of this user's folder in memory, or null where the system has no such place or too little memory for it. */
export function memoryFolder(): string | null {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= NEEDED_BYTES ? commonFolder(MEMORY) : null;
  } catch {
    return null;
  }
}

/** Makes the folder that all runs of this user share, without what older runs have left there. Returns its path. */
function commonFolder(place: string): string {
  const folder = ownFolder(place, "gateway-tests");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const forgotten = Date.now() - FORGOTTEN_MS;
  for (const name of readdirSync(folder)) {
    const left = join(folder, name);
    // Another run may just have removed it.
    const writtenAt = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? forgotten;
    if (writtenAt < forgotten) rmSync(left, { recursive: true, force: true });
  }
  return folder;
}

/** The path of a folder in `place` that all processes of this user share, and that no other user has made. */
export function ownFolder(place: string, name: string): string {
  return join(place, `${name}-${process.getuid?.() ?? "own"}`);
}
