import { existsSync } from "node:fs";

/** Debian's paths. The shell is the same engine without windows, and takes half the CPU. */
const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const CHROMIUM = process.env["CHROMIUM"] ?? INSTALLED.find((path) => existsSync(path)) ?? null;

/** Without one, the tests in a browser are left out. */
export function hasChromium(): boolean {
  return CHROMIUM !== null && existsSync(CHROMIUM);
}
