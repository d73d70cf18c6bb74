/**
 * Where a deploy can be reached, by what wrangler wrote about it: one JSON object a line, with the `targets` of its entry
 * `deploy`. A custom domain comes before the platform's own; a route is a pattern, and no address.
 *
 * @returns an origin with https, or null
 */
export function addressIn(output: string): string | null {
  const targets = output.split("\n").flatMap(targetsOf);
  const domain = targets.flatMap((target) => /^(\S+) \(custom domain/u.exec(target)?.[1] ?? [])[0];
  if (domain !== undefined) return `https://${domain}`;
  return targets.find((target) => URL.canParse(target) && /^https?:/u.test(target)) ?? null;
}

function targetsOf(line: string): string[] {
  if (line.trim() === "") return [];
  const entry = JSON.parse(line) as { type?: string; targets?: unknown[] };
  if (entry.type !== "deploy") return [];
  return (entry.targets ?? []).filter((target) => typeof target === "string");
}
