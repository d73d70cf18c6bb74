// The commands are written for `npm start` as it is without settings. Here they get the address of the gateway that serves
// this page and, where that runs the demo, the file with its credentials.

const ADDRESS = "http://127.0.0.1:8787";
const DEMO_FILE = ".wrangler/state/demo.env";

function textsOfCode() {
  return [...document.querySelectorAll(".code code")].flatMap((code) => {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    return texts;
  });
}

function replaceInCode(from, to) {
  for (const text of textsOfCode()) {
    if (text.data.includes(from)) text.data = text.data.replaceAll(from, () => to);
  }
}

/** A path as bash reads it. */
function quoted(path) {
  return /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

export async function showThisGateway() {
  replaceInCode(ADDRESS, location.origin);
  if (!textsOfCode().some(({ data }) => data.includes(DEMO_FILE))) return;
  const response = await fetch("/docs/demo.json");
  const { file } = response.ok ? await response.json() : { file: null };
  if (file !== null) replaceInCode(DEMO_FILE, quoted(file));
}
