/** A QR code (ISO/IEC 18004) as a PNG image (W3C PNG, third edition) of one bit per pixel. */
import { crc32, deflateSync } from "node:zlib";
import { encode } from "uqr";

/** Pixels per module, a byte of a row: about 230 pixels for a key, which a phone can read from a POS's screen. */
const SCALE = 8;
/** The quiet zone that the standard requires, in modules. */
const QUIET_ZONE = 4;

const SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export function qrPng(text: string): Buffer<ArrayBuffer> {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size * SCALE, 0);
  header.writeUInt32BE(size * SCALE, 4);
  // One bit per pixel is greyscale; compression, filter and interlace methods are 0.
  header.writeUInt8(1, 8);
  const rows = data.flatMap((modules) => Array<Uint8Array>(SCALE).fill(scanline(modules)));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Makes one row of pixels: the filter type (0, none), then eight pixels a byte, 1 being white. */
function scanline(modules: boolean[]): Uint8Array {
  return Uint8Array.of(0, ...modules.map((dark) => (dark ? 0 : 0xff)));
}

/** Length, type, data, and the CRC of type and data. */
function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
