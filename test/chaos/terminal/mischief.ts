/** Frames that a terminal should not send: again, late, and with a signature that is not its own. */
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import { signed } from "../wire/signature.ts";

type Send = (frame: Wire) => unknown;

/** Frames that are kept to be sent again on a later connection. */
const KEPT_FRAMES = 10;

export class Mischief {
  /** The share of frames that are sent twice. */
  doubles = 0;
  readonly #random: Random;
  readonly #earlier: Wire[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** After a frame was sent: sometimes once more. */
  after(frame: Wire, send: Send): void {
    if (this.#random.chance(this.doubles)) send(frame);
    // What it no longer holds it may have refused as unknown, which would be a lie about a later state.
    if (frame["reason"] === "unknown") return;
    this.#earlier.push(frame);
    if (this.#earlier.length > KEPT_FRAMES) this.#earlier.shift();
  }

  /** On a new connection: sometimes a frame of an earlier one. */
  late(send: Send): void {
    if (this.#earlier.length > 0 && this.#random.chance(0.25)) send(this.#random.pick(this.#earlier));
  }

  /** Before a result: sometimes its opposite, from somebody who does not know the terminal's secret. */
  forge(result: Wire, send: Send): void {
    if (!this.#random.chance(0.04)) return;
    const statusCode = result["statusCode"] === "00" ? "11" : "00";
    send(signed({ ...result, statusCode, responseCode: "00" }, "not the secret of this terminal"));
  }

  forget(): void {
    this.#earlier.length = 0;
  }
}
