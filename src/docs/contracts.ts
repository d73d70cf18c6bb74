/** The contracts as the gateway serves them. */
import { asyncApi } from "./contracts/asyncapi.ts";
import { framesDocument } from "./contracts/frames.ts";
import { openApi } from "../gateway/http/openapi/openapi.ts";
import { partFor } from "../gateway/http/openapi/part.ts";
import { fileText } from "./build/text.ts";
import { withInserts } from "./build/inserts.ts";

/** @param path of the introduction, whose figures only the build writes */
function introduced<Document extends { info: object }>(document: Document, path: string) {
  return { ...document, info: { ...document.info, description: withInserts(fileText(path)) } };
}

const OPENAPI = introduced(openApi(), "src/gateway/http/openapi/introduction.md");

/** The contracts by path. Browser tools on any site may fetch them. */
export const CONTRACTS = {
  "openapi.json": OPENAPI,
  "openapi-pos.json": partFor("pos", OPENAPI),
  "openapi-terminal.json": partFor("terminal", OPENAPI),
  "frames.json": framesDocument(),
  "asyncapi.json": introduced(asyncApi(), "src/docs/contracts/introduction.md"),
};
