/** A POS of the POS client at the real gateway, over a connection that can be made to fail. */
import { afterEach } from "vitest";
import { PosClient, newReferenceId } from "../../../../../src/sdk/client/pos.ts";
import type { PosClientOptions, SaleRequest } from "../../../../../src/sdk/client/pos.ts";
import type {
  SimulatedTerminal,
  SimulatedTerminalOptions,
} from "../../../../../src/sdk/simulator/simulated-terminal.ts";
import { BASE_URL, boundPair } from "../../../../support/gateway.ts";
import type { Account, EnrolledTerminal } from "../../../../support/gateway.ts";
import { connectedTerminal, frontDoor } from "../../../../support/simulated-terminal.ts";

/** What happens to one request on its way. All others pass. */
export type Fate = (request: Request, pass: () => Promise<Response>) => Promise<Response>;

export const LOST: Fate = async () => {
  throw new TypeError("connection refused");
};

export const ANSWER_LOST: Fate = async (_, pass) => {
  await pass();
  throw new TypeError("connection reset");
};

export function streamOf(body: BodyInit): Response {
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** The connection breaks after this stage. */
export function cutAfter(stage: string): Fate {
  return cut(stage, (controller) => controller.error(new TypeError("connection reset")));
}

/** A proxy ends the stream properly after this stage. */
export function endedAfter(stage: string): Fate {
  return cut(stage, (controller) => controller.close());
}

function cut(stage: string, how: (controller: ReadableStreamDefaultController<string>) => void): Fate {
  return async (_, pass) => {
    const response = await pass();
    if (response.body === null) throw new Error("no stream");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const body = new ReadableStream<string>({
      // Called after the previous text was read: an error would discard unread text.
      pull: async (controller) => {
        if (isCut) return how(controller);
        const { value = "" } = await reader.read();
        const at = value.indexOf(`"${stage}"`);
        isCut = at >= 0;
        controller.enqueue(isCut ? value.slice(0, value.indexOf("\n\n", at) + 2) : value);
        if (isCut) await reader.cancel();
      },
    });
    let isCut = false;
    return streamOf(body.pipeThrough(new TextEncoderStream()));
  };
}

export function answered(status: number, headers: Record<string, string> = {}): Fate {
  return async () => Response.json({ code: status * 100, message: "no", traceId: "T" }, { status, headers });
}

/** A POS whose wire a test can break. */
export class ScenePos {
  readonly account: Account;
  readonly terminal: EnrolledTerminal;
  readonly client: PosClient;
  readonly sent: {
    path: string;
    body: Record<string, unknown> | null;
    prefer: string | null;
    accept: string | null;
  }[] = [];
  readonly #fates: { path: string; fate: Fate }[] = [];

  constructor(account: Account, terminal: EnrolledTerminal, overrides: Partial<PosClientOptions> = {}) {
    this.account = account;
    this.terminal = terminal;
    const { posId, password, merchantId, signingKey } = account;
    this.client = new PosClient({
      baseUrl: BASE_URL,
      posId,
      password,
      merchantId,
      signingKey,
      fetch: (request) => this.#fetch(request),
      ...overrides,
    });
  }

  static async create(overrides: Partial<PosClientOptions> = {}): Promise<ScenePos> {
    // Tokens end at midnight, which these tests avoid: in one of the two time zones, midnight is ten hours away.
    const timezone = new Date().getUTCHours() < 12 ? "Etc/UTC" : "Pacific/Honolulu";
    const { account, terminal } = await boundPair({ timezone });
    return new ScenePos(account, terminal, overrides);
  }

  /** What happens to the next requests to `path`, one each. */
  onTheWayTo(path: string, ...fates: Fate[]): void {
    this.#fates.push(...fates.map((fate) => ({ path, fate })));
  }

  paths(): string[] {
    return this.sent.map(({ path }) => path);
  }

  bodies(path: string): Record<string, unknown>[] {
    return this.sent.flatMap((one) => (one.path === path && one.body !== null ? [one.body] : []));
  }

  sale(overrides: Partial<Omit<SaleRequest, "paymentMethod">> = {}): SaleRequest {
    const deviceId = this.terminal.terminalId;
    return { deviceId, referenceId: newReferenceId(), transAmt: "12.50", paymentMethod: "bankCard", ...overrides };
  }

  async #fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const text = await request.clone().text();
    const prefer = request.headers.get("Prefer");
    const accept = request.headers.get("Accept");
    this.sent.push({ path: pathname, body: text === "" ? null : JSON.parse(text), prefer, accept });
    const index = this.#fates.findIndex(({ path }) => path === pathname);
    const [next] = index < 0 ? [] : this.#fates.splice(index, 1);
    const pass = (): Promise<Response> => frontDoor(request);
    return next === undefined ? pass() : next.fate(request, pass);
  }
}

export async function diskFull(): Promise<never> {
  throw new Error("the disk is full");
}

const terminals: SimulatedTerminal[] = [];

/** Stops what `connect` has connected after each test of the file. */
export function stopTerminals(): void {
  afterEach(async () => {
    await Promise.all(terminals.splice(0).map((terminal) => terminal.stop()));
  });
}

/** A customer who takes longer than any POS waits. */
export const SLOW: Partial<SimulatedTerminalOptions> = {
  behaviourOf: () => ({ kind: "slow", milliseconds: 60_000 }),
};

export async function connect(
  pos: ScenePos,
  options: Partial<SimulatedTerminalOptions> = {},
): Promise<SimulatedTerminal> {
  const terminal = await connectedTerminal(pos.terminal, options);
  terminals.push(terminal);
  return terminal;
}
