import type { RenderableProps } from "preact";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import { PointOfSale } from "../pos/point-of-sale.tsx";
import { VirtualTerminal } from "../terminal/virtual-terminal.tsx";
import { Clock } from "./clock.tsx";
import type { DemoOutcome } from "./load.ts";

/** @param settings null if they could not be loaded */
export function ConsolePage({ demo, settings }: { demo: DemoOutcome; settings: ConsoleSettings | null }) {
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
        <Clock />
        <nav class="masthead-pages" aria-label="Pages">
          <OtherPage path="/">Start</OtherPage>
          <OtherPage path="/docs">Docs</OtherPage>
          {settings?.operatorConsole === true && <OtherPage path="/operator/console">Operator</OtherPage>}
        </nav>
        <nav class="masthead-halves" aria-label="Halves of the page">
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
          <PointOfSale baseUrl={baseUrl} demo={credentials} settings={settings} />
        </section>
        <section id="terminal" class="half" aria-labelledby="terminal-title" tabindex={-1}>
          <h2 id="terminal-title">Virtual terminal</h2>
          <VirtualTerminal baseUrl={baseUrl} demo={terminal} />
        </section>
      </main>
    </>
  );
}

/** Opens in its own tab: this page keeps the sign-in and everything in progress only while it is open. */
function OtherPage({ path, children }: RenderableProps<{ path: string }>) {
  return (
    <a href={path} target="_blank" rel="noopener">
      {children}
    </a>
  );
}

/** Keeps the page's address, because the demo's code is in its fragment. */
function JumpTo({ id, children }: RenderableProps<{ id: string }>) {
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
