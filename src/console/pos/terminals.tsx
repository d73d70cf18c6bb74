import { useEffect, useState } from "preact/hooks";
import type { BindKey, Terminal, TerminalDetails } from "../../client/pos.ts";
import { useNow } from "../page/clock.tsx";
import { Button, CopyButton, Form, TextField } from "../page/controls.tsx";
import { Dot, Qr, Tag } from "../page/shown.tsx";
import { handedKey } from "../page/signals.ts";
import type { Polled } from "../page/use-polling.ts";
import { curlOf } from "./curl.ts";
import { Asking, Panel, PanelHead, ReadingState, Rows, useAttempt } from "./reading.tsx";
import type { Till } from "./till.ts";

const TITLE = "terminals-title";

/** Runs after the list is drawn, because the button that had the focus is gone. */
export function focusTerminals(): void {
  setTimeout(() => document.getElementById(TITLE)?.focus());
}

export function Terminals({ till, terminals }: { till: Till; terminals: Polled<Terminal[]> }) {
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
  const [details, setDetails] = useState<TerminalDetails | null>(null);
  const { attempt, notice } = useAttempt();
  const read = async (): Promise<string> => {
    setDetails(details === null ? await till.client.terminal(terminalId) : null);
    return "";
  };
  const unbind = async (): Promise<string> => {
    await till.client.unbind(terminalId);
    focusTerminals();
    onUnbound();
    return "";
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
        onClick={() => void attempt(read)}
      >
        Details
      </Button>
      <Asking
        action="Unbind"
        target={terminalId}
        title={`Unbind ${terminalId} from ${till.account.posId}?`}
        onYes={() => void attempt(unbind)}
      >
        Tills of this account can no longer sell on it, and it is removed from the prebind list. To use it again, bind
        it with a key. The gateway refuses this while a payment is in progress on it.
      </Asking>
      {details !== null && <Details baseUrl={till.baseUrl} details={details} />}
      {notice("list-more")}
    </li>
  );
}

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

function BindKeyView({ till }: { till: Till }) {
  const [bindKey, setBindKey] = useState<BindKey | null>(null);
  const [handed, setHanded] = useState(false);
  const { attempt, notice } = useAttempt();
  const now = useNow();
  const left = bindKey === null ? 0 : Math.max(0, Math.floor((Date.parse(bindKey.expiresAt) - now) / 1_000));
  const ask = async (): Promise<string> => {
    setBindKey(await till.client.bindKey());
    setHanded(false);
    return "";
  };
  const usable = bindKey !== null && left > 0;
  return (
    <Panel till={till} id="bind-title" title="Bind a terminal" path="/api/bind-terminal-key">
      {bindKey === null ? (
        <p class="soft">
          A key is valid for one terminal, for a few minutes. Type it at the terminal, or scan the QR code.
        </p>
      ) : (
        <div class="bind-key">
          <div class="bind-key-code" data-usable={usable}>
            <Qr text={bindKey.key} label="QR code of the bind key" />
          </div>
          <div class="stack">
            <p class="bind-key-text mono">{bindKey.key}</p>
            <p class="soft bind-key-left" role="timer">
              {usable ? `Valid for ${minutesAndSeconds(left)}` : "Expired"}
            </p>
            <div class="row">
              <Button
                look="primary"
                disabled={!usable}
                onClick={() => {
                  handedKey.value = { key: bindKey.key };
                  setHanded(true);
                }}
              >
                Send to the virtual terminal
              </Button>
            </div>
            <p class="bind-key-said small soft" role="status">
              {handed ? "Sent. The list above shows when the terminal is bound." : ""}
            </p>
          </div>
        </div>
      )}
      <div class="row">
        <Button onClick={() => void attempt(ask)}>{bindKey === null ? "Create a key" : "Create another key"}</Button>
      </div>
      {notice()}
    </Panel>
  );
}

function minutesAndSeconds(left: number): string {
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

const PREBINDING = "/api/prebind-terminals";

/** Terminals that bind themselves without a key if the operator has assigned them to the account's merchant. */
function Prebinding({ till }: { till: Till }) {
  const [text, setText] = useState("");
  const { attempt, notice } = useAttempt();
  const uniqueIds = text.split(/[\s,]+/).filter((id) => id !== "");
  useEffect(() => {
    till.client.prebound().then(
      // Keeps what the user has typed meanwhile.
      (known) => setText((typed) => (typed === "" ? known.join(" ") : typed)),
      () => undefined,
    );
  }, [till]);
  const save = async (): Promise<string> => {
    await till.client.prebind(uniqueIds);
    const kept = await till.client.prebound();
    setText(kept.join(" "));
    return kept.length === 0 ? "The list is empty." : `The list has ${kept.length} of at most ten.`;
  };
  const saving = {
    baseUrl: till.baseUrl,
    path: PREBINDING,
    method: "POST",
    body: JSON.stringify({ uniqueIds }),
  } as const;
  return (
    <Form look="panel" labelledBy="prebind-title" onSubmit={() => attempt(save)}>
      <PanelHead till={till} id="prebind-title" title="Prebind list" path={PREBINDING} />
      <TextField
        label="Terminals"
        code="uniqueIds"
        mono
        value={text}
        hint="These terminals can be bound without a key. At most ten ids, separated by spaces. The operator must have assigned them to your merchant."
        onInput={setText}
      />
      <div class="row">
        <Button>Save the list</Button>
        <CopyButton text={curlOf(saving)} label="Copy saving as curl" />
      </div>
      {notice()}
    </Form>
  );
}
