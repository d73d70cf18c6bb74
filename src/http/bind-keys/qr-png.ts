/** A QR code (ISO/IEC 18004) as a PNG image (W3C PNG, third edition) of one bit per pixel. */
import { crc32 } from "node:zlib";
import { encode } from "uqr";

/** Pixels per module: about 230 pixels for a key, which a phone can read from a till's screen. */
const SCALE = 8;
/** The quiet zone that the standard requires, in modules. */
const QUIET_ZONE = 4;

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** The PNG of a QR code of exactly `text`. */
export async function qrPng(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const width = size * SCALE;
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, width);
  // One bit per pixel, greyscale; compression, filter and interlace methods 0.
  header.setUint8(8, 1);
  const rows = data.flatMap((modules) => Array<Uint8Array>(SCALE).fill(scanline(modules)));
  return join([
    SIGNATURE,
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", await deflate(join(rows))),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

/** One row of pixels: the filter type (0, none), then eight pixels a byte, 1 being white. */
function scanline(modules: boolean[]): Uint8Array {
  const line = new Uint8Array(1 + Math.ceil((modules.length * SCALE) / 8));
  for (const [module, dark] of modules.entries()) {
    if (dark) continue;
    for (let pixel = module * SCALE; pixel < (module + 1) * SCALE; pixel++) {
      const index = 1 + (pixel >> 3);
      line[index] = (line[index] ?? 0) | (0x80 >> (pixel & 7));
    }
  }
  return line;
}

/** Length, type, data, and the CRC of type and data. */
function chunk(type: string, data: Uint8Array): Uint8Array {
  const typed = join([new TextEncoder().encode(type), data]);
  const frame = new DataView(new ArrayBuffer(4));
  frame.setUint32(0, data.length);
  const checksum = new DataView(new ArrayBuffer(4));
  checksum.setUint32(0, crc32(typed));
  return join([new Uint8Array(frame.buffer), typed, new Uint8Array(checksum.buffer)]);
}

/** The zlib format (RFC 1950), named "deflate" by the platform. */
async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
