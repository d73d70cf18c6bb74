import { existsSync } from "node:fs";

/** Debian's paths. The shell is the same engine without windows, and takes a third less CPU. */
const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const { CHROMIUM: chosen } = process.env;

/** The path of the browser; null if there is none: the tests in a browser are left out. */
export const CHROMIUM = (chosen === undefined ? INSTALLED : [chosen]).find((path) => existsSync(path)) ?? null;
