import type { RenderableProps } from "preact";
import type { Tone } from "./tone.ts";

/** One or two words in a pill: a status next to something. */
export function Tag({ tone = "neutral", children }: RenderableProps<{ tone?: Tone }>) {
  return (
    <span class="tag" data-tone={tone}>
      {children}
    </span>
  );
}

/** A coloured dot before words that say the same. */
export function Dot({ tone }: { tone: Tone }) {
  return <span class="dot" data-tone={tone} aria-hidden="true" />;
}

/** A sentence about what happened. If it appears later, it is inside an element with `role="status"`. */
export function Notice({ tone = "neutral", children }: RenderableProps<{ tone?: Tone }>) {
  return (
    <p class="notice" data-tone={tone}>
      {children}
    </p>
  );
}
