/** The example programs: shown on the page, and served as files; and those of the client's README, which are tested. */
import readme from "../../client/README.md" with { type: "text" };
// oxlint-disable-next-line import/default -- taken in as a text, not as a module
import receiveMjs from "../examples/receive.mjs" with { type: "text" };
import signCs from "../examples/Sign.cs" with { type: "text" };
import signJava from "../examples/Sign.java" with { type: "text" };
// oxlint-disable-next-line import/default -- taken in as a text, not as a module
import signMjs from "../examples/sign.mjs" with { type: "text" };
import signSh from "../examples/sign.sh" with { type: "text" };
import tillPhp from "../examples/till/till.php" with { type: "text" };
import tillPy from "../examples/till/till.py" with { type: "text" };

interface Example {
  source: string;
  language: string;
}

export const EXAMPLES: Record<string, Example> = {
  "sign.sh": { source: signSh, language: "bash" },
  "Sign.cs": { source: signCs, language: "cs" },
  "Sign.java": { source: signJava, language: "java" },
  "sign.mjs": { source: signMjs, language: "js" },
  "receive.mjs": { source: receiveMjs, language: "js" },
  "till.php": { source: tillPhp, language: "php" },
  "till.py": { source: tillPy, language: "python" },
};

/** The block of JavaScript with `text` in the client's README. */
export function readmeExample(text: string): string {
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gmsu)].map(([block]) => block);
  const found = blocks.find((block) => block.includes(text));
  if (found === undefined) throw new Error(`The client's README has no example with ${text}.`);
  return found;
}
