/** The effects of `model.ts`: a simulated terminal on the real client, a memory and a ledger in IndexedDB, and a line that can be cut. */
import { Signal } from "@preact/signals";
import { sleep } from "../../sdk/client/backoff.ts";
import { IndexedDbStore } from "../../sdk/client/indexed-db-store.ts";
import type { TerminalEvent, TerminalStore, TransactionRequest } from "../../sdk/client/terminal.ts";
import { messageOf } from "../../sdk/simulator/event-text.ts";
import { SimulatedTerminal } from "../../sdk/simulator/simulated-terminal.ts";
import { staged } from "../page/signals.ts";
import { Attended } from "./attended.ts";
import { Books, deleteDatabase } from "./books.ts";
import { answerBy, possible, type GestureAnswer, type Gesture } from "./gestures.ts";
import { NetworkLine } from "./line.ts";
import { FIRST_STATE, nextState, type Input, type Prompt } from "./model.ts";
import type { TerminalSettings } from "./settings.ts";
import { problemSentence } from "./words.ts";
import { SECOND } from "../../protocol/time/units.ts";

/** How long a virtual terminal that signs out tries to report the end of its payment. */
const VIRTUAL_TERMINAL_LEAVES_WITHIN = 2 * SECOND;

export interface Credentials {
  terminalId: string;
  /** It is stored only in this page's memory (I6). */
  secret: string;
}

interface Running {
  credentials: Credentials;
  terminal: SimulatedTerminal;
  books: Books;
  line: NetworkLine;
}

export class VirtualTerminalSession {
  readonly state = new Signal(FIRST_STATE);
  readonly #baseUrl: string;
  #running: Running | null = null;
  /** Switching on and off happens one after the other. */
  #turns: Promise<void> = Promise.resolve();
  #answer: ((answer: GestureAnswer) => void) | null = null;
  readonly #late = new Map<string, () => void>();

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** `state` shows the result. */
  signIn(credentials: Credentials): Promise<void> {
    return this.#inTurn(async () => {
      await this.#switchOff();
      await this.#switchOn(credentials);
    });
  }

  /** Ends payments that have not reached the bank, and releases the memory for another tab. */
  signOut(problem: string | null = null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#switchOff();
      this.#do({ kind: "signed-out", problem });
    });
  }

  /** Acts as a replacement device with the same identity: its memory is empty, and its bank has no payments. */
  clearMemory(): Promise<void> {
    return this.#inTurn(async () => {
      const credentials = this.#running?.credentials;
      if (credentials === undefined) return;
      await this.#switchOff();
      const { memory, ledger } = this.#databases(credentials);
      await Promise.all([memory, ledger].map(deleteDatabase));
      await this.#switchOn(credentials);
    });
  }

  /** A key that a POS shows. `state` shows the result. */
  async bind(key: string): Promise<void> {
    this.#do({ kind: "bind-tried", problem: null });
    const bound = await this.#running?.terminal.bind(key);
    const problem = bound?.ok === false ? problemSentence(bound.error) : null;
    this.#do({
      kind: "bind-tried",
      problem: bound === undefined ? "Sign in first, then scan the key again." : problem,
    });
  }

  gesture(gesture: Gesture): void {
    if (!possible(this.state.value).has(gesture)) return;
    if (gesture === "let-through") return this.#letThrough();
    if (gesture === "digit") return this.#do({ kind: "pin-digit" });
    if (gesture === "clear") return this.#do({ kind: "pin-cleared" });
    const answer = answerBy(gesture);
    if (this.state.value.payment === null) return this.#do({ kind: "put-away" });
    if (answer !== null) this.#answer?.(answer);
  }

  cutLine(): void {
    this.#do({ kind: "line-cut" });
    this.#running?.line.cut();
    this.#running?.terminal.dropConnection();
  }

  restoreLine(): void {
    this.#do({ kind: "line-restored" });
    this.#running?.line.restore();
  }

  set(settings: Partial<TerminalSettings>): void {
    this.#do({ kind: "set", settings });
  }

  async #switchOn(credentials: Credentials): Promise<void> {
    this.#do({ kind: "signing-in", terminalId: credentials.terminalId });
    // Otherwise a browser that runs out of space may delete what the page stores.
    void navigator.storage?.persist?.();
    const { memory: memoryName, ledger: ledgerName } = this.#databases(credentials);
    const memory = new IndexedDbStore(memoryName);
    try {
      this.#do({ kind: "memory-found", memory: await memory.load() });
      const running = this.#assemble(credentials, memory, await Books.open(ledgerName));
      this.#running = running;
      await running.terminal.switchOn();
    } catch (error) {
      this.#running?.line.end();
      this.#running?.books.close();
      this.#running = null;
      await memory.close();
      this.#do({ kind: "signed-out", problem: memoryProblem(error) });
    }
  }

  #assemble(credentials: Credentials, memory: TerminalStore, books: Books): Running {
    const { terminalId, secret } = credentials;
    const line = new NetworkLine();
    const terminal = new SimulatedTerminal({
      ...new Attended({
        settings: () => this.state.value.settings,
        isStaged: ({ referenceId }) => staged.has(referenceId),
        show: (payment) => this.#do({ kind: "prompt", ...payment }),
        ask: (request, prompt, signal) => this.#ask(request, prompt, signal),
        letThrough: ({ requestId }) => this.#waitToLetThrough(requestId),
      }),
      baseUrl: this.#baseUrl,
      terminalId,
      secret,
      softwareVersion: "console 1",
      terminalSn: `VT-${terminalId}`,
      store: this.#watched(memory),
      ledger: books.ledger,
      durable: () => books.durable(),
      onReceipt: (text, { requestId }) => this.#do({ kind: "printed", requestId, text }),
      openSocket: line.openSocket,
      fetch: line.fetch,
      onEvent: (event) => this.#heard(event),
    });
    return { credentials, terminal, books, line };
  }

  async #switchOff(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    await this.#endInHand();
    this.#running = null;
    running.line.end();
    await running.terminal.stop();
    running.books.close();
    this.#late.clear();
  }

  /** Ends the payment that waits for a person, and reports the end before the line closes. */
  async #endInHand(): Promise<void> {
    const requestId = this.state.value.payment?.request.requestId;
    if (this.#answer === null || requestId === undefined) return;
    const isHeld = (): boolean => this.state.value.held.some(({ request }) => request.requestId === requestId);
    const reported = new AbortController();
    const unsubscribe = this.state.subscribe(() => !isHeld() && reported.abort());
    this.#answer({ kind: "switched-off" });
    await sleep(VIRTUAL_TERMINAL_LEAVES_WITHIN, reported.signal);
    unsubscribe();
  }

  #databases({ terminalId }: Credentials): { memory: string; ledger: string } {
    const name = `${terminalId} at ${this.#baseUrl}`;
    return { memory: `virtual terminal ${name}`, ledger: `bank of virtual terminal ${name}` };
  }

  /** Shows every step of the memory as soon as it is stored. */
  #watched(store: TerminalStore): TerminalStore {
    return {
      load: () => store.load(),
      save: async (memory) => {
        await store.save(memory);
        this.#do({ kind: "memory-kept", memory });
      },
      close: async () => store.close?.(),
    };
  }

  #ask(request: TransactionRequest, prompt: Prompt, signal: AbortSignal): Promise<GestureAnswer> {
    return new Promise((resolve) => {
      const answer = (given: GestureAnswer): void => {
        if (this.#answer === answer) this.#answer = null;
        signal.removeEventListener("abort", stopped);
        resolve(given);
      };
      const stopped = (): void => answer({ kind: "stopped" });
      if (signal.aborted) return resolve({ kind: "stopped" });
      signal.addEventListener("abort", stopped);
      this.#answer = answer;
      this.#do({ kind: "prompt", request, prompt, automatic: false });
    });
  }

  #waitToLetThrough(requestId: string): Promise<void> {
    this.#do({ kind: "answer-held", requestId });
    return new Promise((resolve) => this.#late.set(requestId, resolve));
  }

  #letThrough(): void {
    for (const [requestId, arrive] of this.#late) {
      this.#late.delete(requestId);
      this.#do({ kind: "answer-let-through", requestId });
      arrive();
    }
  }

  #heard(event: TerminalEvent): void {
    const wasSignedIn = this.state.value.access.kind === "signed-in";
    this.#do({ kind: "client", event, at: Date.now() });
    if (event.kind !== "login-failed") return;
    // After a first connection, the terminal waits for a gateway that is down. A refused secret is not tried again.
    if (!wasSignedIn || event.problem.kind === "login-refused") void this.signOut(problemSentence(event.problem));
  }

  #do(input: Input): void {
    this.state.value = nextState(this.state.value, input);
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#turns.then(step);
    this.#turns = turn.catch((error: unknown) => this.#do({ kind: "signed-out", problem: messageOf(error) }));
    return this.#turns;
  }
}

function memoryProblem(error: unknown): string {
  const text = messageOf(error);
  return text.startsWith("another page")
    ? "Another tab of this browser runs this terminal. A terminal has one memory: sign out there first."
    : `The memory of this terminal cannot be opened: ${text}`;
}
