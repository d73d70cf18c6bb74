/** What happens at a counter, generated from a seed. */
import type { Random } from "../../simulator/random.ts";

/** The cents for which the simulated terminal does not simply approve, with their share in a thousand sales. */
const UNUSUAL: [cents: string, share: number][] = [
  // Declined, insufficient funds, expired card, wrong PIN, issuer unavailable.
  ["05", 30],
  ["51", 20],
  ["54", 8],
  ["55", 12],
  ["91", 6],
  // The customer cancels.
  ["88", 20],
  // Pending first, then approved or declined.
  ["22", 10],
  ["23", 5],
  // The connection drops before the result, or before the request is accepted; the result is sent twice; refused as busy;
  // signed wrongly at first.
  ["81", 12],
  ["82", 8],
  ["84", 10],
  ["86", 4],
  ["87", 6],
];

/** Cents that approve. */
const USUAL = ["00", "10", "20", "50", "80", "90", "95", "99"];

/** The amount of a sale, `4.50` to `180.99`; its cents decide what the terminal does. */
export function drawAmount(random: Random): string {
  const units = 4 + random.below(random.chance(0.2) ? 177 : 40);
  let draw = random.below(1_000);
  for (const [cents, share] of UNUSUAL) {
    if (draw < share) return `${units}.${cents}`;
    draw -= share;
  }
  return `${units}.${random.pick(USUAL)}`;
}

/** The share of approved sales that are voided at once. */
export const VOIDED = 0.03;

/** The share of the tills' messages whose answer is lost on its way back. */
export const ANSWERS_LOST = 0.01;

/** How often a terminal loses its connection and its power on average, in times per minute. */
export const CONNECTIONS_LOST = 0.1;
export const POWER_CUTS = 0.03;
