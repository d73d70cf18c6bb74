import { useEffect, useMemo } from "preact/hooks";
import { handedKey, terminalZone } from "../page/signals.ts";
import { Customer } from "./customer.tsx";
import { Device } from "./device.tsx";
import { Receipts } from "./receipts.tsx";
import { Recollection } from "./recollection.tsx";
import { VirtualTerminalSession } from "./session.ts";
import { Environment } from "./environment.tsx";
import { announcement } from "./words.ts";

export interface VirtualTerminalProps {
  /** The gateway's address. */
  baseUrl: string;
  /** The terminal to connect as automatically; null outside the demo. */
  demo: { terminalId: string; secret: string } | null;
}

/** A payment terminal on the page: the device, the customer's actions, the environment, and the receipts. */
export function VirtualTerminal({ baseUrl, demo }: VirtualTerminalProps) {
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
  const { timezone } = state.binding;
  useEffect(() => void (timezone !== null && (terminalZone.value = timezone)), [timezone]);
  return (
    <div class="vt">
      <p class="visually-hidden" role="status">
        {announcement(state)}
      </p>
      <div class="vt-parts">
        <Device state={state} session={session} demo={demo} />
        <Customer state={state} session={session} />
        <Receipts receipts={state.receipts} />
        <Environment state={state} session={session} />
        <Recollection state={state} session={session} />
      </div>
    </div>
  );
}
