/** Objects of a process, from outside: an object that is in memory holds its database open. */
import { readdir, readlink } from "node:fs/promises";
import type { ObjectBinding, WorkerSubject } from "../subjects/subject.ts";
import { isObject } from "../workerd.ts";

/**
 * An idle object hibernates after 10 s
 * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and the alarm that a
 * connection or a sale leaves behind may wake it once more within the 10 s before.
 */
export const UNTIL_ASLEEP = 25_000;

/** The objects that are looked at: an idle terminal must neither wake nor change its own, nor its account's. */
export const LOOKED_AT: readonly ObjectBinding[] = ["TERMINAL", "ACCOUNT"];

/** How many objects are in memory; null if the machine does not tell. */
export async function awakeObjects(subject: WorkerSubject): Promise<number | null> {
  const { pid } = subject;
  const folders = LOOKED_AT.map((binding) => subject.databases(binding));
  try {
    const open = await readdir(`/proc/${pid}/fd`);
    const paths = await Promise.all(open.map((number) => readlink(`/proc/${pid}/fd/${number}`).catch(() => "")));
    return new Set(paths.filter((path) => isObject(path) && folders.some((folder) => path.startsWith(folder)))).size;
  } catch {
    return null;
  }
}
