/** How card numbers are grouped: as on the card, or typed digit by digit. */

/**
 * Whether groups of these sizes with these separators are grouped like a card number. Such groups may have different
 * separators of anything but letters; other groups are mostly amounts, dates and lists.
 *
 * @param sizes of each group; the last one may include what directly follows the number
 */
export function isPrinted(sizes: readonly number[], separators: readonly string[]): boolean {
  const [first = 0, second = 0] = sizes;
  const leading = sizes.slice(0, -1);
  if (leading.length >= 2 && leading.every((size) => size === 4)) return true;
  if (sizes.every((size) => size === 1)) return true;
  if (sizes.every((size) => size === 2)) return separators.every((separator) => separator === separators[0]);
  return (first === 4 && second === 6 && sizes.length <= 3) || (first === 6 && sizes.length === 2);
}
