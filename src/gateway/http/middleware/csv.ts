import type { RequestContext } from "./context.ts";
import { prefers } from "./accept.ts";

const CSV = "text/csv";

export function wantsCsv(c: RequestContext): boolean {
  return prefers(CSV, c.req.header("Accept"));
}

/** @param next the `cursor` of the next page; null on the last page */
export function csvAnswer(c: RequestContext, text: string, next: string | null = null): Response {
  const headers = new Headers({ "Content-Type": `${CSV}; charset=utf-8; header=present` });
  if (next !== null) {
    const { pathname, searchParams } = new URL(c.req.url);
    searchParams.set("cursor", next);
    headers.set("Link", `<${pathname}?${searchParams.toString()}>; rel="next"`);
  }
  return new Response(text, { headers });
}
