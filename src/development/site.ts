/** The static site that the Worker serves, created by the build. */
import { asyncApi } from "../contracts/asyncapi.ts";
import { openApi } from "../http/openapi/openapi.ts";
import { DOCS_HEADERS, docsFiles } from "../docs/site.ts";

/** All files of dist/site by path, without a leading slash. */
export async function siteFiles(): Promise<Record<string, string | Uint8Array>> {
  return { _headers: HEADERS, ...docsFiles(), ...contracts() };
}

function contracts(): Record<string, string> {
  return { "openapi.json": JSON.stringify(openApi(), null, 2), "asyncapi.json": JSON.stringify(asyncApi(), null, 2) };
}

/** Both contracts are public: browser tools on any site may fetch them. */
const CONTRACT_HEADERS = ["/openapi.json", "/asyncapi.json"]
  .map((path) => `${path}\n  Access-Control-Allow-Origin: *\n`)
  .join("");

/** Headers for the files served without the Worker. The Worker serves the console and sets its headers. */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
${DOCS_HEADERS}${CONTRACT_HEADERS}`;
