/**
 * Which addresses an account may use for deliveries. The gateway calls them, so an address must not reach anything that
 * only the gateway can reach (server-side request forgery).
 *
 * The address is checked as the platform parses it: `URL` (https://url.spec.whatwg.org/#host-parsing) turns every form of
 * an IPv4 address (decimal, octal, hexadecimal, shortened, full-width digits, trailing dot) into four decimal numbers, and
 * host names in other scripts into ASCII. This check is the second barrier: on Cloudflare, `fetch` cannot reach a private
 * network, and the compatibility flag `global_fetch_strictly_public`
 * (https://developers.cloudflare.com/workers/configuration/compatibility-flags/#global-fetch-strictly-public) sends it
 * through the front door even to hosts in the Worker's own zone. So names are not resolved here: a name that points to a
 * private address leads nowhere.
 */
import { WEB_ADDRESS_LENGTH } from "../../protocol/lengths.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";

/**
 * Names that never lead out of a machine or a network (RFC 6761, RFC 6762, RFC 8375, RFC 9476, and common practice).
 */
const NOT_PUBLIC = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
  "invalid",
  "onion",
  "alt",
  "arpa",
];

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The last label: letters, or a name in another script. Digits would make it an IP address. */
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** RFC 1035, section 2.3.4: octets of a name. */
const NAME_LENGTH = 253;

export interface AddressRules {
  /** The gateway was called on its own machine, so a plain address on that machine is allowed. */
  local: boolean;
  /** The host that the gateway was called on: it must not deliver to itself. */
  ownHost: string;
}

/** @returns the normalised address, or what is wrong with it, without repeating it */
export function judgeAddress(text: string, { local, ownHost }: AddressRules): Result<string, string> {
  if (text.length > WEB_ADDRESS_LENGTH) return err(`Send a URL of at most ${WEB_ADDRESS_LENGTH} characters.`);
  // `URL` removes tabs and line feeds and treats a backslash as a slash: the address that a person reads must be the one
  // that is called.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return err(WANTED);
  const url = new URL(text);
  const { protocol, hostname, port, username, password } = url;
  if (username !== "" || password !== "") return err("Remove the user name and the password.");
  if (text.includes("#")) return err("Remove the fragment: the part from # on.");
  if (local && protocol === "http:" && hostname === "localhost") return ok(url.href);
  if (protocol !== "https:") return err(WANTED);
  if (port !== "") return err("Remove the port: deliveries go to the default port of https.");
  if (!isPublicName(hostname)) return err("Send the public name of a host: no address, no name of a private network.");
  if (hostname === ownHost) return err("Send the address of your own receiver, not of this gateway.");
  return ok(url.href);
}

const WANTED = "Send an absolute URL that begins with https://.";

/** @param hostname as `URL` writes it: lower case, ASCII */
function isPublicName(hostname: string): boolean {
  const labels = hostname.split(".");
  const top = labels.at(-1) ?? "";
  if (hostname.length > NAME_LENGTH || labels.length < 2 || !TOP_LABEL.test(top)) return false;
  return labels.every((label) => LABEL.test(label)) && !NOT_PUBLIC.includes(top);
}

/** The part of an address that logs, the audit log and operators see. */
export function hostOf(address: string): string {
  return new URL(address).host;
}

/** How an account recognises its address: scheme, host and the last four characters. */
export function shortened(address: string): string {
  const { origin, pathname, search } = new URL(address);
  const rest = `${pathname}${search}`;
  return rest === "/" ? origin : `${origin}/…${rest.slice(1).slice(-SHOWN)}`;
}

const SHOWN = 4;
