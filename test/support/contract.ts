/** The published OpenAPI document as a judge of answers: status, headers and body, without additional members. */
import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../src/gateway/http/openapi/json-schema.ts";
import {
  type OpenApiResponse,
  type Header,
  OTHER_TYPES,
  type OpenApiOperation,
} from "../../src/gateway/http/openapi/document.ts";
import { openApi } from "../../src/gateway/http/openapi/openapi.ts";
import { exercised } from "./exercised.ts";

/** One answer, as it came. */
interface Answered {
  method: string;
  /** The path, with or without a query. */
  path: string;
  status: number;
  headers: Headers;
  /** The JSON of the body; undefined if it is not JSON. */
  body: unknown;
  /** The body of the request. If it was accepted, it must be as the document says. */
  sent?: unknown;
}

/** The published OpenAPI document, as a judge of what the gateway really answers: of every `call` of a test. */
class Contract {
  readonly #document = openApi();
  readonly #ajv: Ajv2020;
  readonly #validators = {
    "answers:": new Map<JsonSchema, ValidateFunction>(),
    "requests:": new Map<JsonSchema, ValidateFunction>(),
  };
  /** By their text: most schemas stand in several places. */
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #templates: readonly [template: string, pattern: RegExp][];

  constructor() {
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(this.#ajv);
    const { components, paths } = this.#document;
    // The path with the fewest parameters is the most particular.
    this.#templates = Object.keys(paths)
      .toSorted((one, other) => one.split("{").length - other.split("{").length)
      .map((template) => [template, new RegExp(`^${template.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u")]);
    this.#ajv.addSchema({ $id: "answers:", ...closed({ components }) });
    this.#ajv.addSchema({ $id: "requests:", components });
  }

  /** The published path that a path fits; null if there is none. */
  templateOf(path: string): string | null {
    const [bare = ""] = path.split("?");
    return this.#templates.find(([, pattern]) => pattern.test(bare))?.[0] ?? null;
  }

  /** What the document does not say of the answer, or says otherwise; empty when all is as published. */
  problemsOf({ method, path, status, headers, body, sent }: Answered): string[] {
    const template = this.templateOf(path);
    const item = template === null ? undefined : this.#document.paths[template];
    // A method that the path has not is answered 405 as its other ones say.
    const operation =
      item?.[method.toLowerCase() as "get"] ?? (status === 405 ? Object.values(item ?? {})[0] : undefined);
    // What is not published is 404, or a page.
    if (operation === undefined || template === null) return [];
    const response = this.#responseOf(operation, status);
    if (response === undefined) return [`${method} ${template} has no ${status}`];
    const accepted = status < 300 && typeof sent === "object" ? this.#requestProblems(operation, sent) : [];
    return [
      ...this.#headerProblems(response, headers),
      ...this.#bodyProblems(response, headers, body),
      ...accepted,
    ].map((problem) => `${method} ${template} ${status}: ${problem}`);
  }

  #responseOf(operation: OpenApiOperation, status: number): OpenApiResponse | undefined {
    const response = operation.responses[status];
    if (response === undefined || !("$ref" in response)) return response;
    return this.#document.components.responses[response.$ref.split("/").at(-1) ?? ""];
  }

  #headerProblems(response: OpenApiResponse, headers: Headers): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
      const { required, schema } = this.#headerOf(header);
      const value = headers.get(name);
      // What is said beside a reference narrows it: then the header comes with some answers only.
      const always = required === true && !("$ref" in header && header.description !== undefined);
      if (value === null) return always ? [`${name} is missing`] : [];
      return this.#judge(schema, value).map((problem) => `${name} ${problem}`);
    });
  }

  #headerOf(header: Header | { $ref: string }): Header {
    const named = "$ref" in header ? this.#document.components.headers[header.$ref.split("/").at(-1) ?? ""] : header;
    if (named === undefined) throw new Error("The document refers to a header that is not there.");
    return named;
  }

  #bodyProblems(response: OpenApiResponse, headers: Headers, body: unknown): string[] {
    if (response.content === undefined) return body === undefined ? [] : ["there is a body"];
    const type = (headers.get("Content-Type") ?? "").split(";")[0] ?? "";
    const media = response.content[type] ?? response[OTHER_TYPES]?.[type];
    if (media === undefined) return [`Content-Type ${type} is not there`];
    return type === "application/json" ? this.#judge(media.schema, body) : [];
  }

  /** Requests may have further members. Lengths are those of composed text (NFC). */
  #requestProblems(operation: OpenApiOperation, sent: unknown): string[] {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return [];
    return this.#judge(schema, JSON.parse(JSON.stringify(sent).normalize("NFC")), "requests:");
  }

  /** Schemas of answers are closed: a member that nobody described is found. */
  #judge(schema: JsonSchema, value: unknown, base: "answers:" | "requests:" = "answers:"): string[] {
    const validate = this.#validators[base].get(schema) ?? this.#compile(schema, base);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`.trim(),
    );
  }

  #compile(schema: JsonSchema, base: "answers:" | "requests:"): ValidateFunction {
    const written = JSON.stringify(base === "answers:" ? closed(schema) : schema).replaceAll('"#/', `"${base}#/`);
    const validate = this.#compiled.get(written) ?? this.#ajv.compile(JSON.parse(written) as JsonSchema);
    this.#compiled.set(written, validate);
    this.#validators[base].set(schema, validate);
    return validate;
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

let contract: Contract | undefined;

function published(): Contract {
  return (contract ??= new Contract());
}

/** What the document does not say of an answer, or says otherwise; empty when all is as published. */
export function problemsOf(answer: Answered): string[] {
  return published().problemsOf(answer);
}

/** Throws if a real answer, or a request that was accepted, is not as the document says. */
export function judge(answer: Answered): void {
  const problems = problemsOf(answer);
  if (problems.length > 0) throw new Error(`not as published: ${problems.join("; ")}`);
  exercised.add(`${answer.method} ${published().templateOf(answer.path)} ${answer.status}`);
}
