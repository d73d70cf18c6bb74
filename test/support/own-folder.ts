import { join } from "node:path";

/** The path of a folder in `place` that all processes of this user share, and that no other user has made. */
export function ownFolder(place: string, name: string): string {
  return join(place, `${name}-${process.getuid?.() ?? "own"}`);
}
