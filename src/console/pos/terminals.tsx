import { useState } from "preact/hooks";
import type { Terminal, TerminalDetails } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { CopyButton } from "../page/copy.tsx";
import { Question } from "../page/dialog.tsx";
import { Dot, Tag } from "../page/status.tsx";
import { BindKeyView, Prebinding } from "./binding.tsx";
import { curlOf } from "./curl.ts";
import { Panel, problemOf, ReadingState, Rows, type Polled } from "./reading.tsx";
import type { Till } from "./till.ts";

export interface TerminalsProps {
  till: Till;
  terminals: Polled<Terminal[]>;
}

const TITLE = "terminals-title";

/** Moves the focus to the list's heading when it is drawn, because the button that had the focus is gone. */
export function focusTerminals(): void {
  setTimeout(() => document.getElementById(TITLE)?.focus());
}

/** The account's terminals now, and how to add another. */
export function Terminals({ till, terminals }: TerminalsProps) {
  const { value, problem, again } = terminals;
  return (
    <>
      <Panel till={till} id={TITLE} title="Terminals" path="/api/terminals">
        <div class="terminals">
          <ReadingState value={value} problem={problem} />
          <Rows
            items={value}
            empty="None yet. A terminal binds itself with a key from below."
            row={(terminal) => (
              <TerminalRow key={terminal.terminalId} till={till} terminal={terminal} onUnbound={again} />
            )}
          />
        </div>
      </Panel>
      <BindKeyView till={till} />
      <Prebinding till={till} />
    </>
  );
}

function TerminalRow({ till, terminal, onUnbound }: { till: Till; terminal: Terminal; onUnbound: () => void }) {
  const { terminalId, connected, isVT } = terminal;
  const [problem, setProblem] = useState<string | null>(null);
  const [details, setDetails] = useState<TerminalDetails | null>(null);
  const [isAsking, setAsking] = useState(false);
  const attempt = async (call: () => Promise<void>): Promise<void> => {
    try {
      await call();
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const read = async (): Promise<void> => setDetails(await till.client.terminal(terminalId));
  const unbind = async (): Promise<void> => {
    setAsking(false);
    await till.client.unbind(terminalId);
    focusTerminals();
    onUnbound();
  };
  return (
    <li class="list-row">
      <Dot tone={connected ? "good" : "neutral"} />
      <span class="mono list-main">{terminalId}</span>
      {isVT === 1 && <Tag>virtual</Tag>}
      <span class="soft small list-state">{connected ? "connected" : "not connected"}</span>
      <Button
        look="plain"
        label={`Details of ${terminalId}`}
        expanded={details !== null}
        onClick={() => void (details === null ? attempt(read) : setDetails(null))}
      >
        Details
      </Button>
      <Button look="plain" label={`Unbind ${terminalId}`} onClick={() => setAsking(true)}>
        Unbind
      </Button>
      {isAsking && (
        <Question
          title={`Unbind ${terminalId} from ${till.account.posId}?`}
          action="Unbind"
          onYes={() => void attempt(unbind)}
          onNo={() => setAsking(false)}
        >
          Tills of this account can no longer sell on it, and it is removed from the prebind list. To use it again, bind
          it with a key. The gateway refuses this while a payment is in progress on it.
        </Question>
      )}
      {details !== null && <Details baseUrl={till.baseUrl} details={details} />}
      {problem !== null && (
        <p class="field-problem list-problem" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}

/** What the gateway knew of the terminal when it was asked. */
function Details({ baseUrl, details }: { baseUrl: string; details: TerminalDetails }) {
  const path = `/api/terminals/${encodeURIComponent(details.terminalId)}`;
  const rows = [
    ["Connected since", details.connectedSince],
    ["Last heartbeat", details.lastHeartbeat],
    ["Software", details.softwareVersion],
    ["Serial number", details.terminalSn],
  ] as const;
  return (
    <div class="list-more">
      <dl class="list-details small">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt class="soft">{name}</dt>
            <dd class="mono">{value ?? "not known"}</dd>
          </div>
        ))}
      </dl>
      <div class="row">
        <CopyButton text={curlOf({ baseUrl, method: "GET", path })} label="Copy details as curl" />
        <CopyButton text={curlOf({ baseUrl, method: "DELETE", path })} label="Copy unbinding as curl" />
      </div>
    </div>
  );
}
