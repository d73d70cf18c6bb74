/** The rules for accessibility, as axe checks them in a real browser. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** All rules, and in the dark once more those about colours: they are all that it changes. */
const LOOKS = [
  ["light", '{ resultTypes: ["violations"] }'],
  ["dark", '{ resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] }'],
] as const;

/** How often text of one look is checked, on whichever pages: there are thousands, and contrast takes longest. */
const PLACES_OF_A_LOOK = 3;

let looks: Record<string, number> = {};

/**
 * Has the rule about contrast pass over text that looks like text that was checked: its colour, size and weight are the same,
 * and so is everything behind it. Text that nobody sees counts for nothing.
 */
const PASS_OVER = `((looks) => {
  const behind = new Map([[null, ""]]);
  const backgroundOf = (element) => {
    if (!behind.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity].join();
      behind.set(element, backgroundOf(element.parentElement) + (own === "rgba(0, 0, 0, 0),none,1" ? "" : own + ";"));
    }
    return behind.get(element);
  };
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const hasText = ({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== "");
  const passedOver = new Map();
  for (const element of document.body.querySelectorAll("*")) {
    if (!hasText(element) || !isSeen(element)) {
      passedOver.set(element, false);
      continue;
    }
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const look = [backgroundOf(element), color, fontSize, fontWeight, textShadow].join();
    looks[look] = (looks[look] ?? 0) + 1;
    passedOver.set(element, looks[look] > ${PLACES_OF_A_LOOK});
  }
  for (const [element, isPassedOver] of passedOver) element.toggleAttribute("data-passed-over", isPassedOver);
  axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-passed-over])" }] });
  return looks;
})`;

/** A colour on its way from one scheme to the other is neither. A clock of the test may stand still, so no frame is waited for. */
const END_TRANSITIONS = `document.getAnimations().forEach((one) => one instanceof CSSTransition && one.finish())`;

/** Call it before each run of axe. */
export async function passOverKnownLooks(page: Page): Promise<void> {
  looks = await page.evaluate(`${PASS_OVER}(${JSON.stringify(looks)})`);
}

/** What breaks the rules for accessibility in what the page shows, in the light and in the dark. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  for (const [colorScheme, options] of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(END_TRANSITIONS);
    await passOverKnownLooks(page);
    const seen = await page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target + " " + failureSummary)))`);
    found.push(...seen.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
