/** The gateway with another environment than the test run's: other secrets, failing or busy objects. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/gateway/http/app.ts";
import type { AccountStub } from "../../src/gateway/account/rpc.ts";
import type { TerminalStub } from "../../src/gateway/terminal/rpc.ts";
import { judge } from "./contract.ts";
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
  const body = (text === "" ? {} : JSON.parse(text)) as Body;
  const { status, headers } = response;
  judge({ method, path, status, headers, body: text === "" ? undefined : body, sent: options.body });
  return { status, headers, body };
}

/**
 * The terminals' objects, some of whose calls are answered by the test: `calls` by terminalId. Every other call reaches
 * the real object.
 */
export function objectsWith(calls: Record<string, Partial<TerminalStub>>): unknown {
  return namespaceWith(env.TERMINAL, calls);
}

/** Does the same for the accounts' objects: `calls` by posId. */
export function accountsWith(calls: Record<string, Partial<AccountStub>>): unknown {
  return namespaceWith(env.ACCOUNT, calls);
}

function namespaceWith(namespace: object, calls: Record<string, object>): unknown {
  return new Proxy(namespace as { getByName: (name: string) => object }, {
    get(target, member) {
      if (member !== "getByName") return Reflect.get(target, member) as unknown;
      return (name: string) => {
        const stub = target.getByName(name);
        const replaced = calls[name] ?? calls["*"];
        if (replaced === undefined) return stub;
        return new Proxy(stub, {
          get: (own, call) => Reflect.get(call in replaced ? replaced : own, call) as unknown,
        });
      };
    },
  });
}

/** Every call of an object or of D1 fails. */
export const BROKEN = {
  prepare: () => {
    throw new Error("D1_ERROR: network connection lost");
  },
  getByName: () => {
    throw new Error("Network connection lost.");
  },
};

/** A database that gives no answer: each call is counted, and pending until `recover` makes it fail. */
export class HangingDatabase {
  readonly #gone = Promise.withResolvers<never>();
  calls = 0;

  constructor() {
    this.#gone.promise.catch(() => undefined);
  }

  recover(): void {
    this.#gone.reject(new Error("D1 is back, and this call is lost"));
  }

  prepare(): object {
    const hang = (): Promise<never> => {
      this.calls += 1;
      return this.#gone.promise;
    };
    const bound = { first: hang, all: hang, run: hang };
    return { ...bound, bind: () => bound };
  }

  batch(): Promise<never> {
    this.calls += 1;
    return this.#gone.promise;
  }
}
