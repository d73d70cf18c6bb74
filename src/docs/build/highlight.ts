/** Colours for code: comments, texts, numbers and words of the language; no more than helps the eye. */
import { escapeHtml } from "./html.ts";

interface Language {
  comment?: RegExp;
  text: RegExp;
  words?: string;
}

const DOUBLE_OR_SINGLE = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
const HASH = /(?<=^|\s)#[^\n]*/;

const LANGUAGES: Record<string, Language> = {
  json: { text: /"(?:[^"\\\n]|\\.)*"/, words: "true false null" },
  bash: {
    comment: HASH,
    text: /"(?:[^"\\]|\\.)*"|'[^']*'/,
    words: "if then else fi for while do done in function return exit set read printf echo curl openssl",
  },
  js: {
    comment: SLASHES,
    text: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/,
    words:
      "import from export const let function return if else throw new typeof instanceof await async in of null try catch",
  },
  java: {
    comment: SLASHES,
    text: DOUBLE_OR_SINGLE,
    words:
      "import public private static final class void return if else for do while switch case default new throw throws " +
      "instanceof boolean char int byte null true false",
  },
  cs: {
    comment: SLASHES,
    text: DOUBLE_OR_SINGLE,
    words:
      "using public private static sealed readonly class void return if else for foreach do while switch case default " +
      "new throw is as var in string char int long bool byte object null true false",
  },
  php: {
    comment: SLASHES,
    text: DOUBLE_OR_SINGLE,
    words: "declare function return if else throw new instanceof use clone unset echo exit string bool int false true",
  },
  python: {
    comment: HASH,
    text: /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/,
    words: "import def return if else elif for in not or and raise lambda None True False",
  },
};

const NUMBER = /\b\d+(?:\.\d+)?\b/;

/** `code` as HTML. A language that is not known, or none, is left as it is. */
export function highlight(code: string, language: string): string {
  const known = LANGUAGES[language];
  if (known === undefined) return escapeHtml(code);
  const { comment = /(?!)/, text, words = "" } = known;
  const word = words === "" ? /(?!)/ : new RegExp(`\\b(?:${words.replaceAll(" ", "|")})\\b`);
  const token = new RegExp(
    `(?<comment>${comment.source})|(?<text>${text.source})|(?<number>${NUMBER.source})|(?<word>${word.source})`,
    "gmu",
  );
  let html = "";
  let from = 0;
  for (const match of code.matchAll(token)) {
    const kind = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0] ?? "";
    html += escapeHtml(code.slice(from, match.index));
    // In JSON a name and a value look alike; the colon tells.
    const isName = language === "json" && kind === "text" && /^\s*:/u.test(code.slice(match.index + match[0].length));
    html += `<span class="code-${isName ? "name" : kind}">${escapeHtml(match[0])}</span>`;
    from = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(from));
}
