/**
 * A Worker whose objects are as far away as another data centre: a delay before each of its calls reaches one, before the
 * answer comes back, and in both directions of a waiting socket. A terminal's socket has none: the terminal delays itself.
 */

/** From the Worker to an object and back, in milliseconds. */
export const OBJECT_DISTANCE = 30;

type Calls = Record<string, (...given: unknown[]) => unknown>;
type Fetched = Parameters<DurableObjectStub["fetch"]>;
type Namespace = Pick<DurableObjectNamespace, "getByName">;

const far = new WeakMap<object, object>();

/** The same environment with its objects far away. */
export function distant<Environment extends { TERMINAL: Namespace; ACCOUNT: Namespace }>(
  env: Environment,
): Environment {
  const known = far.get(env) as Environment | undefined;
  if (known !== undefined) return known;
  const made = { ...env, TERMINAL: farNamespace(env.TERMINAL), ACCOUNT: farNamespace(env.ACCOUNT) };
  far.set(env, made);
  return made;
}

function farNamespace(namespace: Namespace): Namespace {
  return { getByName: (name, options) => farStub(namespace.getByName(name, options)) };
}

function farStub(stub: DurableObjectStub): DurableObjectStub {
  return new Proxy(stub, {
    get:
      (_stub, name) =>
      async (...given: unknown[]) => {
        if (name === "fetch" && isOfTerminal(given as Fetched)) return stub.fetch(...(given as Fetched));
        await travel();
        const answer = await (stub as unknown as Calls)[String(name)]?.(...given);
        const arrived = answer instanceof Response ? farResponse(answer) : answer;
        await travel();
        return arrived;
      },
  });
}

function isOfTerminal([input, init]: Fetched): boolean {
  return new Request(input, init).headers.has("Sec-WebSocket-Protocol");
}

function travel(): Promise<void> {
  return scheduler.wait(OBJECT_DISTANCE / 2);
}

function farResponse(response: Response): Response {
  if (response.webSocket === null) return response;
  const { 0: near, 1: middle } = new WebSocketPair();
  carry(response.webSocket, middle);
  carry(middle, response.webSocket);
  return new Response(null, { status: 101, webSocket: near, headers: new Headers(response.headers) });
}

function carry(from: WebSocket, to: WebSocket): void {
  from.addEventListener("message", ({ data }) => later(() => to.send(data)));
  from.addEventListener("close", ({ code }) => later(() => to.close(code)));
  from.accept();
}

function later(act: () => void): void {
  setTimeout(act, OBJECT_DISTANCE / 2);
}
