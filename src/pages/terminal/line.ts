import { platformFetch } from "../../sdk/client/deadline.ts";
import { openPlatformSocket } from "../../sdk/client/terminal/connection.ts";
import type { TerminalSocket } from "../../sdk/client/terminal.ts";

/** While it is cut, everything that opens it or calls through it waits. */
export class NetworkLine {
  /** Aborted when the line is restored; null while it works. */
  #restored: AbortController | null = null;
  #ended = false;

  cut(): void {
    this.#restored ??= new AbortController();
  }

  restore(): void {
    this.#restored?.abort();
    this.#restored = null;
  }

  /** The terminal is switched off: everything that waits for the line fails. */
  end(): void {
    this.#ended = true;
    this.restore();
  }

  readonly openSocket = async (url: string, protocols: string[]): Promise<TerminalSocket> => {
    await this.#whole();
    return openPlatformSocket(url, protocols);
  };

  readonly fetch = async (request: Request): Promise<Response> => {
    await this.#whole(request.signal);
    return platformFetch(request);
  };

  async #whole(signal?: AbortSignal): Promise<void> {
    const restored = this.#restored?.signal;
    if (restored !== undefined) {
      await Promise.race([restored, signal].map(aborted));
      // The line may have been cut again meanwhile. The platform itself rejects a call that gave up.
      if (signal?.aborted !== true) return this.#whole(signal);
    }
    if (this.#ended) throw new Error("the terminal was switched off");
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
