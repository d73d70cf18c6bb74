import { useMemo } from "hono/jsx/dom";
import type { HandedKey } from "../shared/demo.ts";
import { Customer } from "./customer.tsx";
import { Device } from "./device.tsx";
import { Receipts } from "./receipts.tsx";
import { Recollection } from "./recollection.tsx";
import { VirtualTerminalSession } from "./session.ts";
import { Environment } from "./environment.tsx";
import { announcement } from "./words.ts";
import { useEffect } from "../page/use-effect.ts";
import { useStore } from "../page/use-store.ts";

export interface VirtualTerminalProps {
  /** The gateway's address. */
  baseUrl: string;
  /** The terminal to connect as automatically; null outside the demo. */
  demo: { terminalId: string; secret: string } | null;
  /** The bind key that the other half handed over last, a new object each time; null before. */
  handedKey: HandedKey | null;
  /** Called when the time zone of the terminal's account is known. */
  onTimeZone: (timeZone: string) => void;
}

/** A payment terminal on the page: the device, the customer's actions, the environment, and the receipts. */
export function VirtualTerminal({ baseUrl, demo, handedKey, onTimeZone }: VirtualTerminalProps) {
  const session = useMemo(() => new VirtualTerminalSession(baseUrl), [baseUrl]);
  const state = useStore(session.subscribe, () => session.state);
  useEffect(() => {
    if (demo !== null) void session.signIn(demo);
    return () => void session.signOut();
  }, [session, demo?.terminalId]);
  useEffect(() => {
    if (handedKey !== null) void session.bind(handedKey.key);
  }, [handedKey]);
  const { timezone } = state.binding;
  useEffect(() => void (timezone !== null && onTimeZone(timezone)), [timezone]);
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
