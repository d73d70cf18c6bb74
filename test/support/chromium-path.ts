import { existsSync } from "node:fs";

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Without one, the tests in a browser are left out. */
export function hasChromium(): boolean {
  return existsSync(CHROMIUM);
}
