// The commands are written for `npm start` as it is without settings. Here they get the address of the gateway that serves
// this page and, where that runs the demo, its data folder, in which the tools find its port.

const ADDRESS = "http://127.0.0.1:8787";
const FOLDER = ".wrangler/state";
const DEMO_FILE = `${FOLDER}/demo.env`;

/** The commands of the repository that look for the demo. Each stands at the beginning of a line. */
const TOOL = /^npm run (?:pos|terminal|operator|simulate|conformance) --/gmu;

function codes(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(".vp-doc div[class*=language-] code")];
}

function textOf(code: HTMLElement): string {
  return code.textContent ?? "";
}

/** Returns a block's texts: the coloured parts are elements of their own. */
function textsOf(code: HTMLElement): Text[] {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  return texts;
}

function isInCode(part: RegExp): boolean {
  return codes().some((code) => textOf(code).search(part) >= 0);
}

function replaceInCode(from: string, to: string): void {
  for (const text of codes().flatMap(textsOf)) {
    if (text.data.includes(from)) text.data = text.data.replaceAll(from, () => to);
  }
}

/** Puts a text before each match of an expression with the flag g. A match may have several colours. */
function putBefore(expression: RegExp, added: string): void {
  for (const code of codes()) {
    const starts = [...textOf(code).matchAll(expression)].map(({ index }) => index);
    for (let start of starts.toReversed()) {
      for (const text of textsOf(code)) {
        if (start < text.data.length) {
          text.insertData(start, added);
          break;
        }
        start -= text.data.length;
      }
    }
  }
}

/** A path as bash reads it. */
function quoted(path: string): string {
  return /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function isUsual(folder: string): boolean {
  return folder.replaceAll("\\", "/").endsWith(`/${FOLDER}`);
}

export async function showThisGateway(): Promise<void> {
  replaceInCode(ADDRESS, location.origin);
  if (!isInCode(TOOL) && !isInCode(/\.wrangler\/state/u)) return;
  const response = await fetch("/docs/demo.json");
  const { file }: { file: string | null } = response.ok ? await response.json() : { file: null };
  if (file === null) return;
  const folder = file.slice(0, -"/demo.env".length);
  replaceInCode(DEMO_FILE, quoted(file));
  if (isUsual(folder)) return;
  replaceInCode(`${FOLDER}/`, `${quoted(folder)}/`);
  putBefore(TOOL, `PERSIST_TO=${quoted(folder)} `);
}
