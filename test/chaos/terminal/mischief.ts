/** Frames that a terminal should not send: again, late, with a signature that is not its own, and contrary results. */
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import { signed } from "../wire/signature.ts";
import { textOf } from "../wire/values.ts";
import type { Kept } from "./book.ts";

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

/** What is different in a second, contrary result. */
export type Manner = "status" | "amount";

interface Second {
  result: Wire;
  statusCode: string;
  transAmt?: string;
}

/** A result that contradicts a first one which was acknowledged; null: not in this manner. */
export function secondTo({ decision, transType }: Kept, first: Wire, manner: Manner): Second | null {
  const isApproved = decision?.statusCode === "00";
  if (manner === "amount") {
    if (!isApproved || transType === "void") return null;
    const transAmt = textOf(decision.moved + 1);
    const transData = { ...(first["transData"] as Wire), transAmt };
    return { result: { ...first, transData }, statusCode: "00", transAmt };
  }
  const statusCode = isApproved ? "11" : "00";
  return { result: { ...first, statusCode, responseCode: isApproved ? "05" : "00" }, statusCode };
}
