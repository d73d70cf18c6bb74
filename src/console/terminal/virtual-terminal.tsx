import type { HandedKey } from "../shared/demo.ts";

export interface VirtualTerminalProps {
  /** The gateway's address. */
  baseUrl: string;
  /** Whom to connect as without being asked; null outside the demo. */
  demo: { terminalId: string; secret: string } | null;
  /** The bind key that the other half handed over last, a new object each time; null before. */
  handedKey: HandedKey | null;
}

export function VirtualTerminal({ demo }: VirtualTerminalProps) {
  return <p class="panel">{demo?.terminalId}</p>;
}
