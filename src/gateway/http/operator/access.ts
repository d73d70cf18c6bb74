/**
 * Cloudflare Access in front of `/operator` signs people in and adds an assertion to each of their requests.
 * https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/
 */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
} from "jose";
import * as z from "zod";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { err, ok, type Result } from "../../../protocol/result.ts";
import { isOperatorRole, mayDo, OPERATOR_ROLES, type OperatorRole } from "../../../protocol/operator-roles.ts";
import { SECOND, type EpochMs } from "../../../protocol/time/units.ts";
import type { SignedIn } from "./tokens.ts";

export const ASSERTION_HEADER = "Cf-Access-Jwt-Assertion";

export interface AccessSettings {
  /** The issuer of the assertions. */
  team: string;
  /** The AUD tag of the Access application. */
  audience: string;
  /** Roles by `group:NAME`, `email:ADDRESS` or `client:ID`; null: everybody is an admin. */
  roles: ReadonlyMap<string, OperatorRole> | null;
}

const TEAM = /^https:\/\/[a-z0-9-]+\.cloudflareaccess\.com$/;
/** The key set may be on the developer's machine. */
const LOCAL_TEAM = /^http:\/\/localhost:\d{1,5}$/;
const AUDIENCE = /^[0-9a-f]{64}$/;

/**
 * Reads ACCESS_TEAM, ACCESS_AUDIENCE and ACCESS_ROLES; null if none is set.
 *
 * @param local whether the gateway is called on its own machine: only then may the team be there too
 */
export function readAccess(
  env: Record<"ACCESS_TEAM" | "ACCESS_AUDIENCE" | "ACCESS_ROLES", string | undefined>,
  local: boolean,
): Result<AccessSettings | null, string> {
  const [team, audience] = [(env.ACCESS_TEAM ?? "").trim(), (env.ACCESS_AUDIENCE ?? "").trim()];
  const roles = readRoles((env.ACCESS_ROLES ?? "").trim());
  if (!roles.ok) return roles;
  if (team === "" && audience === "") return ok(null);
  if (team === "") return err("ACCESS_TEAM is missing: ACCESS_AUDIENCE is set. Set both, or neither.");
  if (audience === "") return err("ACCESS_AUDIENCE is missing: ACCESS_TEAM is set. Set both, or neither.");
  if (!TEAM.test(team) && !(local && LOCAL_TEAM.test(team))) {
    return err("ACCESS_TEAM must be the team's address: https://NAME.cloudflareaccess.com, without a path.");
  }
  if (!AUDIENCE.test(audience)) {
    return err("ACCESS_AUDIENCE must be the application's AUD tag: 64 hexadecimal characters in lower case.");
  }
  return ok({ team, audience, roles: roles.value });
}

/**
 * A role belongs to one of these. Each kind has names of its own: whoever may name a group at the identity provider
 * could otherwise name it like an admin's address.
 */
const BEARERS = ["group", "email", "client"] as const;

/** Reads `role:kind:NAME,role:kind:NAME`; null: no roles are set. */
function readRoles(text: string): Result<AccessSettings["roles"], string> {
  if (text === "") return ok(null);
  const roles = new Map<string, OperatorRole>();
  for (const [index, entry] of text.split(",").entries()) {
    const [role = "", kind = "", ...rest] = entry.split(":").map((part) => part.trim());
    const bearer = BEARERS.find((one) => one === kind);
    const name = rest.join(":");
    if (!isOperatorRole(role) || bearer === undefined || name === "") {
      const forms = BEARERS.map((one) => `role:${one}:NAME`).join(", ");
      return err(
        `ACCESS_ROLES: Entry ${index + 1} must be one of ${forms}. A role is one of ${OPERATOR_ROLES.join(", ")}.`,
      );
    }
    const named = bearerName(bearer, name);
    const known = roles.get(named);
    roles.set(named, known !== undefined && mayDo(known, role) ? known : role);
  }
  return ok(roles);
}

/** Addresses differ in case from one identity provider to another. */
function bearerName(kind: (typeof BEARERS)[number], name: string): string {
  return `${kind}:${kind === "email" ? name.toLowerCase() : name}`;
}

/** Returns null if none of the names has a role. */
function roleAmong(roles: AccessSettings["roles"], names: readonly string[]): OperatorRole | null {
  if (roles === null) return "admin";
  const found = names.map((name) => roles.get(name));
  return OPERATOR_ROLES.findLast((role) => found.includes(role)) ?? null;
}

/**
 * `key-set`: the team's keys cannot be read, so the assertion cannot be checked. `no-role`: it is valid, but its bearer
 * has no role.
 */
export type AccessRefusal =
  { kind: "key-set"; cause: unknown } | { kind: "not-valid"; reason: string } | { kind: "no-role" };

/** The clocks of two machines differ. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** A name has no control characters, spaces or colons: in the audit log, an actor with a colon is not an operator. */
const NAME = /^[^\p{C}\s:]{1,200}$/u;

/** A person has an email address; a service token has only its client ID. jose checks `exp`. */
const claims = z.union([
  z.object({ email: z.string().regex(NAME).regex(/.@./u) }),
  z.object({ email: z.literal("").optional(), common_name: z.string().regex(NAME) }),
]);

/** Groups from the identity provider: a custom claim, which Access puts into `custom`. */
const groupClaims = z.object({
  groups: z.array(z.string()).catch([]),
  custom: z.object({ groups: z.array(z.string()).catch([]) }).catch({ groups: [] }),
});

/**
 * Verifies an assertion: signature by a key of the team, only RS256, issuer, audience, expiry.
 *
 * @returns an email address, or a service token's client ID, with its role
 */
export async function verifyAssertion(
  { team, audience, roles }: AccessSettings,
  assertion: string,
): Promise<Result<SignedIn, AccessRefusal>> {
  try {
    const { payload } = await jwtVerify(assertion, findKeys(team), {
      algorithms: ["RS256"],
      issuer: team,
      audience,
      requiredClaims: ["exp"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const parsed = claims.safeParse(payload);
    if (!parsed.success) return err({ kind: "not-valid", reason: "names nobody" });
    const { data } = parsed;
    const [kind, name] =
      "common_name" in data ? (["client", data.common_name] as const) : (["email", data.email] as const);
    const { groups, custom } = groupClaims.parse(payload);
    const bearers = [...groups, ...custom.groups].map((group) => bearerName("group", group));
    const role = roleAmong(roles, [bearerName(kind, name), ...bearers]);
    return role === null ? err({ kind: "no-role" }) : ok({ name, role });
  } catch (error) {
    if (error instanceof KeySetError) return err({ kind: "key-set", cause: error.cause });
    return err({ kind: "not-valid", reason: error instanceof errors.JOSEError ? error.code : "malformed" });
  }
}

/** The shortest time between a read that failed and the next one. */
const KEYS_AGAIN_AFTER = 30 * SECOND;

const keySets = new BoundedMap<string, JWTVerifyGetKey>(4);

function findKeys(team: string): JWTVerifyGetKey {
  let keys = keySets.get(team);
  if (keys === undefined) keySets.set(team, (keys = readKeys(team)));
  return keys;
}

/**
 * jose waits for five seconds, and reads the keys again after ten minutes, or for an unknown key after 30 seconds. So a
 * stranger's made-up key costs nothing. A read that fails refuses only keys that no read has found: a stranger can cause
 * a read, and must not sign anybody out.
 */
function readKeys(team: string): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(new URL("/cdn-cgi/access/certs", team));
  let failed: { at: EpochMs; error: unknown } | null = null;
  return async (header, token) => {
    // After a failed read, assertions wait before the next one.
    if (failed === null || Date.now() - failed.at >= KEYS_AGAIN_AFTER) {
      try {
        const key = await remote(header, token);
        failed = null;
        return key;
      } catch (error) {
        // The fault is in the assertion: it names no key, or one that the team does not have.
        if (isUnknownKey(error)) throw error;
        failed = { at: Date.now(), error };
      }
    }
    return knownKey(remote.jwks(), failed.error, header, token);
  };
}

/**
 * @param known the keys of the last read; undefined: none succeeded
 * @param cause why the keys could not be read
 */
async function knownKey(
  known: JSONWebKeySet | undefined,
  cause: unknown,
  ...assertion: Parameters<JWTVerifyGetKey>
): Promise<CryptoKey> {
  try {
    if (known !== undefined) return await createLocalJWKSet(known)(...assertion);
  } catch (error) {
    if (!isUnknownKey(error)) throw error;
  }
  throw new KeySetError("the team's keys could not be read", { cause });
}

function isUnknownKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
}

class KeySetError extends Error {}
