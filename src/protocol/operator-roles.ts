/** Each role may also do what those before it may. */
export const OPERATOR_ROLES = ["viewer", "support", "admin"] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export function isOperatorRole(name: string): name is OperatorRole {
  return (OPERATOR_ROLES as readonly string[]).includes(name);
}

export function mayDo(role: OperatorRole, needed: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);
}

/** Operators' names that differ only in case or in how they are composed are one. */
export function foldName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Splits an entry of OPERATOR_TOKENS: `name:role:token`, or `name:token` for an admin. Missing parts are empty. */
export function operatorEntry(entry: string): { name: string; role: string; token: string } {
  const [name = "", second = "", ...rest] = entry.split(":").map((part) => part.trim());
  if (rest.length === 0) return { name, role: "admin", token: second };
  return { name, role: second, token: rest.join(":") };
}
