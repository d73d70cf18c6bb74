/** A terminal's token, and what the machine's clock means for it. */
import { describe, it } from "vitest";
import { TERMINAL_TOKEN_MARGIN } from "../../../src/client/limits.ts";
import { TerminalSession } from "../../../src/client/terminal/session.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";

const MINUTE = 60_000;
const LIFE = 5 * MINUTE;

/** Two machines whose clocks differ, and what the gateway was sent. */
function machine({ isAheadBy = 0, expiresAt }: { isAheadBy?: number; expiresAt?: string } = {}) {
  const gateway = { now: Date.UTC(2026, 0, 1) };
  const logins: string[] = [];
  const session = new TerminalSession(
    { address: "https://gateway.test", terminalId: "T-1", secret: "a secret" },
    async (request) => {
      const { datetime }: { datetime: string } = await request.json();
      logins.push(datetime);
      if (datetime !== formatDatetime(gateway.now)) {
        return Response.json({ message: "too far off", serverTime: gateway.now }, { status: 400 });
      }
      const ends = expiresAt ?? new Date(gateway.now + LIFE).toISOString();
      return Response.json({ token: `token-${logins.length}`, expiresAt: ends });
    },
    () => gateway.now + isAheadBy,
  );
  const token = async (): Promise<string> => {
    const got = await session.token();
    if (!got.ok) throw new Error(JSON.stringify(got.error));
    return got.value;
  };
  return { gateway, logins, session, token };
}

describe("a terminal's token", () => {
  it.for([0, 26 * 60 * MINUTE, -26 * 60 * MINUTE])(
    "is used until shortly before it expires by the gateway's clock, of which the machine's is %i ms ahead",
    async (isAheadBy, { expect }) => {
      const { gateway, logins, token } = machine({ isAheadBy });
      const first = await token();
      const tries = isAheadBy === 0 ? 1 : 2;
      expect(logins).toHaveLength(tries);
      gateway.now += LIFE - TERMINAL_TOKEN_MARGIN - 1;
      expect(await token()).toBe(first);
      gateway.now += 1;
      expect(await token()).not.toBe(first);
      // The gateway's time is known by now.
      expect(logins).toHaveLength(tries + 1);
    },
  );

  it("is used once if its end cannot be read, or after it was dropped", async ({ expect }) => {
    const { session, token } = machine();
    const first = await token();
    session.dropToken();
    expect(await token()).not.toBe(first);
    const unreadable = machine({ expiresAt: "soon" });
    expect(await unreadable.token()).not.toBe(await unreadable.token());
  });
});
