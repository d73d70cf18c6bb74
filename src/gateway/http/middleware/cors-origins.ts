/** Reads the setting `CORS_ORIGINS`: which web pages may call the gateway. */
import { type Result, err, ok } from "../../../protocol/result.ts";

/** A host is a name or an address, as `URL` serialises it: no pattern, and no second entry behind a semicolon. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/u;

/**
 * The entries between commas as browsers send them in `Origin` (https://fetch.spec.whatwg.org/#origin-header): small
 * letters, no default port, no slash at the end.
 *
 * @returns the origins, or sentences about the entries that no browser can send
 */
export function readOrigins(setting: string | undefined): { origins: string[]; problems: string[] } {
  const entries = (setting ?? "").split(",").map((entry) => entry.trim());
  const read = entries.filter((entry) => entry !== "").map(readOrigin);
  return {
    origins: read.flatMap((one) => (one.ok ? [one.value] : [])),
    problems: read.flatMap((one) => (one.ok ? [] : [one.error])),
  };
}

function readOrigin(entry: string): Result<string, string> {
  const url = URL.parse(entry);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  if (isWeb && HOST.test(url.hostname) && url.href === `${url.origin}/`) return ok(url.origin);
  return err(
    `CORS_ORIGINS has the entry ${JSON.stringify(entry)}, which no browser sends. ` +
      "Write origins such as https://pos.example.com, with commas between them: no *, and no path.",
  );
}
