/**
 * Cloudflare Access in front of `/operator`: it signs people in and adds an assertion to each of their requests.
 * https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/
 */
import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import * as z from "zod";
import { BoundedMap } from "../../bounds/bounded-map.ts";
import { err, ok, type Result } from "../../outcomes/result.ts";
import { SECOND } from "../../time/units.ts";

/** The header that holds the assertion, a JSON Web Token. */
export const ASSERTION_HEADER = "Cf-Access-Jwt-Assertion";

export interface AccessSettings {
  /** The team's address, which is the assertions' issuer. */
  team: string;
  /** The AUD tag of the Access application. */
  audience: string;
}

const TEAM = /^https:\/\/[a-z0-9-]+\.cloudflareaccess\.com$/;
/** A key set on the developer's machine. */
const LOCAL_TEAM = /^http:\/\/localhost:\d{1,5}$/;
const AUDIENCE = /^[0-9a-f]{64}$/;

/**
 * Reads ACCESS_TEAM and ACCESS_AUDIENCE; null if neither is set.
 *
 * @param local whether the gateway is called on its own machine: only then may the team be there too
 */
export function readAccess(
  team: string | undefined,
  audience: string | undefined,
  local: boolean,
): Result<AccessSettings | null, string> {
  const [givenTeam, givenAudience] = [(team ?? "").trim(), (audience ?? "").trim()];
  if (givenTeam === "" && givenAudience === "") return ok(null);
  if (givenTeam === "") return err("ACCESS_TEAM is missing: ACCESS_AUDIENCE is set. Set both, or neither.");
  if (givenAudience === "") return err("ACCESS_AUDIENCE is missing: ACCESS_TEAM is set. Set both, or neither.");
  if (!TEAM.test(givenTeam) && !(local && LOCAL_TEAM.test(givenTeam))) {
    return err("ACCESS_TEAM must be the team's address: https://NAME.cloudflareaccess.com, without a path.");
  }
  if (!AUDIENCE.test(givenAudience)) {
    return err("ACCESS_AUDIENCE must be the application's AUD tag: 64 hexadecimal characters in lower case.");
  }
  return ok({ team: givenTeam, audience: givenAudience });
}

/** `key-set`: the team's keys cannot be read, so nothing is known of the assertion. The others: it is not valid here. */
export type AccessRefusal = { kind: "key-set"; cause: unknown } | { kind: "not-valid"; reason: string };

/** Clocks of two machines differ. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** Control characters, spaces and colons: an actor with a colon is no operator in the audit log. */
const NAME = /^[^\p{C}\s:]{1,200}$/u;

/** A person has an email address; a service token has only its client ID. `exp` is a number: jose checks it. */
const claims = z.union([
  z.object({ email: z.string().regex(NAME).regex(/.@./u) }),
  z.object({ email: z.literal("").optional(), common_name: z.string().regex(NAME) }),
]);

/**
 * Verifies an assertion: signature by a key of the team, RS256 and nothing else, issuer, audience, expiry.
 *
 * @returns who it stands for: an email address, or a service token's client ID
 */
export async function verifyAssertion(
  { team, audience }: AccessSettings,
  assertion: string,
): Promise<Result<string, AccessRefusal>> {
  try {
    const { payload } = await jwtVerify(assertion, keysOf(team), {
      algorithms: ["RS256"],
      issuer: team,
      audience,
      requiredClaims: ["exp"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    const parsed = claims.safeParse(payload);
    if (!parsed.success) return err({ kind: "not-valid", reason: "names nobody" });
    return ok("common_name" in parsed.data ? parsed.data.common_name : parsed.data.email);
  } catch (error) {
    if (error instanceof KeySetError) return err({ kind: "key-set", cause: error.cause });
    return err({ kind: "not-valid", reason: error instanceof errors.JOSEError ? error.code : "malformed" });
  }
}

/** How long the keys are used before they are read again. Access changes them every six weeks. */
const KEYS_LIVE = 600 * SECOND;
/** The shortest time between two reads for keys that the set does not have: a stranger's made-up key costs nothing. */
const KEYS_AGAIN_AFTER = 30 * SECOND;
const KEYS_WITHIN = 5 * SECOND;

/** The keys that this isolate has read, by team. */
const keySets = new BoundedMap<string, JWTVerifyGetKey>(4);

function keysOf(team: string): JWTVerifyGetKey {
  let keys = keySets.get(team);
  if (keys === undefined) keySets.set(team, (keys = readKeys(team)));
  return keys;
}

function readKeys(team: string): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(new URL("/cdn-cgi/access/certs", team), {
    timeoutDuration: KEYS_WITHIN,
    cooldownDuration: KEYS_AGAIN_AFTER,
    cacheMaxAge: KEYS_LIVE,
  });
  let failed: { at: number; error: unknown } | null = null;
  return async (header, token) => {
    // A set that cannot be read is not read again for every assertion.
    if (failed !== null && Date.now() - failed.at < KEYS_AGAIN_AFTER) {
      throw new KeySetError("the team's keys could not be read lately", { cause: failed.error });
    }
    try {
      const key = await remote(header, token);
      failed = null;
      return key;
    } catch (error) {
      // The assertion's own fault: it names a key that the team does not have, or none.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      failed = { at: Date.now(), error };
      throw new KeySetError("the team's keys could not be read", { cause: error });
    }
  };
}

class KeySetError extends Error {}
