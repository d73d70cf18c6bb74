import { useEffect, useState } from "preact/hooks";
import type { BindKey } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { Form } from "../page/call-form.tsx";
import { useNow } from "../page/clock.tsx";
import { CopyButton } from "../page/copy.tsx";
import { TextField } from "../page/field.tsx";
import { Qr } from "../page/qr.tsx";
import { handedKey } from "../page/signals.ts";
import { curlOf } from "./curl.ts";
import { outcomeOf, Panel, PanelHead, problemOf, SaidNotice, type Said } from "./reading.tsx";
import type { Till } from "./till.ts";

/** A key with which a terminal binds itself: as a QR code, as text, and handed to the other half of the page. */
export function BindKeyView({ till }: { till: Till }) {
  const [bindKey, setBindKey] = useState<BindKey | null>(null);
  const [said, setSaid] = useState<Said | null>(null);
  const [handed, setHanded] = useState(false);
  const now = useNow();
  const left = bindKey === null ? 0 : Math.max(0, Math.floor((Date.parse(bindKey.expiresAt) - now) / 1_000));
  const ask = async (): Promise<void> => {
    try {
      setBindKey(await till.client.bindKey());
      setSaid(null);
      setHanded(false);
    } catch (error) {
      setSaid({ tone: "bad", words: problemOf(error) });
    }
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
        <Button onClick={() => void ask()}>{bindKey === null ? "Create a key" : "Create another key"}</Button>
      </div>
      <SaidNotice said={said} />
    </Panel>
  );
}

function minutesAndSeconds(left: number): string {
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

const PATH = "/api/prebind-terminals";

/** Terminals that bind themselves without a key if the operator has assigned them to the account's merchant. */
export function Prebinding({ till }: { till: Till }) {
  const [text, setText] = useState("");
  const [said, setSaid] = useState<Said | null>(null);
  const uniqueIds = text.split(/[\s,]+/).filter((id) => id !== "");
  useEffect(() => {
    till.client.prebound().then(
      // Keeps what was typed meanwhile.
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
  const submit = async (): Promise<void> => setSaid(await outcomeOf(save));
  const saving = { baseUrl: till.baseUrl, path: PATH, method: "POST", body: JSON.stringify({ uniqueIds }) } as const;
  return (
    <Form look="panel" labelledBy="prebind-title" onSubmit={submit}>
      <PanelHead till={till} id="prebind-title" title="Prebind list" path={PATH} />
      <TextField
        label="Terminals"
        name="uniqueIds"
        mono
        value={text}
        hint="These terminals can be bound without a key. At most ten ids, separated by spaces. The operator must have assigned them to your merchant."
        onInput={setText}
      />
      <div class="row">
        <Button>Save the list</Button>
        <CopyButton text={curlOf(saving)} label="Copy saving as curl" />
      </div>
      <SaidNotice said={said} />
    </Form>
  );
}
