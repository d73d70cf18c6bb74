/** The errors, in words. */
import * as errors from "../../http/answers/errors.ts";
import { type Component, made } from "../json-schema.ts";

export const errorAnswers: Record<string, Component> = {
  Problem: made(errors.problem),
  InvalidRequest: made(errors.invalidRequest),
  Unauthorized: made(errors.unauthorized),
  Forbidden: made(errors.forbidden),
  NotFound: made(errors.notFound),
  MethodNotAllowed: made(errors.methodNotAllowed),
  Conflict: made(errors.conflict),
  RateLimitExceeded: made(errors.rateLimitExceeded),
  InternalServerError: made(errors.internalServerError),
};
