import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { handsOutCash } from "../../protocol/transfer-types.ts";
import { useNow } from "../page/clock.tsx";
import { Button, FormFrame, TextField } from "../page/controls.tsx";
import { Qr } from "../page/shown.tsx";
import { pressOnScreen } from "./gestures.ts";
import type { DisplayedOutcome, TerminalPayment, DeviceState } from "./model.ts";
import type { Credentials, VirtualTerminalSession } from "./session.ts";
import { amounts, explanation, instruction, lineWords, method, verdict } from "./words.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export interface PartProps {
  state: DeviceState;
  session: VirtualTerminalSession;
}

interface ScreenProps extends PartProps {
  screenRef: RefObject<HTMLElement | null>;
  demo: Credentials | null;
}

/** The page moves to this element when the terminal asks for something. */
export const SCREEN_ID = "vt-screen";

/** Keeps its size. A press does what the customer would do next. */
export function Screen(props: ScreenProps) {
  const { state, session } = props;
  const { access, line } = state;
  const now = useNow();
  const gesture = pressOnScreen(state);
  return (
    <section
      id={SCREEN_ID}
      class="vt-screen"
      aria-label="Screen"
      tabindex={-1}
      ref={props.screenRef}
      data-press={gesture ?? undefined}
      onClick={() => void (gesture !== null && session.gesture(gesture))}
    >
      <header class="vt-status">
        <span class="vt-id">{access.kind === "signed-in" ? access.terminalId : "Switched off"}</span>
        {access.kind === "signed-in" && (
          <span class="vt-line" data-line={line}>
            {lineWords(state)}
          </span>
        )}
      </header>
      <div class="vt-content">
        <Content {...props} now={now} />
      </div>
    </section>
  );
}

function Content({ state, session, demo, now }: ScreenProps & { now: EpochMs }) {
  const { access, payment, outcome, binding } = state;
  switch (access.kind) {
    case "signed-out":
    case "signing-in":
      // One form for all states, so that what was typed and the focus survive a failed attempt.
      return <SignInForm session={session} state={state} demo={demo} />;
    case "signed-in":
      if (payment !== null) return <InHand payment={payment} now={now} />;
      if (outcome !== null) return <Ended outcome={outcome} explained={explanation(state, outcome)} />;
      if (binding.posId === null) return <BindForm session={session} state={state} heading="Not bound yet" />;
      return <Idle state={state} />;
    default:
      return access satisfies never;
  }
}

function Idle({ state }: { state: DeviceState }) {
  const { binding } = state;
  return (
    <div class="vt-view">
      <p class="vt-idle">{idleWords(state)}</p>
      <p class="vt-owner">
        {binding.posId}
        <span class="vt-soft">
          {binding.merchantId} · {binding.currency}
        </span>
      </p>
    </div>
  );
}

function idleWords({ line, held, bindProblem }: DeviceState): string {
  if (line === "replaced") return "Another device uses this terminal’s identity.";
  if (line !== "up") return "Offline. Waiting for the connection.";
  if (bindProblem !== null) return bindProblem;
  return held.length > 0 ? "Checking the outcome of a payment…" : "Ready";
}

function InHand({ payment, now }: { payment: TerminalPayment; now: EpochMs }) {
  const { request, prompt } = payment;
  return (
    <div class="vt-view" data-prompt={prompt.kind}>
      <p class="vt-method">{method(request)}</p>
      <Amounts payment={payment} />
      <div class="vt-middle">
        <Middle payment={payment} />
      </div>
      <p class="vt-instruction">{instruction(payment)}</p>
      <p class="vt-foot">{timeLeft(request.respondBy - now)}</p>
    </div>
  );
}

/** An amount of more characters is written smaller, so that it fits on one line. */
const LONG_AMOUNT = 9;

function Amounts({ payment: { request } }: { payment: TerminalPayment }) {
  const listed = amounts(request);
  return (
    <dl class="vt-amounts" data-count={listed.length}>
      {listed.map(({ label, currency, amount }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd data-long={amount.length > LONG_AMOUNT ? "true" : undefined}>
            <span class="vt-currency">{currency}</span> {amount}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Middle({ payment: { request, prompt } }: { payment: TerminalPayment }) {
  switch (prompt.kind) {
    case "present":
      return <Mark kind={handsOutCash(request.transType) || prompt.insert !== null ? "insert" : "tap"} />;
    case "customer-scans":
      return <Qr text={`SIMULATED PAYMENT ${request.requestId}`} label="Code for the customer’s wallet" />;
    case "customer-shows":
      return <Mark kind="scan" />;
    case "confirm":
      return <Mark kind="question" />;
    case "pin":
      return <Dots digits={prompt.digits} />;
    case "reading":
    case "authorising":
      return <Mark kind="busy" />;
    default:
      return prompt satisfies never;
  }
}

function Dots({ digits }: { digits: number }) {
  const words = digits === 1 ? "1 digit entered" : `${digits} digits entered`;
  return (
    <p class="vt-dots" role="img" aria-label={words}>
      {Array.from({ length: Math.max(4, digits) }, (_, index) => (
        <span key={index} data-filled={index < digits ? "true" : undefined} />
      ))}
    </p>
  );
}

/** Counts by this machine's clock. */
function timeLeft(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  return seconds === 1 ? "1 second left" : `${seconds} seconds left`;
}

function Ended({ outcome, explained }: { outcome: DisplayedOutcome; explained: string }) {
  const { heading, tone } = verdict(outcome);
  const { request, statusCode, responseCode } = outcome;
  const listed = amounts(request).map(({ currency, amount }) => `${currency} ${amount}`);
  return (
    <div class="vt-view" data-tone={tone}>
      <Mark kind={tone} />
      <h3 class="vt-verdict">{heading}</h3>
      <p class="vt-paid">{listed.length === 0 ? method(request) : listed.join(" + ")}</p>
      <p class="vt-explained">{explained}</p>
      <dl class="vt-codes">
        {Object.entries({ Number: request.requestId, Status: statusCode, Code: responseCode }).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The mark is decorative: the words next to it say the same. */
type MarkKind = "tap" | "insert" | "scan" | "question" | "busy" | "good" | "bad" | "open";

function Mark({ kind }: { kind: MarkKind }) {
  return (
    <svg class="vt-mark" data-kind={kind} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      {DRAWINGS[kind].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

const RING = "M32 6a26 26 0 1 0 0 52a26 26 0 1 0 0 -52z";

const DRAWINGS: Record<MarkKind, string[]> = {
  tap: ["M15 25q4 7 0 14", "M23 20q7 12 0 24", "M31 15q10 17 0 34", "M39 10q13 22 0 44"],
  insert: [
    "M18 8h28q3 0 3 3v24M15 35v-24q0 -3 3 -3",
    "M8 42h48M8 42v8q0 4 4 4h40q4 0 4 -4v-8",
    "M32 16v18M25 28l7 7l7 -7",
  ],
  scan: ["M8 20v-8q0 -4 4 -4h8M44 8h8q4 0 4 4v8M56 44v8q0 4 -4 4h-8M20 56h-8q-4 0 -4 -4v-8", "M8 32h48"],
  question: [RING, "M25 25q0 -8 7 -8q8 0 8 7q0 6 -8 9v4M32 45v1"],
  busy: ["M32 8a24 24 0 1 0 0 48a24 24 0 1 0 0 -48z", "M32 8a24 24 0 0 1 24 24"],
  good: [RING, "M20 33l9 9l16 -19"],
  bad: [RING, "M23 23l18 18M41 23l-18 18"],
  open: [RING, "M32 18v15l10 7"],
};

/** The secret is stored only in this page's memory (I6). */
function SignInForm({ session, state, demo }: Omit<ScreenProps, "screenRef">) {
  const { access, bindProblem } = state;
  // The problem of a key that was handed over while the terminal was switched off appears here as well.
  const problem = (access.kind === "signed-out" ? access.problem : null) ?? bindProblem;
  const [terminalId, setTerminalId] = useState(demo?.terminalId ?? access.terminalId);
  const [secret, setSecret] = useState(demo?.secret ?? "");
  const isSigningIn = access.kind === "signing-in";
  const submit = (): Promise<void> => session.signIn({ terminalId: terminalId.trim(), secret: secret.trim() });
  return (
    <FormFrame look="vt-form" label="Sign in as a terminal" onSubmit={submit}>
      <TextField label="Terminal id" mono value={terminalId} onInput={setTerminalId} />
      <TextField
        label="Secret"
        kind="password"
        value={secret}
        onInput={setSecret}
        problem={problem ?? undefined}
        hint="Kept only in this page's memory."
      />
      <Button look="primary" disabled={isSigningIn || terminalId.trim() === "" || secret.trim() === ""}>
        {isSigningIn ? "Signing in…" : "Sign in"}
      </Button>
    </FormFrame>
  );
}

/** A key that a POS shows, typed here or handed over by the other half of the page. */
export function BindForm({ session, state, heading }: PartProps & { heading: string }) {
  const [key, setKey] = useState("");
  const submit = (): void => {
    void session.bind(key.trim());
    setKey("");
  };
  return (
    <FormFrame look="vt-form" label="Bind the terminal" onSubmit={submit}>
      <h3>{heading}</h3>
      <TextField
        label="Bind key"
        mono
        value={key}
        onInput={setKey}
        problem={state.bindProblem ?? undefined}
        hint="The POS shows it as text and as a QR code. Type it, or scan it."
      />
      <Button look="primary" disabled={key.trim() === ""}>
        Bind
      </Button>
    </FormFrame>
  );
}
