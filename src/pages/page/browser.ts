/** Moves the page to the element if the halves are above each other: what happens next is then often out of sight. */
export function moveTo(id: string): void {
  if (matchMedia("(width >= 60rem)").matches) return;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  document.getElementById(id)?.scrollIntoView({ behavior });
}

export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then, the browser has begun to read the object.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
