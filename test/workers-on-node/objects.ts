/** Durable Objects on Node, for `npm run path`: each runs until the process ends, and is called through stubs that copy. */
import { MemoryStorage } from "../support/memory-storage.ts";
import type { MemorySocket } from "./sockets.ts";

/** An object, by its calls. */
type Calls = Record<string, (...given: unknown[]) => unknown>;

export type ObjectClass = new (context: DurableObjectState, env: Env) => object;

/** What an object gets of the platform: as much of `DurableObjectState` as is used. */
class Context {
  readonly id: { name: string };
  readonly storage = new MemoryStorage();
  readonly #sockets: { socket: MemorySocket; tags: readonly string[] }[] = [];
  readonly #object: () => Calls;

  constructor(name: string, object: () => Calls) {
    this.id = { name };
    this.#object = object;
  }

  waitUntil(work: Promise<unknown>): void {
    void work.catch(() => undefined);
  }

  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  acceptWebSocket(socket: MemorySocket, tags: readonly string[] = []): void {
    socket.belongTo({
      message: (text) => void this.#object()["webSocketMessage"]?.(socket, text),
      close: ({ code, reason }) => void this.#object()["webSocketClose"]?.(socket, code, reason, true),
    });
    this.#sockets.push({ socket, tags });
  }

  getWebSockets(tag?: string): MemorySocket[] {
    return this.#sockets
      .filter(({ socket, tags }) => socket.readyState !== WebSocket.CLOSED && (tag === undefined || tags.includes(tag)))
      .map(({ socket }) => socket);
  }

  /** Nobody sends a heartbeat. */
  setWebSocketAutoResponse(): void {}

  getWebSocketAutoResponseTimestamp(): Date | null {
    return null;
  }
}

const objects = new Map<string, Calls>();

/** @param load the class of its objects, once the Worker is loaded: its files import these */
export function namespace(load: () => Promise<ObjectClass>, env: Env): { getByName: (name: string) => object } {
  return { getByName: (name) => stubOf(async () => objectNamed(await load(), name, env)) };
}

function objectNamed(Class: ObjectClass, name: string, env: Env): Calls {
  const key = `${Class.name} ${name}`;
  const context = new Context(name, () => object);
  const object = objects.get(key) ?? (new Class(context as unknown as DurableObjectState, env) as Calls);
  objects.set(key, object);
  return object;
}

function stubOf(object: () => Promise<Calls>): object {
  const call = async (name: string, given: unknown[]): Promise<unknown> => (await object())[name]?.(...given);
  return new Proxy(
    {},
    {
      get(_target, member) {
        // A stub is no promise.
        if (typeof member === "symbol" || member === "then") return undefined;
        if (member === "fetch") {
          return (input: string, init?: RequestInit) => call("fetch", [new Request(input, init)]);
        }
        return async (...given: unknown[]) => structuredClone(await call(member, structuredClone(given)));
      },
    },
  );
}
