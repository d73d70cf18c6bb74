import { textMistake } from "./check-options.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The mistake in the gateway's address, or null. Plain http is only for this machine: passwords and tokens are never sent
 * unencrypted.
 */
export function addressMistake(baseUrl: unknown): string | null {
  const mistake = textMistake("baseUrl", baseUrl, "the gateway's address, a URL with https");
  if (mistake !== null) return mistake;
  const text = String(baseUrl);
  if (!URL.canParse(text)) {
    return "baseUrl is not a URL. Write https:// before the gateway's host.";
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    return "baseUrl must be https. Plain http works only on this machine.";
  }
  const isBare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return isBare ? null : "baseUrl must not have a user name, password, query or fragment.";
}

/** The gateway's address without a trailing slash. Throws a TypeError if `addressMistake` finds a mistake. */
export function gatewayAddress(baseUrl: string): string {
  const mistake = addressMistake(baseUrl);
  if (mistake !== null) throw new TypeError(mistake);
  return new URL(baseUrl).href.replace(/\/+$/, "");
}
