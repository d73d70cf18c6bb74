import { ago, fullTime, shortTime } from "../words.ts";

/** A time; its title has the full date. */
export function When({ at }: { at: string | null }) {
  if (at === null) return <span class="soft">–</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {shortTime(at)}
    </time>
  );
}

export function Since({ at, now = Date.now() }: { at: string | null; now?: number }) {
  if (at === null) return <span class="soft">never</span>;
  return (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at, now)}
    </time>
  );
}
