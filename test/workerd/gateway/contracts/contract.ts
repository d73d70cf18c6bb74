/** The published OpenAPI document as a judge of answers: status, headers and body, without additional members. */
import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type { JsonSchema } from "../../../../src/gateway/http/openapi/json-schema.ts";
import {
  type Answer,
  type Header,
  OTHER_TYPES,
  type Operation,
} from "../../../../src/gateway/http/openapi/document.ts";
import { openApi } from "../../../../src/gateway/http/openapi/openapi.ts";
import { type CallOptions, send } from "../../../support/gateway.ts";
import type { Members } from "../../../support/pos.ts";
import { noteSecrets } from "../../../support/secrets.ts";

/** One answer, as it came. */
interface Answered {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
  headers: Headers;
  /** The JSON of the body; undefined if it is not JSON. */
  body: unknown;
}

export interface Judged {
  status: number;
  body: Members;
}

/** The published OpenAPI document, as a judge of what the gateway really answers. */
export class Contract {
  readonly document = openApi();
  /** `METHOD template status` of every answer that was judged. */
  readonly seen = new Set<string>();
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(this.#ajv);
    const { components } = this.document;
    this.#ajv.addSchema({ $id: "answers:", ...closed({ components }) });
    this.#ajv.addSchema({ $id: "requests:", components });
  }

  /** One call, checked against the document. An accepted body is checked against the request's schema. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Judged> {
    const response = await send(method, path, options);
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
    const bytes = await response.arrayBuffer();
    const body = (isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined) as Members;
    noteSecrets(body);
    const { status, headers } = response;
    const [bare = ""] = path.split("?");
    expect(this.problemsOf({ method, path: bare, status, headers, body })).toEqual([]);
    if (status < 300 && options.body !== undefined) {
      expect(this.requestProblems(method, bare, options.body), JSON.stringify(options.body)).toEqual([]);
    }
    return { status, body };
  }

  /** Every published success, and every kind of refusal, of these paths was judged. */
  mustHaveSeen(isMeant: (path: string) => boolean): void {
    const paths = Object.entries(this.document.paths).filter(([path]) => isMeant(path));
    const published = paths.flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
      ),
    );
    const good = published.filter((answer) => / (?:1|2)\d\d$/u.test(answer));
    expect(good.filter((answer) => !this.seen.has(answer))).toEqual([]);
    const kinds = statusesOf(published.filter((answer) => !answer.endsWith("default")));
    const seen = [...this.seen].filter((answer) => isMeant(answer.split(" ")[1] ?? ""));
    expect(statusesOf(seen)).toEqual(kinds);
  }

  /** What is wrong with a request's body by the document; empty if it may be sent. */
  requestProblems(method: string, path: string, body: unknown): string[] {
    const operation = this.#operationOf(method, path);
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    return schema === undefined ? [`${method} ${path} takes no body`] : this.#judge("requests:", schema, body);
  }

  #operationOf(method: string, path: string): Operation | undefined {
    const template = this.#templateOf(path);
    return template === null ? undefined : this.document.paths[template]?.[method.toLowerCase() as "get"];
  }

  /** What the document does not say of the answer, or says otherwise; empty when all is as published. */
  problemsOf({ method, path, status, headers, body }: Answered): string[] {
    const template = this.#templateOf(path);
    const item = template === null ? undefined : this.document.paths[template];
    // A method that the path has not is answered 405 as its other ones say.
    const operation = this.#operationOf(method, path) ?? (status === 405 ? Object.values(item ?? {})[0] : undefined);
    if (operation === undefined || template === null) return [`${method} ${path} is not there`];
    const response = this.#responseOf(operation, status);
    if (response === undefined) return [`${method} ${template} has no ${status}`];
    this.seen.add(`${method} ${template} ${status}`);
    return [...this.#headerProblems(response, headers), ...this.#bodyProblems(response, headers, body)].map(
      (problem) => `${method} ${template} ${status}: ${problem}`,
    );
  }

  #templateOf(path: string): string | null {
    const fitting = Object.keys(this.document.paths).filter((template) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(path),
    );
    // The one with the fewest parameters is the most particular.
    return fitting.toSorted((one, other) => one.split("{").length - other.split("{").length)[0] ?? null;
  }

  #responseOf(operation: Operation, status: number): Answer | undefined {
    const response = operation.responses[status];
    if (response === undefined || !("$ref" in response)) return response;
    return this.document.components.responses[response.$ref.split("/").at(-1) ?? ""];
  }

  #headerProblems(response: Answer, headers: Headers): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
      const { required, schema } = this.#headerOf(header);
      const value = headers.get(name);
      // What is said beside a reference narrows it: then the header comes with some answers only.
      const always = required === true && !("$ref" in header && header.description !== undefined);
      if (value === null) return always ? [`${name} is missing`] : [];
      return this.#judge("answers:", schema, value).map((problem) => `${name} ${problem}`);
    });
  }

  #headerOf(header: Header | { $ref: string }): Header {
    const named = "$ref" in header ? this.document.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
    if (named === undefined) throw new Error("The document refers to a header that is not there.");
    return named;
  }

  #bodyProblems(response: Answer, headers: Headers, body: unknown): string[] {
    if (response.content === undefined) return body === undefined ? [] : ["there is a body"];
    const type = (headers.get("Content-Type") ?? "").split(";")[0] ?? "";
    const media = response.content[type] ?? response[OTHER_TYPES]?.[type];
    if (media === undefined) return [`Content-Type ${type} is not there`];
    return type === "application/json" ? this.#judge("answers:", media.schema, body) : [];
  }

  /** Schemas of answers are closed: a member that nobody described is found. Requests may have any. */
  #judge(base: "answers:" | "requests:", schema: JsonSchema, value: unknown): string[] {
    const written = JSON.stringify(base === "answers:" ? closed(schema) : schema).replaceAll('"#/', `"${base}#/`);
    const validate = this.#validators.get(written) ?? this.#ajv.compile(JSON.parse(written) as JsonSchema);
    this.#validators.set(written, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`.trim(),
    );
  }
}

/** The same schema, with no further members than it names. */
function closed<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(closed) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, closed(member)]);
  const copy = Object.fromEntries(entries) as JsonSchema;
  const names = Object.keys(copy.properties ?? {});
  const isWhole = copy.type !== undefined && names.length > 0;
  if (isWhole && copy["additionalProperties"] === undefined) copy["additionalProperties"] = false;
  return copy as Value;
}

function statusesOf(answers: Iterable<string>): Set<string> {
  return new Set([...answers].map((answer) => answer.slice(-3)));
}
