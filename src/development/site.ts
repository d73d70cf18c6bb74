/** The static site that the Worker serves beside the service: made ahead by the build, file by file. */
import { DOCS_HEADERS, docsFiles } from "../docs/site.ts";

/** Everything in dist/site: texts and bytes by their path, without a leading slash. */
export async function siteFiles(): Promise<Record<string, string | Uint8Array>> {
  return { _headers: HEADERS, ...docsFiles() };
}

/** For the files that are served without the Worker. The console's headers are set by the Worker, which serves it. */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
${DOCS_HEADERS}`;
