import jsQR from "jsqr";
import { inflateSync } from "node:zlib";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { BIND_KEYS_AN_HOUR } from "../../../../src/protocol/limits.ts";
import { HOUR, SECOND } from "../../../../src/protocol/time/units.ts";
import { auditOf } from "../../../support/audit.ts";
import {
  accessToken,
  bindKey,
  bindMessage,
  call,
  createAccount,
  enrolTerminal,
  type ErrorBody,
  loginTerminal,
  send,
} from "../../../support/gateway.ts";

/** The data of a PNG's chunks by type; each checksum is checked, bit by bit as the standard describes it. */
function chunksOf(png: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const chunks = new Map<string, Uint8Array>();
  for (let offset = 8; offset < png.length;) {
    const length = view.getUint32(offset);
    const typed = png.subarray(offset + 4, offset + 8 + length);
    let checksum = 0xffffffff;
    for (const byte of typed) {
      checksum ^= byte;
      for (let bit = 0; bit < 8; bit++) checksum = (checksum >>> 1) ^ (checksum & 1 ? 0xedb88320 : 0);
    }
    if (view.getUint32(offset + 8 + length) !== ~checksum >>> 0) throw new Error("A chunk's checksum is wrong.");
    chunks.set(new TextDecoder().decode(typed.subarray(0, 4)), typed.subarray(4));
    offset += 12 + length;
  }
  return chunks;
}

/** Decodes our own kind of PNG: one bit per pixel, no filter, one IDAT. */
function pixelsOf(png: Uint8Array): { data: Uint8ClampedArray; width: number } {
  const chunks = chunksOf(png);
  const header = chunks.get("IHDR");
  const packed = chunks.get("IDAT");
  if (header === undefined || packed === undefined || !chunks.has("IEND")) throw new Error("A chunk is missing.");
  const width = new DataView(header.buffer, header.byteOffset).getUint32(0);
  const rows = inflateSync(packed);
  const stride = 1 + Math.ceil(width / 8);
  const data = new Uint8ClampedArray(width * width * 4);
  for (let y = 0; y < width; y++) {
    if (rows[y * stride] !== 0) throw new Error("A row has a filter.");
    for (let x = 0; x < width; x++) {
      const white = ((rows[y * stride + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
      data.set([white * 255, white * 255, white * 255, 255], (y * width + x) * 4);
    }
  }
  return { data, width };
}

describe("bind keys", () => {
  it("are 8 characters of Crockford's base32 and live for ten minutes", async ({ expect }) => {
    const token = await accessToken(await createAccount({ timezone: "Asia/Kuala_Lumpur" }));
    const { status, body } = await call<{ key: string; expiresAt: string }>("GET", "/api/bind-terminal-key", { token });
    expect(status).toBe(200);
    expect(body.key).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(body.expiresAt).toMatch(/\.\d{3}\+08:00$/);
    const left = Date.parse(body.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(9 * 60_000);
    expect(left).toBeLessThanOrEqual(10 * 60_000);
  });

  it("come as a PNG QR code that holds exactly the key", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    const response = await send("GET", "/api/bind-terminal-key?option=image", { token });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("image/png");
    expect(response.headers.get("X-Bind-Key-Expires-At")).toMatch(/\.\d{3}\+08:00$/);
    const png = new Uint8Array(await response.arrayBuffer());
    const { data, width } = pixelsOf(png);
    // 21 modules of eight pixels with four modules around them, one bit per pixel, without interlacing.
    expect(width).toBe((21 + 2 * 4) * 8);
    const dark = [...Array(width * width).keys()].filter((pixel) => data[4 * pixel] === 0);
    for (const places of [dark.map((pixel) => pixel % width), dark.map((pixel) => Math.floor(pixel / width))]) {
      expect([Math.min(...places), Math.max(...places)]).toEqual([4 * 8, (4 + 21) * 8 - 1]);
    }
    const [signature, header, end] = [png.subarray(0, 8), ...["IHDR", "IEND"].map((type) => chunksOf(png).get(type))];
    expect(end).toHaveLength(0);
    expect([...signature]).toEqual([0x89, ...new TextEncoder().encode("PNG\r\n"), 0x1a, 0x0a]);
    expect([...(header ?? [])]).toEqual([0, 0, 0, width, 0, 0, 0, width, 1, 0, 0, 0, 0]);
    const key = jsQR(data, width, width, { inversionAttempts: "dontInvert" })?.data ?? "";
    expect(key).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
    const terminal = await enrolTerminal();
    const body = bindMessage(terminal, key);
    const bound = await call("POST", "/terminal/bind", { token: await loginTerminal(terminal), body });
    expect(bound.status).toBe(200);
  });

  it("are limited to ten at a time: an eleventh replaces the oldest", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    const keys: string[] = [];
    for (let count = 0; count < 11; count++) keys.push(await bindKey(token));
    expect(new Set(keys).size).toBe(11);
    const terminal = await enrolTerminal();
    const terminalToken = await loginTerminal(terminal);
    const bind = (key = "") =>
      call<ErrorBody>("POST", "/terminal/bind", { token: terminalToken, body: bindMessage(terminal, key) });
    const oldest = await bind(keys[0]);
    expect(oldest.status).toBe(400);
    expect(oldest.body.details?.[0]?.path).toBe("key");
    expect((await bind(keys[1])).status).toBe(200);
    expect((await bind(keys[10])).status).toBe(200);
  });

  it("are in the audit log with session and address, without the key", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    const address = "203.0.113.9";
    const { body } = await call<{ key: string }>("GET", "/api/bind-terminal-key", { token, address });
    const rows = (await auditOf(account.posId)).filter(({ action }) => action === "bind-key.create");
    expect(rows).toMatchObject([
      { actor: `account:${account.posId}`, details: { session: expect.any(String) as string, address } },
    ]);
    expect(JSON.stringify(rows)).not.toContain(body.key);
  });

  it("are limited by the hour", async ({ expect }) => {
    const { posId, ...account } = await createAccount();
    const token = await accessToken({ posId, ...account });
    const hour = Math.floor(Date.now() / HOUR);
    await runInDurableObject(env.ACCOUNT.getByName(posId), async (object) => {
      const origin = { session: "s", address: "203.0.113.9" };
      for (let count = 0; count < BIND_KEYS_AN_HOUR; count++) await object.drawsBindKey(origin);
    });
    const { status, headers } = await call("GET", "/api/bind-terminal-key", { token });
    if (Math.floor(Date.now() / HOUR) !== hour) return;
    expect(status).toBe(429);
    expect(Date.now() + Number(headers.get("Retry-After")) * SECOND).toBeGreaterThanOrEqual((hour + 1) * HOUR);
    // Lists have a limit of their own.
    const list = await call("POST", "/api/prebind-terminals", { token, body: { uniqueIds: ["T-1"] } });
    expect(list.status).toBe(200);
  });
});
