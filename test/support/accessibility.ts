/** The rules for accessibility, as axe checks them in a real browser. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** All rules, and in the dark once more those about colours: they are all that it changes. */
const LOOKS = [
  ["light", '{ resultTypes: ["violations"] }'],
  ["dark", '{ resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] }'],
] as const;

/** What breaks the rules for accessibility in what the page shows, in the light and in the dark. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  for (const [colorScheme, options] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    const seen = await page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
    found.push(...seen.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
