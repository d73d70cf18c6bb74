/** A text as it is, in a box that scrolls and can be reached with the keyboard for that. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <pre class="code" data-wrap={String(wrap)} role="region" aria-label={label} tabindex={0}>
      <code>{text}</code>
    </pre>
  );
}
