/** I6: what is stored and what is logged, after everything that has a secret has been done once. */
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { call, createAccount, enrolTerminal, login, loginTerminal, operator, type Tokens } from "../support/gateway.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

async function dump(): Promise<string> {
  const tables = await env.DATABASE.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const contents = await Promise.all(
    tables.results.map(({ name }) => env.DATABASE.prepare(`SELECT * FROM "${name}"`).all()),
  );
  return JSON.stringify(contents.map(({ results }) => results));
}

describe("passwords, tokens, keys and secrets", () => {
  it("are nowhere in D1 and nowhere in the log", async ({ expect }) => {
    const written: unknown[] = [];
    for (const method of ["log", "error", "warn", "info", "debug"] as const) {
      vi.spyOn(console, method).mockImplementation((...values) => void written.push(values));
    }
    const account = await createAccount();
    const terminal = await enrolTerminal();
    const first = await login(account);
    const second = (await call<Tokens>("POST", "/auth/refresh", { token: first.refresh.token })).body;
    const bindKeys = await Promise.all(
      [1, 2].map(() => call<{ key: string }>("GET", "/api/bind-terminal-key", { token: second.access.token })),
    );
    const [used, open] = bindKeys.map(({ body }) => body.key);
    const terminalToken = await loginTerminal(terminal);
    await call("POST", "/terminal/bind", { token: terminalToken, body: { key: used } });
    const path = `/operator/accounts/${account.posId}`;
    const rotated = (await operator<{ signingKey: string }>("POST", `${path}/signing-key`)).body.signingKey;
    const renewed = (await operator<{ secret: string }>("POST", `/operator/terminals/${terminal.terminalId}/secret`))
      .body;
    const password = "the account's second password";
    await operator("PATCH", path, { password });
    // And what fails: wrong passwords and forged tokens are secrets of somebody, too.
    await call("POST", "/auth/login", { body: { posId: account.posId, password: "a mistyped password" } });
    await call("GET", "/api/terminals", { token: "forged.token.here" });

    const secrets = {
      password: account.password,
      password2: password,
      mistyped: "a mistyped password",
      signingKey: account.signingKey,
      rotated,
      secret: terminal.secret,
      renewed: renewed.secret,
      access: first.access.token,
      refresh: first.refresh.token,
      access2: second.access.token,
      refresh2: second.refresh.token,
      terminalToken,
      used: used ?? "",
      open: open ?? "",
      forged: "forged.token.here",
      operator: "operator-token-of-the-test-run",
      masterKey: env.MASTER_KEYS.split(":")[1] ?? "",
    };
    const stored = await dump();
    const logged = JSON.stringify(written);
    expect(stored).toContain(account.posId);
    expect(logged).toContain(account.posId);
    for (const [name, value] of Object.entries(secrets)) {
      expect([name, value.length >= 8]).toEqual([name, true]);
      expect([name, stored.includes(value), logged.includes(value)]).toEqual([name, false, false]);
    }
  });
});
