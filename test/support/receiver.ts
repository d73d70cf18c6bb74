/**
 * The receivers of webhooks, in the hands of a test: nothing leaves the machine, as the gateway's `fetch` is replaced.
 */
import { onTestFinished, vi } from "vitest";
import { eventually } from "./patience.ts";

export interface Received {
  method: string;
  url: string;
  headers: Headers;
  body: string;
  /** The number of the event. */
  number: number;
  type: string;
  signal: AbortSignal;
  redirect: string | undefined;
}

/** What a receiver does with a delivery: a status, a response, or nothing until the promise says so. */
export type Answering = (received: Received) => number | Response | Promise<number | Response>;

/** More calls than any test makes: one that goes on without end gets no answer, so that its test ends. */
const MOST = 1_000;

export class Receivers {
  readonly received: Received[] = [];
  answer: Answering;

  private constructor(answer: Answering) {
    this.answer = answer;
  }

  /** From now on every call outwards comes here, until the test ends. */
  static start(answer: Answering = () => 204): Receivers {
    const receivers = new Receivers(answer);
    const spy = vi
      .spyOn(globalThis, "fetch")
      .mockImplementation((input, init) => receivers.#take(new Request(input, init), init ?? {}));
    onTestFinished(() => spy.mockRestore());
    return receivers;
  }

  get numbers(): number[] {
    return this.received.map(({ number }) => number);
  }

  /** Notes the call at once, so that a test can look for it without waiting. */
  async #take({ method, url, headers, redirect }: Request, { body, signal }: RequestInit): Promise<Response> {
    if (typeof body !== "string" || !signal) throw new TypeError("a delivery has a text and can be aborted");
    const { number = 0, type } = JSON.parse(body) as { number?: number; type: string };
    const received = { method, url, headers, body, number, type, signal, redirect };
    this.received.push(received);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
    // Every call is aborted in the end, also after its answer.
    aborted.catch(() => undefined);
    const answered = this.received.length > MOST ? new Promise<never>(() => undefined) : this.answer(received);
    const answer = await Promise.race([answered, aborted]);
    return typeof answer === "number" ? new Response(null, { status: answer }) : answer;
  }

  async until(many: number): Promise<Received[]> {
    return eventually(() => {
      if (this.received.length < many) throw new Error(`${this.received.length} of ${many} deliveries have come`);
      return this.received;
    });
  }
}

/** A receiver that does not answer until a test asks it to. */
export function hanging(): { answer: Answering; release: (status: number) => void } {
  const { promise, resolve } = Promise.withResolvers<number>();
  return { answer: () => promise, release: resolve };
}
