/** Durable Objects on Node: they sleep, are reset, keep rows and an alarm, and are called through stubs that copy. */
import { setImmediate as turnOver } from "node:timers/promises";
import { Kept, MemoryStorage } from "../support/memory-storage.ts";
import type { MemorySocket, Owner } from "./sockets.ts";

/** An object, by its calls. */
type Calls = Record<string, (...given: unknown[]) => unknown>;

type ObjectClass = new (context: DurableObjectState, env: Env) => object;

/** The classes of the objects, by name. Registered later than the namespaces are made: their files import these. */
const classes = new Map<string, ObjectClass>();

export function registerClass(name: string, of: ObjectClass): void {
  classes.set(name, of);
}

interface Accepted {
  socket: MemorySocket;
  tags: readonly string[];
}

/** What an instance gets of its object: as much of `DurableObjectState` as is used. */
class Context {
  readonly id: { name: string };
  readonly storage: MemoryStorage;
  readonly #sockets: Accepted[];
  readonly #owner: Owner;
  readonly pending = new Set<Promise<unknown>>();
  ready: Promise<unknown> = Promise.resolve();

  constructor(name: string, storage: MemoryStorage, sockets: Accepted[], owner: Owner) {
    this.id = { name };
    this.storage = storage;
    this.#sockets = sockets;
    this.#owner = owner;
  }

  waitUntil(work: Promise<unknown>): void {
    const completed = work.then(
      () => undefined,
      () => undefined,
    );
    this.pending.add(completed);
    void completed.then(() => this.pending.delete(completed));
  }

  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    this.ready = done;
    return done;
  }

  acceptWebSocket(socket: MemorySocket, tags: readonly string[] = []): void {
    socket.belongTo(this.#owner);
    this.#sockets.push({ socket, tags });
  }

  getWebSockets(tag?: string): MemorySocket[] {
    return this.#sockets
      .filter(({ socket, tags }) => socket.readyState !== WebSocket.CLOSED && (tag === undefined || tags.includes(tag)))
      .map(({ socket }) => socket);
  }

  setWebSocketAutoResponse(pair: WebSocketRequestResponsePair): void {
    this.#owner.answers(pair);
  }

  getWebSocketAutoResponseTimestamp({ answeredAt }: MemorySocket): Date | null {
    return answeredAt;
  }
}

interface Instance {
  context: Context;
  object: Calls;
  /** Rejects when the instance is reset. */
  gone: Promise<never>;
  end: (error: Error) => void;
}

class MemoryObject {
  readonly #of: string;
  readonly #name: string;
  readonly #env: Env;
  readonly kept = new Kept();
  #autoResponse: WebSocketRequestResponsePair | null = null;
  #sockets: Accepted[] = [];
  #instance: Instance | null = null;

  constructor(of: string, name: string, env: Env) {
    this.#of = of;
    this.#name = name;
    this.#env = env;
  }

  async running(): Promise<Instance> {
    this.#instance ??= this.#start();
    const instance = this.#instance;
    await instance.context.ready;
    return instance;
  }

  #start(): Instance {
    const Class = classes.get(this.#of);
    if (Class === undefined) throw new Error(`no class ${this.#of}`);
    const context = new Context(this.#name, new MemoryStorage(this.kept), this.#sockets, {
      answers: (pair) => (this.#autoResponse = pair),
      // What is answered does not wake the object.
      message: (socket, text) =>
        text === this.#autoResponse?.request
          ? socket.answer(this.#autoResponse.response)
          : void this.call("webSocketMessage", [socket, text]),
      close: (socket, { code, reason }) => void this.call("webSocketClose", [socket, code, reason, true]),
    });
    const object = new Class(context as unknown as DurableObjectState, { ...this.#env }) as Calls;
    const { promise: gone, reject: end } = Promise.withResolvers<never>();
    gone.catch(() => undefined);
    return { context, object, gone, end };
  }

  /** Within the object: nothing is copied. */
  async call(name: string, given: readonly unknown[]): Promise<unknown> {
    const { object, gone } = await this.running();
    const call = object[name];
    if (call === undefined) throw new TypeError(`${this.#of} has no ${name}`);
    return Promise.race([call.apply(object, [...given]), gone]);
  }

  /** The alarm fires. @returns false if none was set */
  async ring(): Promise<boolean> {
    await this.running();
    if (this.kept.alarm === null) return false;
    this.kept.alarm = null;
    await this.call("alarm", []);
    // The platform's call takes longer than what an object starts and does not have to wait for.
    await turnOver();
    return true;
  }

  /** Its instance is gone, and so are the sockets. */
  abort(): void {
    for (const { socket } of this.#sockets) socket.break();
    this.#sockets = [];
    this.#end();
  }

  /** Falls asleep, once nothing keeps it awake. */
  async evict(): Promise<void> {
    const { context } = await this.running();
    await Promise.all(context.pending);
    this.#end();
  }

  #end(): void {
    this.#instance?.context.storage.close();
    this.#instance?.end(new Error("the object was reset"));
    this.#instance = null;
  }
}

const OBJECT = Symbol("object");

export function objectOf(stub: unknown): MemoryObject {
  return (stub as Record<typeof OBJECT, MemoryObject>)[OBJECT];
}

const objects = new Map<string, MemoryObject>();

export function everyObject(): Iterable<MemoryObject> {
  return objects.values();
}

export function forgetObjects(): void {
  for (const object of objects.values()) object.abort();
  objects.clear();
}

/** @param of the class of its objects */
export function namespace(of: string, env: Env): { getByName: (name: string) => object } {
  return { getByName: (name) => stubOf(() => objectNamed(of, name, env)) };
}

function objectNamed(of: string, name: string, env: Env): MemoryObject {
  const key = `${of} ${name}`;
  const object = objects.get(key) ?? new MemoryObject(of, name, env);
  objects.set(key, object);
  return object;
}

function stubOf(object: () => MemoryObject): object {
  return new Proxy(
    {},
    {
      get(_target, member) {
        if (member === OBJECT) return object();
        // A stub is no promise.
        if (typeof member === "symbol" || member === "then") return undefined;
        if (member === "fetch")
          return (input: string, init?: RequestInit) => fetchFrom(object(), new Request(input, init));
        return async (...given: unknown[]) => structuredClone(await object().call(member, structuredClone(given)));
      },
    },
  );
}

async function fetchFrom(object: MemoryObject, request: Request): Promise<Response> {
  return (await object.call("fetch", [request])) as Response;
}
