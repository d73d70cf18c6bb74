/** The static site that the Worker serves beside the service: made ahead by the build, file by file. */
import { asyncApi } from "../contracts/asyncapi.ts";
import { openApi } from "../http/openapi/openapi.ts";
import { DOCS_HEADERS, docsFiles } from "../docs/site.ts";

/** Everything in dist/site: texts and bytes by their path, without a leading slash. */
export async function siteFiles(): Promise<Record<string, string | Uint8Array>> {
  return { _headers: HEADERS, ...docsFiles(), ...contracts() };
}

function contracts(): Record<string, string> {
  return { "openapi.json": JSON.stringify(openApi(), null, 2), "asyncapi.json": JSON.stringify(asyncApi(), null, 2) };
}

/** Both contracts are public: tools in browsers may fetch them from anywhere. */
const CONTRACT_HEADERS = ["/openapi.json", "/asyncapi.json"]
  .map((path) => `${path}\n  Access-Control-Allow-Origin: *\n`)
  .join("");

/** For the files that are served without the Worker. The console's headers are set by the Worker, which serves it. */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
${DOCS_HEADERS}${CONTRACT_HEADERS}`;
