/** The sockets of a terminal's object: which one is meant, and what a turn has done to them before and after it. */
import { describe, it } from "vitest";
import { Connections, type TerminalAttachment } from "../../../../src/gateway/terminal/connections.ts";

const ATTACHMENT: TerminalAttachment = {
  v: 1,
  role: "terminal",
  number: 1,
  nonce: "n",
  secretVersion: 1,
  openedAt: 0,
  saidHello: true,
  closed: false,
  badFrames: 0,
  origin: "https://gateway.test",
  allowance: { frames: 0, at: 0 },
  takeovers: [],
  roundTrip: 0,
  heardAt: 10,
  probedAt: null,
  pingedAt: null,
};

/** A socket as the platform has it. */
class PlayedSocket {
  readyState: number = WebSocket.OPEN;
  readonly did: unknown[] = [];
  stored: string;

  constructor(attachment: object) {
    this.stored = JSON.stringify(attachment);
  }

  send(text: string): void {
    this.did.push(text);
  }

  close(code: number): void {
    this.did.push(code);
  }

  serializeAttachment(attachment: object): void {
    this.stored = JSON.stringify(attachment);
  }

  deserializeAttachment(): unknown {
    return JSON.parse(this.stored);
  }
}

/** An object that has these sockets, and one that it has just accepted. */
function opened(...attachments: Partial<TerminalAttachment>[]) {
  const sockets = attachments.map((members) => new PlayedSocket({ ...ATTACHMENT, ...members }));
  const tagged = new Map<PlayedSocket, string[]>(sockets.map((socket) => [socket, ["terminal"]]));
  const heartbeats = new Map<PlayedSocket, number>();
  const context = {
    setWebSocketAutoResponse: () => undefined,
    getWebSockets: (tag: string) => [...tagged].filter(([, tags]) => tags.includes(tag)).map(([socket]) => socket),
    acceptWebSocket: (socket: PlayedSocket, tags: string[]) => tagged.set(socket, tags),
    getWebSocketAutoResponseTimestamp: (socket: PlayedSocket) => {
      const at = heartbeats.get(socket);
      return at === undefined ? null : new Date(at);
    },
  };
  const connections = new Connections(context as unknown as DurableObjectState);
  return { connections, heartbeats, sockets: sockets as (PlayedSocket & WebSocket)[] };
}

describe("the sockets of a terminal's object", () => {
  it("are distinct by their number, whichever was looked up before", ({ expect }) => {
    const { connections, sockets } = opened({ number: 1, heardAt: 11 }, { number: 2, heardAt: 12 });
    const [first, second] = sockets;
    expect([1, 2, 1, 2, 2, 3, 1].map((number) => connections.byNumber(number))).toEqual([
      first,
      second,
      first,
      second,
      second,
      null,
      first,
    ]);
    expect([1, 2, 3].map((number) => connections.keptOn(number)?.heardAt ?? null)).toEqual([11, 12, null]);
    expect([1, 2, 3].map((number) => connections.lastHeardOn(number))).toEqual([11, 12, null]);
  });

  it("are not found after their end, but their data is", ({ expect }) => {
    const { connections, sockets } = opened({ number: 1 }, { number: 2, closed: true, heardAt: 12 });
    const [first] = sockets;
    if (first === undefined) throw new Error("there are two");
    expect([connections.byNumber(1), connections.byNumber(2)]).toEqual([first, null]);
    expect(connections.byNumber(1)).toBe(first);
    first.readyState = WebSocket.CLOSED;
    expect([connections.byNumber(1), connections.anyOpen]).toEqual([null, false]);
    expect([connections.keptOn(1)?.number, connections.keptOn(2)?.number]).toEqual([1, 2]);
    expect([connections.lastHeardOn(1), connections.lastHeardOn(2)]).toEqual([10, 12]);
  });

  it("are active as of their latest frame or heartbeat", ({ expect }) => {
    const { connections, heartbeats, sockets } = opened({ heardAt: 10 });
    const [only] = sockets;
    if (only === undefined) throw new Error("there is one");
    expect([connections.isHeardSince(9), connections.isHeardSince(10)]).toEqual([true, false]);
    heartbeats.set(only, 20);
    expect([connections.lastHeard(only), connections.isHeardSince(19), connections.isHeardSince(20)]).toEqual([
      20,
      true,
      false,
    ]);
    heartbeats.set(only, 5);
    expect(connections.lastHeard(only)).toBe(10);
  });

  it("are closed by a later hello if they are earlier", ({ expect }) => {
    const { connections, sockets } = opened({ number: 1 }, { number: 2, saidHello: false }, { number: 3 });
    expect(connections.silent().map(({ attachment }) => attachment.number)).toEqual([2]);
    connections.closeEarlierThan(3);
    connections.commit();
    expect(sockets.map(({ did }) => did)).toEqual([[4001], [4001], []]);
    expect(connections.terminals().map(({ attachment }) => attachment.number)).toEqual([3]);
    expect(sockets.map((socket) => (socket.deserializeAttachment() as TerminalAttachment).closed)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("are sent nothing of a failed turn, and everything otherwise", ({ expect }) => {
    for (const isWritten of [false, true]) {
      const { connections, sockets } = opened({ number: 1 });
      const [first] = sockets;
      if (first === undefined) throw new Error("there is one");
      const next = new PlayedSocket({}) as PlayedSocket & WebSocket;
      connections.acceptTerminal(next, { ...ATTACHMENT, number: 2 });
      connections.send(first, { type: "ready" });
      connections.close(first, 4001, "");
      connections.sendText(first, "late");
      expect([first.did, next.did, connections.anyOpen, connections.isHeardSince(99)]).toEqual([[], [], true, true]);
      if (isWritten) connections.commit();
      connections.forget();
      expect(first.did).toEqual(isWritten ? ['{"type":"ready"}', 4001, "late"] : []);
      expect(first.deserializeAttachment()).toMatchObject({ closed: isWritten });
      expect(connections.terminals().map(({ attachment }) => attachment.number)).toEqual([isWritten ? 2 : 1]);
      expect(connections.isHeardSince(99)).toBe(false);
      // Nothing of it is left for the next turn.
      const { stored } = first;
      connections.commit();
      expect([first.did.length, first.stored]).toEqual([isWritten ? 3 : 0, stored]);
      expect(connections.terminals()).toHaveLength(1);
    }
  });

  it("are pinged outside turns, and link errors to their explanation", ({ expect }) => {
    const { connections, sockets } = opened({});
    const [only] = sockets;
    if (only === undefined) throw new Error("there is one");
    connections.prewarm(only, 99);
    expect([only.did, only.deserializeAttachment()]).toMatchObject([["ping"], { pingedAt: 99 }]);
    connections.sendError(only, "bad_frame", "This is no frame.", 7);
    connections.commit();
    const doc = expect.stringMatching(/^https:\/\/gateway\.test\/.*bad_frame/u) as string;
    const error = { type: "error", code: "bad_frame", message: "This is no frame.", doc, requestId: "7" };
    expect(JSON.parse(String(only.did[1]))).toEqual(error);
  });

  it("wait for one request each, and only some for its stages", ({ expect }) => {
    const { connections } = opened();
    const [one, other, watching] = [1, 2, 3].map(() => new PlayedSocket({}) as PlayedSocket & WebSocket);
    if (one === undefined || other === undefined || watching === undefined) throw new Error("there are three");
    connections.acceptWaiter(one, 7, { stages: false });
    connections.acceptWaiter(other, 8, { stages: false });
    connections.acceptWaiter(watching, 7, { stages: true });
    connections.commit();
    expect([connections.waiters(7), connections.watchers(7)]).toEqual([[one, watching], [watching]]);
    expect([connections.waiters(8), connections.watchers(8), connections.anyOpen]).toEqual([[other], [], false]);
    one.readyState = WebSocket.CLOSING;
    expect(connections.waiters(7)).toEqual([watching]);
  });
});
