import { describe, expect, it } from "vitest";
import { deriveKey, readMasterKeys } from "../../../../src/gateway/secrets/master-keys.ts";
import { keysFrom } from "../../../support/master-keys.ts";

const ONE = Buffer.from("master key of the test run only!").toString("base64");
const TWO = Buffer.alloc(32, 0xfb).toString("base64");

describe("MASTER_KEYS", () => {
  it("gives all keys by kid, the first one current", () => {
    const keys = keysFrom(`2026-11:${ONE},old.key_1:${TWO}`);
    expect(keys.current.kid).toBe("2026-11");
    expect(Buffer.from(keys.current.bytes).toString()).toBe("master key of the test run only!");
    expect([...keys.all.keys()]).toEqual(["2026-11", "old.key_1"]);
    expect(keys.all.get("old.key_1")?.bytes).toEqual(new Uint8Array(32).fill(0xfb));
  });

  it("may have white space around its parts", () => {
    expect([...keysFrom(` a:${ONE} ,\n b : ${TWO}\n`).all.keys()]).toEqual(["a", "b"]);
  });

  it("gives the same keys when it is read again", () => {
    expect(keysFrom(`a:${ONE}`)).toBe(keysFrom(`a:${ONE}`));
    expect(keysFrom(`b:${ONE}`).current.kid).toBe("b");
    expect(keysFrom(`a:${ONE}`).current.kid).toBe("a");
  });

  it.each([
    ["nothing", undefined],
    ["an empty text", ""],
    ["white space", " \n"],
    ["no colon", ONE],
    ["no kid", `:${ONE}`],
    ["a kid with a space", `a b:${ONE}`],
    ["a kid with a slash", `a/b:${ONE}`],
    ["a kid twice", `a:${ONE},a:${TWO}`],
    ["an entry without text", `a:${ONE},`],
    ["a key of 16 bytes", `a:${Buffer.alloc(16, 0xfb).toString("base64")}`],
    ["a key of 33 bytes", `a:${Buffer.alloc(33, 0xfb).toString("base64")}`],
    ["no key", "a:"],
    ["base64url", `a:${Buffer.alloc(32, 0xfb).toString("base64url")}`],
    ["base64 without padding", `a:${TWO.replace("=", "")}`],
    ["hexadecimal", `a:${"fb".repeat(32)}`],
    ["a bad second key", `a:${ONE},b:${TWO.slice(4)}`],
  ])("is refused with %s, naming the setting and not its value", (_, text) => {
    const result = readMasterKeys(text);
    if (result.ok) throw new Error("taken");
    expect(result.error).toMatch(/^MASTER_KEYS: /);
    for (const secret of [ONE, TWO, TWO.slice(4), "a b", "a/b", "fbfb", "-_v7"]) {
      expect(result.error).not.toContain(secret);
    }
  });
});

it("says which entry is unusable", () => {
  const wrong = [`a:${ONE},b:${TWO.slice(4)}`, ONE, `a:${ONE},b:${TWO},b:${ONE}`];
  expect(wrong.map(readMasterKeys)).toEqual([
    { ok: false, error: "MASTER_KEYS: Key 2 must be 32 bytes (base64)." },
    { ok: false, error: "MASTER_KEYS: Entry 1 must be kid:base64." },
    { ok: false, error: "MASTER_KEYS: The kid of entry 3 is repeated. Use another kid." },
  ]);
});

describe("a derived key", () => {
  const master = keysFrom(`test-1:${ONE}`).current;

  it("equals another implementation's HKDF-SHA-256 with the purpose as info", () => {
    expect(Buffer.from(deriveKey(master, "tokens")).toString("hex")).toBe(
      "2f6726d7843292d4cf5bb60cb5cb3d74b689c7a8728aa8d3dfd23e3d1b0e13d8",
    );
    expect(Buffer.from(deriveKey(master, "other", 16)).toString("hex")).toBe("d9c073c824750c991c3163b00791c683");
  });

  it("is derived once for a purpose and a length", () => {
    expect(deriveKey(master, "tokens")).toBe(deriveKey(master, "tokens"));
    expect(deriveKey(master, "tokens", 16)).toHaveLength(16);
    expect(deriveKey(master, "tokens")).toHaveLength(32);
  });

  it("differs with the purpose and with the master key", () => {
    const other = keysFrom(`test-1:${TWO}`).current;
    expect(deriveKey(master, "sealing")).not.toEqual(deriveKey(master, "tokens"));
    expect(deriveKey(other, "tokens")).not.toEqual(deriveKey(master, "tokens"));
  });
});
