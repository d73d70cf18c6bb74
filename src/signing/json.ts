/** A JSON value as this service takes it: numbers are plain integers, texts are well-formed Unicode. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [name: string]: JsonValue;
}
