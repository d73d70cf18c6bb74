import { operatorEntry } from "../../protocol/operator-roles.ts";
import { SECOND } from "../../protocol/time/units.ts";
import { readVars, type Settings } from "./settings.ts";

export type OperatorRow = Record<string, unknown>;

/** By name in the query; undefined: not filtered. */
export type OperatorQuery = Record<string, string | undefined>;

export interface OperatorAnswer {
  status: number;
  body: OperatorRow;
}

/** Longer than any call takes: each waits at most 10 s for D1 and for an object. */
const ANSWERED_WITHIN = 30 * SECOND;

export class OperatorClient {
  readonly #baseUrl: string;
  readonly #token: string;
  readonly #within: number;

  /** @param within the longest time of a call */
  constructor(baseUrl: string, token: string, within = ANSWERED_WITHIN) {
    this.#baseUrl = baseUrl;
    this.#token = token;
    this.#within = within;
  }

  /** @param path after `/operator` */
  async call(method: string, path: string, body?: object): Promise<OperatorAnswer> {
    return this.#answer(path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #answer(path: string, init: RequestInit): Promise<OperatorAnswer> {
    const { status, text } = await this.#fetch(path, init);
    try {
      return { status, body: text === "" ? {} : JSON.parse(text) };
    } catch {
      throw new CommandError(`There is no gateway at ${this.#baseUrl}: it answers ${status}, and not with JSON.`);
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
    try {
      const signal = AbortSignal.timeout(this.#within);
      const response = await fetch(`${this.#baseUrl}/operator${path}`, { ...init, redirect: "manual", signal });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") {
        throw new CommandError(
          `The gateway at ${this.#baseUrl} does not answer within ${this.#within / SECOND} seconds. A change may be done.`,
        );
      }
      throw new CommandError(`Cannot reach the gateway at ${this.#baseUrl}.`);
    }
  }

  /** Resolves to the string `member` of the answer. Throws CommandError after a refusal. */
  async must(method: string, path: string, body?: object, member?: string): Promise<string> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300) throw new CommandError(`${method} /operator${path}: ${describe(answer)}`);
    return member === undefined ? "" : String(answer.body[member]);
  }

  /** Throws CommandError if the path does not exist. */
  async get<Answer extends object = OperatorRow>(path: string): Promise<Answer> {
    const answer = await this.call("GET", path);
    if (answer.status !== 200) throw refusalError(answer, `GET /operator${path}: `);
    return answer.body as Answer;
  }

  /** Null if the path does not exist. */
  async find<Answer extends object = OperatorRow>(path: string): Promise<Answer | null> {
    const answer = await this.call("GET", path);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw refusalError(answer, `GET /operator${path}: `);
    return answer.body as Answer;
  }

  /** From all pages of a list, at most `most`. A page may be empty and still have a next one. */
  async rows<Found extends object = OperatorRow>(path: string, query: OperatorQuery, most: number): Promise<Found[]> {
    const rows: Found[] = [];
    for (let cursor: string | undefined; ;) {
      const found = `${path}?${queryText({ ...query, cursor })}`;
      const { data, next } = await this.get<{ data: Found[]; next: string | null }>(found);
      rows.push(...data);
      if (next === null || rows.length >= most) return rows.slice(0, most);
      cursor = next;
    }
  }
}

export function queryText(query: OperatorQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}

export function describe({ status, body }: OperatorAnswer): string {
  return `${status} ${typeof body["message"] === "string" ? body["message"] : ""}`.trim();
}

/** @param call for the message, if it does not say which call was refused */
export function refusalError(answer: OperatorAnswer, call = ""): CommandError {
  return new CommandError(`${call}${describe(answer)}${refusalDetails(answer.body)}`);
}

/** Adds the address that explains the error. */
export function refusalDetails(body: OperatorRow): string {
  const details = (body["details"] ?? []) as { path: string; message: string }[];
  const lines = details.map(({ path, message }) => `${path}: ${message}`);
  return [...lines, ...(typeof body["doc"] === "string" ? [`see ${body["doc"]}`] : [])]
    .map((line) => `\n  ${line}`)
    .join("");
}

/** A command cannot continue. The message is for its user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/**
 * Returns OPERATOR_TOKEN of the environment or the user's file; otherwise, for a gateway on this machine, the token in
 * .dev.vars. Throws UsageError without a token.
 */
export async function operatorTokenFor(settings: Settings, url: string): Promise<string> {
  const own = url.startsWith("http:") ? await operatorToken(".dev.vars") : "";
  return settings.get("OPERATOR_TOKEN") ?? (own === "" ? settings.must("OPERATOR_TOKEN") : own);
}

/** Returns the first operator's token in a file of variables; empty without one. */
export async function operatorToken(path: string): Promise<string> {
  const first = (await readVars(path)).get("OPERATOR_TOKENS")?.split(",")[0] ?? "";
  return operatorEntry(first).token;
}
