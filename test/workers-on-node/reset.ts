/** Storage as a test file finds it: no rows, no objects. */
import { DATABASE } from "./database.ts";
import { forgetObjects } from "./objects.ts";
import { forgetCounts } from "./rate-limit.ts";

export async function reset(): Promise<void> {
  forgetObjects();
  DATABASE.reset();
  forgetCounts();
}
