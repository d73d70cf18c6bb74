/** Which role an operator's call needs: the first check of its route. */
import { mayDo, OPERATOR_ROLES, type OperatorRole } from "../../protocol/operator-roles.ts";
import { refuse } from "../errors.ts";
import { operatorFactory } from "./authentication.ts";

function check(needed: OperatorRole) {
  return operatorFactory.createMiddleware(async (c, next) => {
    const role = c.get("role");
    if (mayDo(role, needed)) return next();
    c.get("facts").reason = `role: ${role}`;
    const message = `This call needs the role ${needed}. You are a ${role}.`;
    return refuse(c, { kind: "forbidden", message });
  });
}

/** Reads only. */
export const forViewers = check("viewer");
/** Resolves, unbinds, sets passwords. */
export const forSupport = check("support");
/** Any other change. */
export const forAdmins = check("admin");

const CHECKS: readonly unknown[] = [forViewers, forSupport, forAdmins];

/** The role that the handler of a route asks for; undefined: none. */
export function roleOf(handler: unknown): OperatorRole | undefined {
  return OPERATOR_ROLES[CHECKS.indexOf(handler)];
}
