/** HTTP calls of the bench: kept-alive connections, JSON both ways. */
import { Agent, request } from "node:http";

export interface Sent {
  token?: string;
  /** Sent as JSON; a text as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export class Caller {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** The answer's body; throws if the status is not in the 200s. */
  async call<Body>(method: string, path: string, sent: Sent = {}): Promise<Body> {
    const { status, text } = await this.exchange(method, path, sent);
    if (status < 200 || status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return JSON.parse(text) as Body;
  }

  /**
   * Accepts any answer. workerd closes a connection that was idle for 15 s, whatever has arrived on it meanwhile: then the
   * call is sent again on another one (https://nodejs.org/api/http.html#requestreusedsocket).
   */
  exchange(method: string, path: string, sent: Sent): Promise<{ status: number; text: string }> {
    const { token, body, headers } = sent;
    const content = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const all = {
      ...headers,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(content === "" ? {} : { "Content-Type": "application/json" }),
      "Content-Length": Buffer.byteLength(content),
    };
    const { hostname: host, port } = this.#url;
    return new Promise((resolve, reject) => {
      const call = request({ agent: this.#agent, host, port, method, path, headers: all }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      call.on("error", (error: NodeJS.ErrnoException) => {
        const isClosed = call.reusedSocket && error.code === "ECONNRESET";
        if (isClosed) resolve(this.exchange(method, path, sent));
        else reject(error);
      });
      call.end(content);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
