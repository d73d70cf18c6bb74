import type { ComponentChildren, RenderableProps } from "preact";
import { useMemo } from "preact/hooks";
import { encode } from "uqr";
import type { Tone } from "./declared.ts";

export function ToneTag({ tone = "neutral", children }: RenderableProps<{ tone?: Tone }>) {
  return (
    <span class="tag" data-tone={tone}>
      {children}
    </span>
  );
}

/** The words next to the dot say the same. */
export function Dot({ tone }: { tone: Tone }) {
  return <span class="dot" data-tone={tone} aria-hidden="true" />;
}

/** A notice that appears later is inside an element with `role="status"`. */
export function Notice({ tone = "neutral", children }: RenderableProps<{ tone?: Tone }>) {
  return (
    <p class="notice" data-tone={tone}>
      {children}
    </p>
  );
}

/** `open`: at first. */
export function Disclosure({ summary, open = false, children }: RenderableProps<{ summary: string; open?: boolean }>) {
  return (
    <details class="disclosure" open={open}>
      <summary>{summary}</summary>
      <div class="disclosure-content">{children}</div>
    </details>
  );
}

/** The box can get the focus, so that a keyboard can scroll it. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return <Box label={label} wrap={wrap} content={text} />;
}

export function JsonCode({ value, label }: { value: unknown; label: string }) {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return <Box label={label} wrap={false} content={lines.map((line, at) => jsonLine(line, at < lines.length - 1))} />;
}

function Box({ label, wrap, content }: { label: string; wrap: boolean; content: ComponentChildren }) {
  return (
    <pre class="code" data-wrap={wrap} role="region" aria-label={label} tabindex={0}>
      <code>{content}</code>
    </pre>
  );
}

/** Indented JSON has one member per line: its name ends at the first colon outside quotes. */
const MEMBER = /^(\s*"(?:[^"\\]|\\.)*":)(.*)$/;

function jsonLine(line: string, isFollowed: boolean): ComponentChildren {
  const end = isFollowed ? "\n" : "";
  const [, name, rest] = MEMBER.exec(line) ?? [];
  if (name === undefined) return line + end;
  return [<span class="code-name">{name}</span>, rest + end];
}

/**
 * Draws one SVG path, without styles or images.
 *
 * @param label the purpose
 */
export function Qr({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} fill="currentColor" />
    </svg>
  );
}

/** Modules, as ISO/IEC 18004 requires. */
const QUIET_ZONE = 4;

function drawn(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  let path = "";
  for (const [y, row] of data.entries()) {
    for (const [x, dark] of row.entries()) if (dark) path += `M${x} ${y}h1v1h-1z`;
  }
  return { size, path };
}
