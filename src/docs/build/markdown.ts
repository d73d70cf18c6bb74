import { Marked, Renderer, type Tokens } from "marked";
import { diagramHtml } from "./diagrams.ts";
import { codeHtml } from "./highlight.ts";
import { escapeHtml, plain, slug } from "./html.ts";

export interface Heading {
  depth: number;
  id: string;
  /** Plain text. */
  text: string;
}

export interface Rendered {
  html: string;
  /** The headings of the second and third level, in order. */
  headings: Heading[];
}

/** A heading's content, and its id if it ends with an anchor. Otherwise the id is made from the words. */
const HEADING = /^(.*?)(?: ?<a id="([\w-]+)"><\/a>)?$/su;

/** `> [!WARNING]` or `> [!NOTE]` at the start of a quote makes it a box. */
const BOX = /^<p>\[!(WARNING|NOTE)\]\n?/u;

/** @param source a page's Markdown, without its title */
export function renderMarkdown(source: string): Rendered {
  const headings: Heading[] = [];
  const taken = new Set<string>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const [, content = "", named] = HEADING.exec(this.parser.parseInline(tokens)) ?? [];
        const text = plain(content);
        const id = unused(named ?? slug(text), taken);
        if (depth <= 3) headings.push({ depth, id, text });
        return headingHtml(depth, id, content, text);
      },
      table(token: Tokens.Table): string {
        return scrolling(withHeaders(Renderer.prototype.table.call(this, token)));
      },
      code({ text, lang = "" }: Tokens.Code): string {
        return lang === "mermaid" ? diagramHtml(text) : `${codeHtml(text, lang)}\n`;
      },
      blockquote({ tokens }: Tokens.Blockquote): string {
        const html = this.parser.parse(tokens);
        const [, kind] = BOX.exec(html) ?? [];
        const name = kind === "WARNING" ? "Warning" : "Note";
        const said = html.replace(BOX, `<p><strong>${name}.</strong> `);
        return kind === undefined
          ? `<blockquote>${html}</blockquote>\n`
          : `<blockquote class="${kind.toLowerCase()}">${said}</blockquote>\n`;
      },
    },
  });
  // Without `async` the result is a text.
  const html = marked.parse(source, { async: false });
  return { html, headings };
}

export function renderInline(source: string): string {
  return new Marked().parseInline(source, { async: false });
}

export function headingHtml(depth: number, id: string, content: string, text: string): string {
  const anchor = `<a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(text)}”">#</a>`;
  return `<h${depth} id="${id}" tabindex="-1">${content} ${anchor}</h${depth}>\n`;
}

/** Markdown's tables always have a header. Removes an empty one, and makes the first cells the heads of their rows. */
function withHeaders(table: string): string {
  const [head = ""] = /<thead>.*?<\/thead>/su.exec(table) ?? [];
  const says = /<th(?: [^>]*)?>[^<]/u.test(head) || head.includes("<code>");
  if (!says)
    return table.replace(head, "").replaceAll(/<tr>\s*<td([^>]*)>(.*?)<\/td>/gsu, '<tr><th scope="row"$1>$2</th>');
  const cells = head.replaceAll(/<th([^>]*)><\/th>/gu, "<td$1></td>").replaceAll(/<th(?=[ >])/gu, '<th scope="col"');
  return table.replace(head, () => cells);
}

/** Wide content scrolls by itself, by keyboard too; the page never does. */
export function scrolling(table: string): string {
  return `<div class="table" role="group" aria-label="Table" tabindex="0">${table}</div>\n`;
}

export function unused(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}-${count}`;
  taken.add(free);
  return free;
}
