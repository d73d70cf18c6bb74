import * as fc from "fast-check";

const SURROGATES = { first: 0xd8_00, count: 0x8_00 };
const LAST = 0x10_ff_ff;

/**
 * Any well-formed text. Stands for fast-check's own unit `binary`, which takes half a second
 * in each test file for a table of all characters.
 */
export function anyText(size: Pick<fc.StringConstraints, "maxLength"> = {}): fc.Arbitrary<string> {
  const character = fc
    .nat({ max: LAST - SURROGATES.count })
    .map((rank) => String.fromCodePoint(rank < SURROGATES.first ? rank : rank + SURROGATES.count));
  return fc.string({ ...size, unit: character });
}
