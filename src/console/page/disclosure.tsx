import type { RenderableProps } from "preact";

/** Content that is folded until the user opens it; `open`: it is open at first. */
export function Disclosure({ summary, open = false, children }: RenderableProps<{ summary: string; open?: boolean }>) {
  return (
    <details class="disclosure" open={open}>
      <summary>{summary}</summary>
      <div class="disclosure-content">{children}</div>
    </details>
  );
}
