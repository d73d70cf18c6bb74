/**
 * Moves the page to the element with `id` if the halves are above each other, because what happens next is then often
 * out of sight. Side by side, both are visible.
 */
export function moveTo(id: string): void {
  if (matchMedia("(width >= 60rem)").matches) return;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  document.getElementById(id)?.scrollIntoView({ behavior });
}
