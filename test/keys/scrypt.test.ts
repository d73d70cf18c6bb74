import { scryptSync } from "node:crypto";
import { describe, it } from "vitest";
import { scrypt, type Scrypt } from "../../src/keys/scrypt.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const atOnce = async (): Promise<void> => {};

async function hash(password: string, salt: string, wanted: Scrypt): Promise<string> {
  return Buffer.from(await scrypt(text(password), text(salt), wanted, atOnce)).toString("hex");
}

describe("scrypt in pieces", () => {
  // RFC 7914, section 12: those that the platform's PBKDF2 has room for, and an isolate.
  it.for([
    ["", "", { N: 16, r: 1, p: 1 }, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"],
    [
      "pleaseletmein",
      "SodiumChloride",
      { N: 16_384, r: 8, p: 1 },
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2",
    ],
  ] as const)("makes the RFC's hash of %j and %j", async ([password, salt, cost, begins], { expect }) => {
    expect((await hash(password, salt, { ...cost, length: 64 })).slice(0, 64)).toBe(begins);
  });

  it("equals the platform's result, for any cost", async ({ expect }) => {
    for (const cost of [
      { N: 2, r: 1, p: 1 },
      { N: 64, r: 3, p: 2 },
      { N: 8_192, r: 2, p: 3 },
    ]) {
      const expected = scryptSync("pässword", "some salt", 32, cost).toString("hex");
      expect(await hash("pässword", "some salt", { ...cost, length: 32 })).toBe(expected);
    }
  });

  it("pauses after each piece, and gives the same hash next to another one", async ({ expect }) => {
    const cost = { N: 8_192, r: 1, p: 2 };
    let rests = 0;
    const rest = async (): Promise<void> => {
      rests++;
      await scheduler.wait(1);
    };
    const made = await Promise.all(
      ["one", "other"].map((password) => scrypt(text(password), text("salt"), { ...cost, length: 32 }, rest)),
    );
    expect(rests).toBe(64);
    const expected = ["one", "other"].map((password) => new Uint8Array(scryptSync(password, "salt", 32, cost)));
    expect(made).toEqual(expected);
  });
});
