import type { ComponentChildren, RenderableProps } from "preact";
import { ago, fullTime, shortTime } from "../words.ts";

/** A panel with a heading; `aside` appears next to the heading. */
export function Panel({
  title,
  id,
  aside,
  children,
}: RenderableProps<{ title: string; id: string; aside?: ComponentChildren }>) {
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="row spread">
        <h2 id={id} tabindex={-1}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** A list of names and values about one thing. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An id that links to its page, and its name. */
export function Named({ id, name, link }: { id: string; name: string | null; link: string }) {
  return (
    <>
      <a href={link} class="mono">
        {id}
      </a>{" "}
      {name !== null && <span class="soft">{name}</span>}
    </>
  );
}

/** A time; its title has the full date. */
export function When({ at }: { at: string | null }) {
  return at === null ? <span class="soft">–</span> : <Time at={at} words={shortTime(at)} />;
}

/** How long ago a time is. */
export function Since({ at }: { at: string | null }) {
  return at === null ? <span class="soft">never</span> : <Time at={at} words={ago(at, Date.now())} />;
}

function Time({ at, words }: { at: string; words: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {words}
    </time>
  );
}
