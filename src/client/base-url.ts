const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * The gateway's address without a trailing slash. Throws a TypeError for plain http beyond the own machine: passwords
 * and tokens never travel unencrypted.
 */
export function gatewayAddress(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.has(url.hostname))) {
    throw new TypeError("baseUrl must be https (plain http only to this machine)");
  }
  return url.href.replace(/\/+$/, "");
}
