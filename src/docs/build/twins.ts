/** What programs read: a Markdown twin of each page, and llms.txt (https://llmstxt.org), which lists them. */

export interface TwinPage {
  /** The path below /docs, without an ending: `recovery`, `reference/transfers`, `index`. */
  path: string;
  /** As in the repository, or as the reference is generated. */
  markdown: string;
}

export interface Group {
  name: string;
  pages: TwinPage[];
}

/** The Markdown without what only the build needs, and with links to other twins. */
export function renderTwin({ markdown }: TwinPage): string {
  return markdown
    .replaceAll(/<!--(?:(?!-->).)*-->|<a id="[^"]*"><\/a>/gsu, "")
    .replaceAll(
      /\]\(http:\/\/127\.0\.0\.1:8787\/docs\/?([^)#]*)/gu,
      (_, path: string) => `](/docs/${path || "index"}.md`,
    )
    .replaceAll("](http://127.0.0.1:8787/", "](/")
    .replaceAll(/ +$/gmu, "")
    .replaceAll(/\n{3,}/gu, "\n\n");
}

/** Returns the paragraph below the title, as text. */
export function readDescription(markdown: string): string {
  const [, paragraph = ""] = /^# [^\n]*\n\n(.*?)(?:\n\n|\n*$)/su.exec(markdown) ?? [];
  return paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/<!--.*?-->|`/gu, "")
    .replaceAll("\n", " ");
}

export function llmsText(groups: readonly Group[]): string {
  const sections = groups.map(({ name, pages }) => {
    const lines = pages.map(({ path, markdown }) => {
      const [, title = path] = /^# (.*)$/mu.exec(markdown) ?? [];
      return `- [${title}](/docs/${path}.md): ${readDescription(markdown)}`;
    });
    return `## ${name}\n\n${lines.join("\n")}\n`;
  });
  return `${INTRODUCTION}\n${sections.join("\n")}`;
}

const INTRODUCTION = `# Payment terminal gateway

> Connects points of sale (POS) with payment terminals. A POS sends one signed request and gets one signed response: 00 paid,
> 11 not paid and none will be, 22 not known yet. Sending the same request again is always safe and never charges twice.

Each page below is Markdown. The contracts are at /openapi.json, /openapi-pos.json, /openapi-terminal.json and /asyncapi.json.
`;
