import jsQR from "jsqr";
import type { Locator } from "playwright-core";

/** What a camera reads in the page's code: its path has one square per dark module. */
export async function scanned(code: Locator): Promise<string | undefined> {
  const size = Number((await code.getAttribute("viewBox"))?.split(" ")[2]);
  const path = (await code.locator("path").getAttribute("d")) ?? "";
  const scale = 4;
  const pixels = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/gu)) {
    for (let at = 0; at < scale ** 2; at++) {
      const row = Number(y) * scale + Math.floor(at / scale);
      const column = Number(x) * scale + (at % scale);
      pixels.fill(0, (row * size * scale + column) * 4, (row * size * scale + column) * 4 + 3);
    }
  }
  return jsQR(pixels, size * scale, size * scale)?.data;
}
