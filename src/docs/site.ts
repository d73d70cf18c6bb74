/** The static site that the Worker serves, except scripts, the console and the documentation: start pages, contracts, headers. */
import { fileText } from "./build/text.ts";
import { CONTRACTS } from "./contracts.ts";
import { startPages } from "./start-page.ts";
import { pagePolicy, docsPolicy } from "../gateway/http/site/static-pages.ts";

/** Returns all files by their path below dist/site. */
export function siteFiles(): Record<string, string> {
  return {
    _headers: HEADERS,
    ...Object.fromEntries(
      Object.entries(CONTRACTS).map(([path, document]) => [path, JSON.stringify(document, null, 2)]),
    ),
    "start.css": fileText("src/pages/page/base.css") + fileText("src/docs/start-page.css"),
    "icon.svg": fileText("src/docs/public/icon.svg"),
    ...startPages(),
  };
}

/**
 * These headers are for the files served without the Worker. The Worker serves the console and sets its headers. The
 * policy is for every file, so that none can be forgotten.
 */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
  Content-Security-Policy: ${pagePolicy()}
  X-Frame-Options: DENY
  Referrer-Policy: no-referrer
/docs/*
  ! Content-Security-Policy
  Content-Security-Policy: ${docsPolicy()}
/docs/assets/*
  Cache-Control: public, max-age=31536000, immutable
${Object.keys(CONTRACTS)
  .map((path) => `/${path}\n  Access-Control-Allow-Origin: *\n`)
  .join("")}`;
