import { useEffect, useState } from "preact/hooks";
import { PosError } from "../../client/pos.ts";
import type { BindKey } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { CopyButton } from "../page/copy.tsx";
import { handedKey } from "../page/signals.ts";
import { Qr } from "../page/qr.tsx";
import { Notice } from "../page/status.tsx";
import { curlOf } from "./curl.ts";
import type { Till } from "./till.ts";

/** A key with which a terminal binds itself: as a QR code, as text, and handed to the other half of the page. */
export function BindKeyView({ till }: { till: Till }) {
  const [bindKey, setBindKey] = useState<BindKey | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [handed, setHanded] = useState(false);
  const left = useSecondsUntil(bindKey?.expiresAt ?? null);
  const ask = async (): Promise<void> => {
    try {
      setBindKey(await till.client.bindKey());
      setProblem(null);
      setHanded(false);
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      setProblem(error.message);
    }
  };
  const call = { baseUrl: till.baseUrl, method: "GET", path: "/api/bind-terminal-key" } as const;
  const usable = bindKey !== null && left > 0;
  return (
    <section class="panel" aria-labelledby="bind-title">
      <div class="row spread">
        <h3 id="bind-title">Bind a terminal</h3>
        <CopyButton text={curlOf(call)} label="Copy as curl" />
      </div>
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
      <div role="status">{problem !== null && <Notice tone="bad">{problem}</Notice>}</div>
    </section>
  );
}

/** Seconds until a time in ISO 8601, counted down; 0 if it is past or null. */
function useSecondsUntil(time: string | null): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (time === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [time]);
  return time === null ? 0 : Math.max(0, Math.ceil((Date.parse(time) - now) / 1_000));
}

function minutesAndSeconds(left: number): string {
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}
