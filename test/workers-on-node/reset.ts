/** Storage as a test file finds it: no rows, no objects. */
import { DATABASE } from "./database.ts";
import { forgetObjects } from "./objects.ts";

export async function reset(): Promise<void> {
  forgetObjects();
  DATABASE.reset();
}
