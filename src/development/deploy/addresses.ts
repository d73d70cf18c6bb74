/**
 * The address of a deployment, from wrangler's output: one JSON object per line, with the `targets` of its entry
 * `deploy`. A custom domain is preferred to the platform's own. A route is a pattern, not an address.
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
