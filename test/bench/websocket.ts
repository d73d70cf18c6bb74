/**
 * The WebSocket protocol (RFC 6455) as far as two well-behaved sides on one machine need it: unfragmented text frames of
 * less than 64 KiB, close, and nothing else. Both the bench's terminals and its plain Node gateway speak it, so that
 * neither is measured through a library's generality.
 */
import { createHash, randomBytes } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

const TEXT = 0x1;
const CLOSE = 0x8;

export class Wire {
  readonly #stream: Duplex;
  /** A client masks what it sends (section 5.3). */
  readonly #masks: boolean;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Duplex, masks: boolean, head: Buffer) {
    this.#stream = stream;
    this.#masks = masks;
    this.#rest = head;
    if (stream instanceof Socket) stream.setNoDelay(true);
  }

  /** `onText` gets every text, `onEnd` is called once when the connection has ended. */
  listen(onText: (text: string) => void, onEnd: () => void): void {
    const take = (): void => {
      for (let text = this.#next(); text !== null; text = this.#next()) onText(text);
    };
    this.#stream.on("data", (bytes: Buffer) => {
      this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
      take();
    });
    this.#stream.on("close", onEnd);
    this.#stream.on("error", () => this.#stream.destroy());
    take();
  }

  send(text: string): void {
    this.#write(TEXT, Buffer.from(text, "utf8"));
  }

  close(): void {
    this.#write(CLOSE, Buffer.from([0x03, 0xe8]));
    this.#stream.end();
  }

  #write(opcode: number, payload: Buffer): void {
    const { length } = payload;
    const lengthBytes = length < 126 ? 0 : 2;
    const maskBytes = this.#masks ? 4 : 0;
    const frame = Buffer.allocUnsafe(2 + lengthBytes + maskBytes + length);
    frame[0] = 0x80 | opcode;
    frame[1] = (this.#masks ? 0x80 : 0) | (lengthBytes === 0 ? length : 126);
    if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
    payload.copy(frame, 2 + lengthBytes + maskBytes);
    // The mask is zero: it hides nothing on a loopback, and costs nothing this way.
    if (this.#masks) frame.writeUInt32BE(0, 2 + lengthBytes);
    this.#stream.write(frame);
  }

  /** The next whole text, or null. */
  #next(): string | null {
    for (;;) {
      const rest = this.#rest;
      if (rest.length < 2) return null;
      const opcode = (rest[0] ?? 0) & 0x0f;
      const masked = ((rest[1] ?? 0) & 0x80) !== 0;
      const short = (rest[1] ?? 0) & 0x7f;
      const head = 2 + (short === 126 ? 2 : 0) + (masked ? 4 : 0);
      if (rest.length < head) return null;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (short === 127) throw new Error("a frame of 64 KiB or more");
      if (rest.length < head + length) return null;
      const payload = rest.subarray(head, head + length);
      if (masked) unmask(payload, rest.subarray(head - 4, head));
      this.#rest = rest.subarray(head + length);
      if (opcode === TEXT) return payload.toString("utf8");
      if (opcode === CLOSE) {
        this.#stream.end();
        return null;
      }
    }
  }
}

function unmask(payload: Buffer, mask: Buffer): void {
  if (mask.readUInt32BE(0) === 0) return;
  for (let index = 0; index < payload.length; index++) {
    payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
  }
}

function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/** Opens a connection; `token` travels as the second protocol, as browsers do it. */
export function openWire(url: string, protocol: string, token: string): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const opening = request(url, {
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
        "Sec-WebSocket-Protocol": `${protocol}, ${token}`,
      },
    });
    opening.on("upgrade", (_response, stream, head) => resolve(new Wire(stream, true, head)));
    opening.on("response", ({ statusCode }) => reject(new Error(`the upgrade was answered with ${statusCode}`)));
    opening.on("error", reject);
    opening.end();
  });
}

/** Accepts an upgrade. */
export function acceptWire(incoming: IncomingMessage, stream: Duplex, head: Buffer, protocol: string): Wire {
  const key = incoming.headers["sec-websocket-key"] ?? "";
  stream.write(
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${acceptOf(key)}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
  return new Wire(stream, false, head);
}
