/** The parts of an AsyncAPI 3 document that ours has (https://www.asyncapi.com/docs/reference/specification/v3.1.0). */
import type { JsonSchema } from "../json-schema.ts";

export interface Reference {
  $ref: string;
}

export interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: string;
  /** Connects a request with the other messages about it. */
  correlationId?: { description: string; location: string };
  payload: JsonSchema;
  examples: { name: string; summary: string; payload: unknown }[];
}

export interface Operation {
  action: "send" | "receive";
  channel: Reference;
  title: string;
  summary: string;
  description: string;
  messages: Reference[];
  reply?: { channel: Reference; messages: Reference[] };
}

export interface AsyncApiDocument {
  asyncapi: "3.1.0";
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; url: string };
    tags: { name: string; description: string }[];
  };
  defaultContentType: string;
  servers: Record<string, { host: string; protocol: string; description: string; security: Reference[] }>;
  channels: Record<
    string,
    {
      address: string;
      title: string;
      description: string;
      servers: Reference[];
      messages: Record<string, Reference>;
      bindings: { ws: { method: "GET"; headers: JsonSchema; bindingVersion: string } };
      "x-close-codes": { code: number; name: string; why: string; action: string }[];
    }
  >;
  operations: Record<string, Operation>;
  components: {
    messages: Record<string, Message>;
    schemas: Record<string, JsonSchema>;
    securitySchemes: Record<string, { type: string; [member: string]: string }>;
  };
}
