import { ago, fullTime, shortTime } from "../words.ts";

/** A time, with all of it where the pointer rests. */
export function When({ at }: { at: string | null }) {
  if (at === null) return <span class="soft">–</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {shortTime(at)}
    </time>
  );
}

/** How long ago. */
export function Since({ at, now = Date.now() }: { at: string | null; now?: number }) {
  if (at === null) return <span class="soft">never</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at, now)}
    </time>
  );
}
