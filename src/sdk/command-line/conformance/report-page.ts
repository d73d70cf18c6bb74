/** A kit's report as one HTML page, to be handed over: it loads nothing, and has no script. */
import type { StepOutcome, StepVerdict } from "../../conformance/step.ts";
import { summaryText } from "./report.ts";

const VERDICTS: Record<StepVerdict["kind"], string> = {
  kept: "✓ kept",
  broken: "✗ broken",
  blocked: "– not tested",
  unseen: "? not seen",
  "left-out": "– skipped",
};

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}" +
  "section{border-top:1px solid #ccc;padding:.5rem 0}h2{font-size:1rem;margin:.5rem 0}" +
  "dl{display:grid;grid-template-columns:8rem 1fr;gap:.1rem 1rem;margin:0}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}" +
  ".kept{color:#06632f}.broken,.unseen{color:#a3161f}";

export interface ReportFacts {
  kit: "terminal" | "pos";
  /** The kit's own address, at which the tested side was. */
  url: string;
  /** When the run ended. */
  at: Date;
}

export function reportPage({ kit, url, at }: ReportFacts, outcomes: readonly StepOutcome[]): string {
  const title = `Conformance of a ${kit === "pos" ? "POS" : "terminal"}`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body>
<h1>${title}</h1>
<p>${escapeMarkup(summaryText(outcomes))}.</p>
<p>Run at ${escapeMarkup(url)}, ended ${at.toISOString()}.</p>
${outcomes.map(stepSection).join("\n")}
</body>
</html>
`;
}

/** Every step names its duty and what breaking it costs, so that whoever reads the page needs no other document. */
function stepSection({ step, verdict }: StepOutcome): string {
  const { name, title, duty, harm, fix } = step;
  const rows: [string, string][] = [["duty", duty], ...seenRows(verdict), ["if broken", harm]];
  if (verdict.kind === "broken") rows.push(["fix", fix]);
  const cells = rows.map(([term, text]) => `<dt>${term}</dt><dd>${escapeMarkup(text)}</dd>`).join("");
  const heading = `<span class="${verdict.kind}">${VERDICTS[verdict.kind]}</span> ${escapeMarkup(title)}`;
  return `<section id="${escapeMarkup(name)}"><h2>${heading}</h2><dl>${cells}</dl></section>`;
}

function seenRows(verdict: StepVerdict): [string, string][] {
  switch (verdict.kind) {
    case "kept":
      return [
        ["seen", [verdict.seen ?? "nothing wrong", verdict.note].filter((part) => part !== undefined).join("; ")],
      ];
    case "broken":
      return [
        ["expected", verdict.expected],
        ["seen", verdict.seen],
      ];
    default:
      return [["why", verdict.why]];
  }
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** What a step saw is a text of the tested side. */
function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => ESCAPES[character] ?? character);
}
