import type { ComponentChildren } from "preact";

/** A text as it is, in a box that scrolls. The box can get the focus, so that a keyboard can scroll it. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return <Box label={label} wrap={wrap} content={text} />;
}

/** Indented JSON, with the names of members less prominent than their values. */
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

/** Indented JSON has one member per line, so the name is the part before the first colon outside quotes. */
const MEMBER = /^(\s*"(?:[^"\\]|\\.)*":)(.*)$/;

function jsonLine(line: string, isFollowed: boolean): ComponentChildren {
  const end = isFollowed ? "\n" : "";
  const [, name, rest] = MEMBER.exec(line) ?? [];
  if (name === undefined) return line + end;
  return [<span class="code-name">{name}</span>, rest + end];
}
