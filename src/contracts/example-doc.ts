import { documentationOf, type ErrorCode } from "../protocol/errors.ts";
import type { FrameError } from "../protocol/frames.ts";

/** The `doc` of an example. */
export function exampleDoc(code: ErrorCode | FrameError): string {
  return documentationOf(code, "https://gateway.example.com/");
}
