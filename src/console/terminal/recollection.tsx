import { clockTime } from "../page/signals.ts";
import { Button } from "../page/button.tsx";
import type { HeldRequest } from "../../client/terminal.ts";
import { BindForm } from "./forms.tsx";
import type { TerminalState } from "./model.ts";
import type { VirtualTerminalSession } from "./session.ts";

export interface RecollectionProps {
  state: TerminalState;
  session: VirtualTerminalSession;
}

/** The terminal's memory: accepted requests that are not acknowledged yet, and past events. */
export function Recollection({ state, session }: RecollectionProps) {
  const { access, binding, bindProblem, held, log, foreignMemory } = state;
  return (
    <details class="panel vt-panel vt-recollection" open={foreignMemory ? true : undefined}>
      <summary>Memory, log, sign out</summary>
      {foreignMemory && (
        <p class="notice" data-tone="pending">
          The terminal refuses requests whose numbers are lower than one that it has accepted before. This gateway is
          probably not the one whose requests it remembers: start with an empty memory.
        </p>
      )}
      {held.length === 0 ? (
        <p class="soft small">The gateway has acknowledged every result.</p>
      ) : (
        <ul class="vt-held">
          {held.map((one) => (
            <li key={one.request.requestId}>
              <span class="mono">{one.request.requestId}</span> {heldWords(one)}
            </li>
          ))}
        </ul>
      )}
      <ol class="vt-log" aria-label="Log, newest first" tabindex={0}>
        {log.map(({ number, at, text }) => (
          <li key={number}>
            <time>{clockTime(at)}</time> {text}
          </li>
        ))}
      </ol>
      {access.kind === "signed-in" && binding.posId !== null && (
        <BindForm session={session} problem={bindProblem} heading="Bind to another account" />
      )}
      <div class="row">
        <Button disabled={access.kind === "signed-out"} onClick={() => void session.signOut()}>
          Sign out
        </Button>
        <Button look="danger" disabled={access.kind !== "signed-in"} onClick={() => void session.clearMemory()}>
          Start with an empty memory
        </Button>
      </div>
    </details>
  );
}

function heldWords({ stage, result, acknowledged }: HeldRequest): string {
  if (result === null) return stage === "at-host" ? "was sent to the bank" : "is accepted";
  const outcome = `ended as ${result.statusCode} ${result.responseCode}`;
  return acknowledged ? `${outcome}; outcome not known yet` : `${outcome}; not acknowledged yet`;
}
