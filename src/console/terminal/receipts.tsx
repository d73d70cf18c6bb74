import type { TerminalState } from "./model.ts";

/** The printed receipts: the merchant's copy first. The tray keeps its size. */
export function Receipts({ receipts }: { receipts: TerminalState["receipts"] }) {
  const copies = receipts?.copies ?? [];
  return (
    <section class="vt-receipts" aria-label="Receipts" tabindex={0}>
      {copies.length === 0 && <p class="soft small">Receipts appear here.</p>}
      {copies.map((text) => (
        <Paper key={text} lines={text.split("\n")} />
      ))}
    </section>
  );
}

function Paper({ lines }: { lines: string[] }) {
  return (
    <div class="vt-paper">
      {lines.map((line, index) => (
        <p key={index} data-line={lookOf(line, index, lines.length)}>
          {line}
        </p>
      ))}
    </div>
  );
}

/** Sets off the heading and the name of the copy, and emphasises the amount. */
function lookOf(line: string, index: number, count: number): string | undefined {
  if (index === 0 || index === count - 1) return "title";
  return /^[A-Z]{3} [0-9.]+$/.test(line) ? "amount" : undefined;
}
