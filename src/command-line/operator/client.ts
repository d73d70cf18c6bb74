import { readVars, type Settings } from "../settings.ts";

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
      throw new CommandError(`Cannot reach the gateway at ${this.#baseUrl}.`);
    }
  }

  /** A call that must succeed. Resolves to the string `member` of the answer. */
  async must(method: string, path: string, body?: object, member?: string): Promise<string> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300) throw new CommandError(`${method} /operator${path}: ${describe(answer)}`);
    return member === undefined ? "" : String(answer.body[member]);
  }
}

export function describe({ status, body }: OperatorAnswer): string {
  return `${status} ${typeof body["message"] === "string" ? body["message"] : ""}`.trim();
}

/** A command cannot continue. The message is for its user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * The operator's token for the gateway at `url`: OPERATOR_TOKEN of the environment or the user's file; for a gateway on this
 * machine, else the one in .dev.vars. Throws UsageError where there is none.
 */
export async function operatorTokenFor(settings: Settings, url: string): Promise<string> {
  const own = url.startsWith("http:") ? await operatorToken(".dev.vars") : "";
  return settings.get("OPERATOR_TOKEN") ?? (own === "" ? settings.must("OPERATOR_TOKEN") : own);
}

/** The first operator's token. */
export async function operatorToken(path: string): Promise<string> {
  const first = (await readVars(path)).get("OPERATOR_TOKENS")?.split(",")[0] ?? "";
  return first.slice(first.indexOf(":") + 1).trim();
}
