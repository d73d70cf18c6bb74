import type { PropsWithChildren } from "hono/jsx/dom";
import type { Tone } from "./tone.ts";

/** One or two words in a pill: a status beside something. */
export function Tag({ tone = "neutral", children }: PropsWithChildren<{ tone?: Tone }>) {
  return (
    <span class="tag" data-tone={tone}>
      {children}
    </span>
  );
}

/** A dot before words that say the same. */
export function Dot({ tone }: { tone: Tone }) {
  return <span class="dot" data-tone={tone} aria-hidden="true" />;
}

/**
 * A sentence about what happened. `live`: it is read out when it changes; the element must then stay on the page, with or
 * without words in it.
 */
export function Notice({
  tone = "neutral",
  live = false,
  children,
}: PropsWithChildren<{ tone?: Tone; live?: boolean }>) {
  return (
    <p class="notice" data-tone={tone} role={live ? "status" : undefined}>
      {children}
    </p>
  );
}
