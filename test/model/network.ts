/** Connections between devices and the gateway. Either end may believe in one longer than the other. */
import type { Device } from "./device.ts";
import { CLOCK_LAG } from "./promises.ts";
import type { DownFrame, RequestFrame, UpFrame } from "./vocabulary.ts";

/** One connection, with its frames on their way, in order. */
export interface Line {
  readonly id: number;
  readonly device: Device;
  /** How far the device's clock is off beside what the welcome's way costs, in milliseconds. */
  readonly skew: number;
  readonly up: UpFrame[];
  readonly down: DownFrame[];
  /** Nothing passes any more, and neither end is notified. */
  cut: boolean;
  /** The device has left it: it reads nothing of it any more. */
  left: boolean;
  /** The gateway has noticed its end. */
  ended: boolean;
  /** The gateway has closed it. */
  closing: boolean;
}

export class Network {
  readonly lines: Line[] = [];

  lineOf(device: Device): Line | null {
    return device.connection === null ? null : (this.lines[device.connection] ?? null);
  }

  /** The device leaves every earlier connection, and opens one. */
  connect(device: Device, skew: number): Line {
    this.leave(device);
    const id = this.lines.length;
    const line = { id, device, skew, up: [], down: [], cut: false, left: false, ended: false, closing: false };
    this.lines.push(line);
    device.connection = id;
    return line;
  }

  /** The device stops reading; what it has sent may still arrive. */
  leave(device: Device): void {
    const line = this.lineOf(device);
    if (line !== null) line.left = true;
    device.leave();
  }

  cut(line: Line): void {
    if (line.ended) return;
    line.cut = true;
    line.up.length = 0;
    line.down.length = 0;
  }

  /** The last two frames that the device has sent change places; a hello stays the first. */
  reorder({ up }: Line): void {
    const [last, before] = [up.at(-1), up.at(-2)];
    if (last !== undefined && before !== undefined && before.type !== "hello") up.splice(-2, 2, last, before);
  }

  /** The gateway's end is gone: what is on its way to it is lost, the device reads what there is, and then the end. */
  end(line: Line): void {
    line.ended = true;
    line.up.length = 0;
    if (!line.cut && !line.closing) line.down.push({ type: "close", code: 1006 });
  }

  /** A frame of the gateway sets out. After a close, what the device sends is not listened to. */
  fromGateway(line: Line, frame: DownFrame): void {
    if (frame.type === "close") {
      line.closing = true;
      line.up.length = 0;
    }
    if (!line.cut && !line.ended) line.down.push(frame);
  }

  /** Frames of a device set out on the connection that it reads, once its hello is said. */
  fromDevice(device: Device, frames: readonly UpFrame[]): void {
    const line = this.lineOf(device);
    if (line === null || !carries(line)) return;
    for (const frame of frames) if (device.ready || frame.type === "hello") line.up.push(frame);
  }

  /**
   * The first request that is stuck in a connection that its device has left, if the device could read it and be heard
   * at once: with a clock that lags by less than the gateway allows for, and nothing refused of this request since.
   */
  leakable(line: Line): RequestFrame | null {
    const { device } = line;
    const current = this.lineOf(device);
    if (!line.left || device.scrapped || !device.ready || current === null || current.id <= line.id) return null;
    if (!carries(current) || current.up.length > 0 || device.lag >= CLOCK_LAG) return null;
    for (const frame of line.down) {
      if (frame.type === "request" && !device.refused.has(frame.requestId)) return frame;
    }
    return null;
  }
}

function carries({ cut, ended, closing }: Line): boolean {
  return !cut && !ended && !closing;
}
