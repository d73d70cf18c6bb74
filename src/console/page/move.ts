/**
 * Moves the page to the element with `id`, where the halves stand one above the other: what happens next is then often
 * out of sight. Beside each other, both are seen.
 */
export function moveTo(id: string): void {
  if (matchMedia("(width >= 60rem)").matches) return;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  document.getElementById(id)?.scrollIntoView({ behavior });
}
