/** The parts of OpenAPI 3.1 that the document uses (https://spec.openapis.org/oas/v3.1.1). */
import type { JsonSchema } from "./json-schema.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

export interface Reference {
  $ref: string;
  description?: string;
}

export interface Example {
  summary: string;
  description?: string;
  value: unknown;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Header {
  description: string;
  required?: boolean;
  schema: JsonSchema;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description: string;
  required?: boolean;
  schema: JsonSchema;
}

/**
 * An answer's other media types, which `Accept` selects. If they were in `content`, generators would make one type of
 * all: a program that reads JSON could then use no member of it.
 */
export const OTHER_TYPES = "x-other-media-types";

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
  [OTHER_TYPES]?: Record<string, MediaType>;
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { description: string; required: boolean; content: Record<string, MediaType> };
  responses: Record<string, OpenApiResponse | Reference>;
}

export type PathItem = Partial<Record<Method, OpenApiOperation>>;
