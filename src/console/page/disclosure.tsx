import type { PropsWithChildren } from "hono/jsx/dom";

/** Something that is there for those who look for it. */
export function Disclosure({ summary, children }: PropsWithChildren<{ summary: string }>) {
  return (
    <details class="disclosure">
      <summary>{summary}</summary>
      <div class="disclosure-content">{children}</div>
    </details>
  );
}
