import type { PropsWithChildren } from "hono/jsx/dom";

/** Content that is folded until the user opens it. */
export function Disclosure({ summary, children }: PropsWithChildren<{ summary: string }>) {
  return (
    <details class="disclosure">
      <summary>{summary}</summary>
      <div class="disclosure-content">{children}</div>
    </details>
  );
}
