/** Protection against server-side request forgery: the addresses that an account may register for deliveries. */
import { describe, it } from "vitest";
import {
  type AddressRules,
  hostOf,
  judgeAddress,
  shortenAddress,
} from "../../../../../src/gateway/account/webhooks/endpoint.ts";

const PUBLIC: AddressRules = { local: false, ownHost: "gateway.example" };
const LOCAL: AddressRules = { local: true, ownHost: "127.0.0.1" };

function isTaken(address: string, rules: AddressRules = PUBLIC): boolean {
  return judgeAddress(address, rules).ok;
}

describe("an accepted address", () => {
  it.for([
    ["https://books.example.com/hooks/payment", "https://books.example.com/hooks/payment"],
    ["https://books.example.com", "https://books.example.com/"],
    ["HTTPS://Books.Example.com:443/a?b=c", "https://books.example.com/a?b=c"],
    ["https://bücher.example/x", "https://xn--bcher-kva.example/x"],
    ["https://a.example.xn--p1ai/", "https://a.example.xn--p1ai/"],
    ["https://books.example.com/@me", "https://books.example.com/@me"],
    ["https://127-0-0-1.example.com/", "https://127-0-0-1.example.com/"],
  ] as const)("is kept in its normal form: %s", ([address, kept], { expect }) => {
    expect(judgeAddress(address, PUBLIC)).toEqual({ ok: true, value: kept });
  });
});

describe("an address of the longest length", () => {
  const label = "a".repeat(63);

  it("is accepted, and a longer one is not", ({ expect }) => {
    const path = "p".repeat(2_048 - "https://a.example/".length);
    expect(isTaken(`https://a.example/${path}`)).toBe(true);
    expect(isTaken(`https://a.example/${path}p`)).toBe(false);
  });

  it("may have a name of 253 characters", ({ expect }) => {
    const name = `${label}.${label}.${label}.${"b".repeat(53)}.example`;
    expect(name).toHaveLength(253);
    expect(isTaken(`https://${name}/`)).toBe(true);
    expect(isTaken(`https://${label}.${label}.${label}.${"b".repeat(54)}.example/`)).toBe(false);
  });
});

describe("an address on the gateway's own machine", () => {
  it("is accepted over http only", ({ expect }) => {
    expect(isTaken("http://localhost:8080/x", LOCAL)).toBe(true);
    expect(isTaken("https://localhost/x", LOCAL)).toBe(false);
  });
});

describe("a short path", () => {
  it("is shown without its first slash", ({ expect }) => {
    expect(shortenAddress("https://a.example/abc")).toBe("https://a.example/…abc");
  });
});

describe("a refused address", () => {
  it.for([
    // IPv4 in every form that a URL may have, and IPv6.
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0x7F.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://127.0.0.1./",
    "https://127.0.0.1../",
    "https://2130706433./",
    "https://１２７.０.０.１/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/",
    "https://8.8.8.8/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2606:4700::1111]/",
    "https://256.256.256.256/",
    "https://a.b.c.1/",
    "https://example.0x1/",
  ])("has no valid host name: %s", (address, { expect }) => {
    expect(isTaken(address)).toBe(false);
    expect(isTaken(address, LOCAL)).toBe(false);
  });

  it.for([
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://localhost.localdomain/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://db.internal/",
    "https://nas.lan/",
    "https://router.home/",
    "https://x.home.arpa/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://wiki.corp/",
    "https://wiki.intranet/",
    "https://wiki.private/",
    "https://gateway.test/",
    "https://nothing.invalid/",
    "https://hidden.onion/",
    "https://name.alt/",
    "https://books/",
    "https://books.example.com./",
    "https://.example.com/",
    "https://a..example.com/",
    "https://-a.example.com/",
    "https://under_score.example.com/",
    "https://ⓛocalhost/",
    "https://local\u00adhost/",
  ])("has a name that leads nowhere in public: %s", (address, { expect }) => {
    expect(isTaken(address)).toBe(false);
  });

  it.for([
    "http://books.example.com/",
    "ftp://books.example.com/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "javascript:alert(1)",
    "gopher://books.example.com/",
    "wss://books.example.com/",
    "//books.example.com/",
    "books.example.com",
    "https:books.example.com",
    "https:/books.example.com",
    "https:\\\\books.example.com\\",
    "https://books.example.com\\@evil.example/",
    "https://books.example.com:8443/",
    "https://books.example.com:80/",
    "https://user@books.example.com/",
    "https://user:secret@books.example.com/",
    "https://:secret@books.example.com/",
    "https://books.example.com#@evil.example/",
    "https://books.example.com/#part",
    " https://books.example.com/",
    "https://books.example.com/a b",
    "https://books.exa\tmple.com/",
    "https://books.example.com/\n",
    "https://",
    "https://?x",
    "",
    `https://books.example.com/${"a".repeat(2_048)}`,
    `https://${"a.".repeat(126)}example/`,
  ])("is not the plain https address of a host: %s", (address, { expect }) => {
    expect(isTaken(address)).toBe(false);
    expect(isTaken(address, LOCAL)).toBe(false);
  });

  it("is the gateway's own", ({ expect }) => {
    expect(isTaken("https://gateway.example/operator/accounts")).toBe(false);
  });
});

describe("a plain address of the same machine", () => {
  it("is accepted only if the gateway itself is called there", ({ expect }) => {
    expect(isTaken("http://localhost:9000/hook", LOCAL)).toBe(true);
    expect(isTaken("http://localhost:9000/hook", PUBLIC)).toBe(false);
    for (const address of [
      "http://127.0.0.1:9000/",
      "http://[::1]:9000/",
      "http://a.localhost:9000/",
      "http://nas:9000/",
    ]) {
      expect(isTaken(address, LOCAL)).toBe(false);
    }
  });
});

describe("the displayed form of an address", () => {
  it("is its host, and to its account the last four characters too", ({ expect }) => {
    const address = "https://books.example.com/hooks/a-long-secret-path?key=12345678";
    expect(hostOf(address)).toBe("books.example.com");
    expect(shortenAddress(address)).toBe("https://books.example.com/…5678");
    expect(shortenAddress("https://books.example.com/")).toBe("https://books.example.com");
    expect(shortenAddress("http://localhost:9000/hook")).toBe("http://localhost:9000/…hook");
  });
});
