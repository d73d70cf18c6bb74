/** A team of Cloudflare Access, played by the test: its keys, and the assertions that it signs. */
import { exportJWK, generateKeyPair, SignJWT, type JWTHeaderParameters, type JWTPayload } from "jose";
import { vi } from "vitest";

export interface Assertion extends JWTPayload {
  email?: string;
  common_name?: string;
}

/** How an assertion differs from a good one. */
export interface Changes {
  claims?: Assertion;
  header?: { kid?: string | undefined };
  /** The seconds until it expires; null if it never does. */
  expiresIn?: number | null;
}

let teams = 0;

/** One team, whose key set answers `fetch` until `vi.unstubAllGlobals()`. */
export class AccessTeam {
  readonly team = `https://team-${++teams}.cloudflareaccess.com`;
  readonly audience = "0123456789abcdef".repeat(4);
  /** How often the key set was read. */
  reads = 0;
  /** What reading it gives in place of the keys. */
  broken: (() => Response | Promise<Response>) | null = null;
  #keys: { kid: string; pair: CryptoKeyPair }[] = [];

  static async create(): Promise<AccessTeam> {
    const team = new AccessTeam();
    await team.rotate();
    return team;
  }

  /** The variables of a gateway behind this team, if no tokens are set. */
  get settings(): { ACCESS_TEAM: string; ACCESS_AUDIENCE: string; OPERATOR_TOKENS: string } {
    return { ACCESS_TEAM: this.team, ACCESS_AUDIENCE: this.audience, OPERATOR_TOKENS: "" };
  }

  /** Signs with a new key from now on. The set has the one before as well. */
  async rotate(): Promise<void> {
    const pair = await generateKeyPair("RS256", { extractable: true });
    this.#keys = [{ kid: crypto.randomUUID(), pair }, ...this.#keys.slice(0, 1)];
  }

  /** Takes part in every `fetch` of the gateway. */
  answerFetches(): void {
    vi.stubGlobal("fetch", async (input: RequestInfo | URL): Promise<Response> => {
      const url = String(input instanceof Request ? input.url : input);
      if (url !== `${this.team}/cdn-cgi/access/certs`) throw new TypeError(`nobody answers at ${url}`);
      this.reads += 1;
      if (this.broken !== null) return this.broken();
      const keys = this.#keys.map(async ({ kid, pair }) => ({
        ...(await exportJWK(pair.publicKey)),
        kid,
        alg: "RS256",
        use: "sig",
      }));
      return Response.json({ keys: await Promise.all(keys) });
    });
  }

  async assertion({ claims = {}, header = {}, expiresIn = 60 }: Changes = {}): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("the team has no key");
    const who = claims.email === undefined && claims.common_name === undefined ? { email: "anna@example.com" } : {};
    const now = Math.floor(Date.now() / 1000);
    const expiry = expiresIn === null ? {} : { exp: now + expiresIn };
    const payload = { aud: [this.audience], iss: this.team, iat: now, ...expiry, ...who, ...claims };
    return new SignJWT(payload)
      .setProtectedHeader({ typ: "JWT", alg: "RS256", kid: key.kid, ...header } as JWTHeaderParameters)
      .sign(key.pair.privateKey);
  }
}
