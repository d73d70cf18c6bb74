import { useCallback, useState } from "hono/jsx/dom";
import type { PropsWithChildren } from "hono/jsx/dom";
import { PointOfSale } from "../pos/point-of-sale.tsx";
import type { HandedKey } from "../shared/demo.ts";
import { VirtualTerminal } from "../terminal/virtual-terminal.tsx";
import type { DemoOutcome } from "./demo.ts";

/** The whole page: both halves side by side, one above the other where there is no room for that. */
export function Page({ demo }: { demo: DemoOutcome }) {
  const [handedKey, setHandedKey] = useState<HandedKey | null>(null);
  const handOver = useCallback((key: string) => setHandedKey({ key }), []);
  const baseUrl = location.origin;
  const credentials = demo.kind === "demo" ? demo.credentials : null;
  const terminal =
    credentials === null ? null : { terminalId: credentials.terminalId, secret: credentials.terminalSecret };
  return (
    <>
      <header class="masthead">
        <h1>Console</h1>
        <p class="masthead-gateway">{location.host}</p>
        {credentials !== null && <p class="tag">Demo</p>}
        <a class="masthead-docs" href="/docs" target="_blank" rel="noopener">
          Docs
        </a>
        <nav aria-label="Halves of the page">
          <JumpTo id="pos">Point of sale</JumpTo>
          <JumpTo id="terminal">Terminal</JumpTo>
        </nav>
      </header>
      {demo.kind === "gone" && (
        <p class="notice page-notice" data-tone="pending" role="status">
          {demo.sentence}
        </p>
      )}
      <main class="halves">
        <section id="pos" class="half" aria-labelledby="pos-title" tabindex={-1}>
          <h2 id="pos-title">Point of sale</h2>
          <PointOfSale baseUrl={baseUrl} demo={credentials} onHandOver={handOver} />
        </section>
        <section id="terminal" class="half" aria-labelledby="terminal-title" tabindex={-1}>
          <h2 id="terminal-title">Virtual terminal</h2>
          <VirtualTerminal baseUrl={baseUrl} demo={terminal} handedKey={handedKey} />
        </section>
      </main>
    </>
  );
}

/** A link to a half that leaves the page's address alone: the demo's code stands in its fragment. */
function JumpTo({ id, children }: PropsWithChildren<{ id: string }>) {
  const jump = (event: Event): void => {
    event.preventDefault();
    const half = document.getElementById(id);
    half?.focus({ preventScroll: true });
    half?.scrollIntoView();
  };
  return (
    <a href={`#${id}`} onClick={jump}>
      {children}
    </a>
  );
}
