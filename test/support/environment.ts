/** The gateway with another environment than the test run's: other secrets, failing or busy objects. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/http/app.ts";
import type { TerminalManagement } from "../../src/terminal/calls.ts";
import { BASE_URL, type CallOptions, requestOf, type Answer } from "./gateway.ts";

/** Makes a request to a gateway whose environment differs in `changes`. */
export async function callWith<Body = Record<string, unknown>>(
  changes: Partial<Record<keyof Env, unknown>>,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer<Body>> {
  const context = createExecutionContext();
  const environment = { ...env, ...changes } as Env;
  const response = await app.fetch(requestOf(BASE_URL, method, path, options), environment, context);
  const text = await response.text();
  await waitOnExecutionContext(context);
  return { status: response.status, headers: response.headers, body: (text === "" ? {} : JSON.parse(text)) as Body };
}

/**
 * The terminals' objects, some of whose calls are answered by the test: `calls` by terminalId. Every other call reaches
 * the real object.
 */
export function objectsWith(calls: Record<string, Partial<TerminalManagement>>): unknown {
  return new Proxy(env.TERMINAL, {
    get(namespace, member) {
      if (member !== "getByName") return Reflect.get(namespace, member) as unknown;
      return (terminalId: string) => {
        const stub = namespace.getByName(terminalId);
        const replaced = calls[terminalId] ?? calls["*"];
        if (replaced === undefined) return stub;
        return new Proxy(stub, {
          get: (target, call) => Reflect.get(call in replaced ? replaced : target, call) as unknown,
        });
      };
    },
  });
}

/** The database, with something that happens just before the first statement that contains `text` is run. */
export function databaseWith(text: string, meanwhile: () => Promise<void>): unknown {
  let pending = true;
  return {
    prepare(sql: string) {
      const statement = env.DATABASE.prepare(sql);
      if (!sql.includes(text)) return statement;
      return {
        bind: (...values: unknown[]) => ({
          run: async () => {
            if (pending) await meanwhile();
            pending = false;
            return statement.bind(...values).run();
          },
        }),
      };
    },
  };
}
