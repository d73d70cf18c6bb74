/** An answer of the operator API. */
export interface OperatorAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** A client for the operator API. */
export class Operator {
  readonly #baseUrl: string;
  readonly #token: string;

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  async call(method: string, path: string, body?: object): Promise<OperatorAnswer> {
    const response = await this.#fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(`${this.#baseUrl}/operator${path}`, init);
    } catch {
      throw new DemoError(`Cannot reach the gateway at ${this.#baseUrl}.`);
    }
  }

  /** A call that must succeed. Resolves to the string `member` of the answer. */
  async must(method: string, path: string, body?: object, member?: string): Promise<string> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300) throw new DemoError(`${method} /operator${path}: ${describe(answer)}`);
    return member === undefined ? "" : String(answer.body[member]);
  }
}

export function describe({ status, body }: OperatorAnswer): string {
  return `${status} ${typeof body["message"] === "string" ? body["message"] : ""}`.trim();
}

/** The demo cannot continue. The message is for the developer. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}
