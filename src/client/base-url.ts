import { text, type Check } from "./check-options.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const isText = text("the gateway's address, a URL with https");

/** The gateway's address. Plain http is only for this machine: passwords and tokens are never sent unencrypted. */
export const ADDRESS: Check = (baseUrl) => {
  const mistake = isText(baseUrl);
  if (mistake !== null) return mistake;
  const given = String(baseUrl);
  if (!URL.canParse(given)) {
    return "is not a URL. Write https:// before the gateway's host.";
  }
  const url = new URL(given);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    return "must be https. Plain http works only on this machine.";
  }
  const isBare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return isBare ? null : "must not have a user name, password, query or fragment.";
};

/** The gateway's address without a trailing slash. Throws a TypeError if `ADDRESS` finds a mistake. */
export function gatewayAddress(baseUrl: string): string {
  const mistake = ADDRESS(baseUrl);
  if (mistake !== null) throw new TypeError(`baseUrl ${mistake}`);
  return new URL(baseUrl).href.replace(/\/+$/, "");
}
