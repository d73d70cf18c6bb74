/** HTTP calls of the bench: kept-alive connections, JSON both ways. */
import { Agent, request } from "node:http";

export class Caller {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** The answer's body; throws if the status is not in the 200s. */
  async call<Body>(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Body> {
    const text = body === undefined ? "" : JSON.stringify(body);
    return JSON.parse(await this.send(method, path, token, text, headers)) as Body;
  }

  /** Sends a text as JSON; the answer's text. Throws if the status is not in the 200s. */
  async send(
    method: string,
    path: string,
    token: string | null,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<string> {
    const { status, text } = await this.exchange(method, path, token, body, headers);
    if (status >= 200 && status < 300) return text;
    throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  }

  /** Sends a text as JSON; accepts any answer. */
  exchange(
    method: string,
    path: string,
    token: string | null,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: this.#url.hostname,
          port: this.#url.port,
          method,
          path,
          headers: {
            ...headers,
            ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
            ...(body === "" ? {} : { "Content-Type": "application/json" }),
            "Content-Length": Buffer.byteLength(body),
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (text += chunk));
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
