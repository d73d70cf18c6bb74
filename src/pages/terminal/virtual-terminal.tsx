import { useEffect, useMemo } from "preact/hooks";
import { handedKey, pageTerminal, terminalZone } from "../page/signals.ts";
import { DeviceView } from "./device.tsx";
import type { Receipts } from "./model.ts";
import { VirtualTerminalSession, type Credentials } from "./session.ts";
import { CustomerView, Environment, Recollection } from "./surroundings.tsx";
import { announcement } from "./words.ts";

/** @param demo the terminal to sign in as automatically; null outside the demo */
export function VirtualTerminal({ baseUrl, demo }: { baseUrl: string; demo: Credentials | null }) {
  const session = useMemo(() => new VirtualTerminalSession(baseUrl), [baseUrl]);
  const state = session.state.value;
  useEffect(() => {
    if (demo !== null) void session.signIn(demo);
    return () => void session.signOut();
  }, [session, demo?.terminalId]);
  const handed = handedKey.value;
  useEffect(() => {
    if (handed !== null) void session.bind(handed.key);
  }, [handed]);
  const { access } = state;
  useEffect(() => void (pageTerminal.value = access.kind === "signed-in" ? access.terminalId : null), [access]);
  const { timezone } = state.binding;
  useEffect(() => void (timezone !== null && (terminalZone.value = timezone)), [timezone]);
  return (
    <div class="vt">
      <p class="visually-hidden" role="status">
        {announcement(state)}
      </p>
      <div class="vt-parts">
        <DeviceView state={state} session={session} demo={demo} />
        <CustomerView state={state} session={session} />
        <Tray receipts={state.receipts} />
        <Environment state={state} session={session} />
        <Recollection state={state} session={session} />
      </div>
    </div>
  );
}

function Tray({ receipts }: { receipts: Receipts[] }) {
  return (
    <section class="vt-receipts" aria-label="Receipts, newest first" tabindex={0}>
      {receipts.length === 0 && <p class="soft small">Receipts appear here.</p>}
      {receipts.map(({ requestId, copies }) => (
        <div key={requestId} class="vt-copies">
          {copies.map((text) => (
            <Paper key={text} lines={text.split("\n")} />
          ))}
        </div>
      ))}
    </section>
  );
}

function Paper({ lines }: { lines: string[] }) {
  return (
    <div class="vt-paper">
      {lines.map((line, index) => (
        <p key={index} data-line={chooseLook(line, index, lines.length)}>
          {line}
        </p>
      ))}
    </div>
  );
}

function chooseLook(line: string, index: number, count: number): string | undefined {
  if (index === 0 || index === count - 1) return "title";
  return /^[A-Z]{3} [0-9.]+$/.test(line) ? "amount" : undefined;
}
