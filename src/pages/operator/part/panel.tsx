import { useId } from "preact/hooks";
import type { ComponentChildren, RenderableProps } from "preact";
import { codeWithWords } from "../../../protocol/response-codes.ts";
import type { StatusCode } from "../../../protocol/status-codes.ts";
import { useNow } from "../../page/clock.tsx";
import type { Tone } from "../../page/declared.ts";
import { ToneTag } from "../../page/shown.tsx";
import { CONFLICT_WORDS, STATUS_TONES, STATUS_WORDS } from "../payments/standing.ts";
import { ago, elapsedText, fullTime, shortTime, countText } from "../words.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

interface PanelProps {
  title: string;
  aside?: ComponentChildren;
  /** Of its edge. */
  tone?: Tone;
}

export function Panel({ title, aside, tone, children }: RenderableProps<PanelProps>) {
  const id = useId();
  return (
    <section class="panel" data-tone={tone} aria-labelledby={id}>
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

/** @param zone the zone of the account whose payment it is; without one, the browser's. A table says it once. */
export function When({ at, zone }: { at: string | null; zone?: string | undefined }) {
  if (at === null) return <span class="soft">–</span>;
  return <Time at={at} words={shortTime(at, zone)} zone={zone} />;
}

interface OutcomeProps {
  statusCode: StatusCode;
  responseCode: string | null;
  /** Whether a terminal contradicts it: then it is no outcome that anybody should rely on. */
  conflict?: boolean;
}

/** The outcome in words, with its reason unless it is approved. */
export function OutcomeCell({ statusCode, responseCode, conflict = false }: OutcomeProps) {
  if (conflict)
    return (
      <>
        <ToneTag tone="bad">{CONFLICT_WORDS}</ToneTag> <span class="small">recorded as {statusCode}</span>
      </>
    );
  return (
    <>
      <ToneTag tone={STATUS_TONES[statusCode]}>{STATUS_WORDS[statusCode]}</ToneTag>{" "}
      {statusCode !== "00" && responseCode !== null && <span class="small">{codeWithWords(responseCode)}</span>}
    </>
  );
}

/** Shows `4 s ago`, and ticks. */
export function Since({ at }: { at: string | null }) {
  const now = useNow();
  return at === null ? <span class="soft">never</span> : <Time at={at} words={ago(at, now)} />;
}

/** Shows `4 min`, and ticks. */
export function Elapsed({ since }: { since: string }) {
  return <Time at={since} words={elapsedText(since, useNow())} />;
}

export function Updated({ at, changed = 0, zone }: { at: EpochMs; changed?: number; zone?: string | undefined }) {
  const age = ago(new Date(at).toISOString(), useNow());
  return (
    <span class="soft small">
      Updated {age}
      {changed > 0 && `, ${countText(changed, "row")} changed`}
      {zone !== undefined && `. Times in ${zone}`}
    </span>
  );
}

function Time({ at, words, zone }: { at: string; words: string; zone?: string | undefined }) {
  return (
    <time dateTime={at} title={fullTime(at, zone)}>
      {words}
    </time>
  );
}
