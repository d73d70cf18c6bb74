/** The errors of a client for invalid options: at once, and all of them. */
import { afterEach, describe, it, vi } from "vitest";
import {
  type CallOptions,
  type CashOutRequest,
  type EventsOptions,
  PosClient,
  PosError,
  type SaleRequest,
  type TransactionFilters,
  type VoidRequest,
} from "../../../../src/sdk/client/pos.ts";
import { MemoryStore, TerminalClient, type TerminalResult } from "../../../../src/sdk/client/terminal.ts";

const POS = {
  baseUrl: "https://gateway.test",
  posId: "POS-1",
  password: "a-password",
  merchantId: "M-1",
  signingKey: "a-key",
};

const RESULT = { statusCode: "11", responseCode: "05" };

const TERMINAL = {
  baseUrl: "https://gateway.test",
  terminalId: "T-1",
  secret: "a-secret",
  softwareVersion: "1.0",
  terminalSn: "SN-1",
  store: new MemoryStore(),
  handler: { onRequest: async () => RESULT },
};

/** Options as a program without types may give them. */
type Loose = Record<string, unknown>;

function messageOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
  return "";
}

function pos(changes: Loose): string {
  return messageOf(() => new PosClient({ ...POS, ...changes }));
}

// The assertion: what the types forbid is what these tests are about.
function terminal(changes: Loose): string {
  return messageOf(() => new TerminalClient({ ...TERMINAL, ...changes } as never));
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a POS client", () => {
  it.for([
    [{ signingKey: "" }, "PosClient: signingKey is empty. Pass the account's signing key"],
    [{ signingKey: undefined }, "PosClient: signingKey is missing. "],
    [{ password: "" }, "PosClient: password is empty. Pass the account's password, or omit it to sign the login"],
    [{ password: 7 }, "PosClient: password is not a string. "],
    [{ password: undefined, signingKey: undefined }, "and no login without password"],
    [{ posId: "  " }, "PosClient: posId is empty. "],
    [{ merchantId: 7 }, "PosClient: merchantId is not a string. "],
    [{ baseUrl: undefined }, "PosClient: baseUrl is missing. Pass the gateway's address, a URL with https."],
    [{ baseUrl: "gateway.example.com" }, "PosClient: baseUrl is not a URL. Write https:// before the gateway's host."],
    [
      { baseUrl: "http://gateway.example.com" },
      "PosClient: baseUrl must be https. Plain http works only on this machine.",
    ],
    [{ baseUrl: "https://me:pass@gateway.example.com" }, "PosClient: baseUrl must not have a user name, password"],
    [
      { tokens: {} },
      "PosClient: tokens has no load() and no save(). Pass an object that stores a pair of tokens, or omit",
    ],
    [{ tokens: "session.json" }, "PosClient: tokens is missing. "],
    [{ fetch: "fetch" }, "PosClient: fetch is not a function. Pass a function like fetch, or omit it."],
    [
      { signingKey: "a-key\n" },
      "PosClient: signingKey has a line break. Remove it: a value read from a file often ends",
    ],
    [
      { signingkey: "a-key" },
      "PosClient: signingkey is not an option. Use baseUrl, posId, password, merchantId, signing",
    ],
    [{ now: 0 }, "PosClient: now is not a function. "],
  ] as [Loose, string][])("refuses %j when it is created", ([changes, text], { expect }) => {
    expect(pos(changes)).toContain(text);
  });

  it.for<[string, string]>([
    ["https://gateway.test", ""],
    ["https://gateway.test/base//", ""],
    ["http://localhost:8787", ""],
    ["http://[::1]:8787", ""],
    ["http://127.0.0.2", "must be https."],
    ["ws://localhost", "must be https."],
    ["https://me@gateway.test", "must not have a user name, password, query or fragment."],
    ["https://:pass@gateway.test", "must not have a user name, password, query or fragment."],
    ["https://gateway.test?a=b", "must not have a user name, password, query or fragment."],
    ["https://gateway.test#a", "must not have a user name, password, query or fragment."],
  ])("takes the address %s, or says what is wrong: %s", ([baseUrl, problem], { expect }) => {
    expect(pos({ baseUrl })).toContain(problem);
    if (problem === "") expect(pos({ baseUrl })).toBe("");
  });

  it("calls the paths below its address, which may end in slashes", async ({ expect }) => {
    const called: string[] = [];
    const fetch = async ({ url }: Request): Promise<Response> => {
      called.push(url);
      return Response.json({ code: 40300, message: "no", traceId: "a trace" }, { status: 403 });
    };
    for (const baseUrl of ["https://gateway.test/base//", "https://gateway.test"]) {
      await new PosClient({ ...POS, baseUrl, fetch }).login().catch(() => undefined);
    }
    expect(called).toEqual(["https://gateway.test/base/auth/login", "https://gateway.test/auth/login"]);
  });

  it.for([[undefined], [null], ["POS-1"]])(
    "refuses %j instead of options, and says what to pass",
    ([given], { expect }) => {
      expect(messageOf(() => new PosClient(given as never))).toMatch(
        /^PosClient: .*baseUrl.*posId.*merchantId.*signingKey/u,
      );
    },
  );

  it("reports all mistakes at once and repeats no value", ({ expect }) => {
    const said = pos({ baseUrl: "ftp://secret-host", posId: "", password: ["secret"] });
    expect(said.match(/\.(?= |$)/gu)).toHaveLength(6);
    expect(said).not.toContain("secret");
  });

  it("is created with valid options", ({ expect }) => {
    expect(pos({ password: undefined })).toBe("");
    expect([pos({}), pos({ baseUrl: "http://127.0.0.1:8787/" })]).toEqual(["", ""]);
    expect(pos({ tokens: { load: async () => null, save: async () => {} }, fetch: globalThis.fetch })).toBe("");
  });
});

describe("a terminal's client", () => {
  it.for([
    [{ secret: "" }, "TerminalClient: secret is empty. "],
    [{ terminalId: undefined }, "TerminalClient: terminalId is missing. "],
    [{ store: undefined }, "TerminalClient: store is missing. Pass a FileStore, an IndexedDbStore"],
    [{ store: "T-1.json" }, "TerminalClient: store is missing. "],
    [{ store: {} }, "TerminalClient: store has no load() and no save(). "],
    [{ handler: undefined }, "TerminalClient: handler is missing. "],
    [{ handler: { onRecover: () => null } }, "TerminalClient: handler has no onRequest(). "],
    [{ softwareVersion: "v".repeat(41) }, "TerminalClient: softwareVersion is too long. Pass at most 40 characters."],
    [{ terminalSn: "s".repeat(41) }, "TerminalClient: terminalSn is too long. Pass at most 40 characters."],
    [{ baseUrl: "gateway" }, "TerminalClient: baseUrl is not a URL. "],
    [{ secret: "a-secret\r\n" }, "TerminalClient: secret has a line break. "],
    [{ onevent: () => null }, "TerminalClient: onevent is not an option. Use baseUrl, terminalId, "],
    [{ reconnect: 5 }, "TerminalClient: reconnect has no first and longest. "],
    [{ reconnect: null }, "TerminalClient: reconnect has no first and longest. "],
    [{ reconnect: { first: 5 } }, "TerminalClient: reconnect has no first and longest. "],
    [{ reconnect: { longest: 5 } }, "TerminalClient: reconnect has no first and longest. "],
    [{ clocks: { wall: () => 0 } }, "TerminalClient: clocks has no monotonic(). Pass both clocks, or omit it."],
    [{ clocks: { monotonic: () => 0 } }, "TerminalClient: clocks has no wall(). "],
    [{ clocks: null }, "TerminalClient: clocks is missing. "],
    [{ store: { load: () => null } }, "TerminalClient: store has no save(). "],
    [{ openSocket: null }, "TerminalClient: openSocket is missing. "],
    [{ openSocket: "ws" }, "TerminalClient: openSocket is not a function. "],
    [{ random: 4 }, "TerminalClient: random is not a function. "],
    [{ onEvent: 4 }, "TerminalClient: onEvent is not a function. "],
    [{ secret: null }, "TerminalClient: secret is missing. "],
    [{ secret: "\n" }, "TerminalClient: secret is empty. "],
    [{ secret: "a\rb" }, "TerminalClient: secret has a line break. "],
  ] as [Loose, string][])("refuses %j when it is created", ([changes, text], { expect }) => {
    expect(terminal(changes)).toContain(text);
  });

  it.for([[undefined], [null], ["T-1"]])(
    "refuses %j instead of options, and says what to pass",
    ([given], { expect }) => {
      const message = messageOf(() => new TerminalClient(given as never));
      expect(message).toMatch(/^TerminalClient: .*baseUrl.*terminalId.*secret.*store.*handler/u);
    },
  );

  it("needs openSocket if there is no WebSocket, as in Node 20", ({ expect }) => {
    vi.stubGlobal("WebSocket", undefined);
    expect(terminal({})).toMatch(/^TerminalClient: openSocket is missing, .*no WebSocket .*the package ws/u);
    expect(terminal({ openSocket: () => null })).toBe("");
  });

  it("is created with valid options, including a handler class's instance", ({ expect }) => {
    class Handler {
      async onRequest(): Promise<unknown> {
        return { statusCode: "11", responseCode: "05" };
      }
    }
    expect([terminal({}), terminal({ handler: new Handler() })]).toEqual(["", ""]);
    const longest = { softwareVersion: "v".repeat(40), terminalSn: "s".repeat(40), secret: "s".repeat(1_000) };
    const all = { reconnect: { first: 1, longest: 2 }, clocks: { wall: () => 0, monotonic: () => 0 }, random: () => 0 };
    expect(terminal({ ...longest, ...all, onEvent: undefined })).toBe("");
  });
});

describe("a call", () => {
  const sent: string[] = [];
  const client = new PosClient({
    ...POS,
    fetch: async ({ url }) => {
      sent.push(url);
      throw new TypeError("no network");
    },
  });
  const device = new TerminalClient(TERMINAL as never);
  const named = { deviceId: "T-1", referenceId: "R-1" };
  const sale = { ...named, transAmt: "1.00", paymentMethod: "bankCard" } as const;

  it.for([
    [{ within: Number.NaN }, "within must be milliseconds, more than 0: 30000 for 30 seconds."],
    [{ within: "30s" }, "within must be milliseconds, more than 0"],
    [{ within: 0 }, "within must be milliseconds, more than 0"],
    [{ within: -1 }, "within must be milliseconds, more than 0"],
    [{ wait: 1.5 }, "wait must be whole seconds, 0 or more."],
    [{ wait: Number.NaN }, "wait must be whole seconds"],
    [{ signal: new AbortController() }, "signal is not an AbortSignal. Pass the signal of an AbortController."],
    [{ onProgress: true }, "onProgress is not a function. "],
    [{ timeout: 5_000 }, "timeout is not an option. Use within, signal, wait, onProgress."],
    ["30s", "pass an object with within, signal, wait, onProgress."],
    [null, "pass an object with within, signal, wait, onProgress."],
  ] as [Loose, string][])(
    "is refused with the options %j before anything is sent",
    async ([given, text], { expect }) => {
      const options = given as never;
      for (const call of [
        () => client.sale(sale, options),
        () => client.terminals(options),
        () => client.logout(options),
      ]) {
        await expect(call()).rejects.toThrow(new RegExp(`^PosClient: ${text.replaceAll(".", "\\.")}`, "u"));
        await expect(call()).rejects.toBeInstanceOf(TypeError);
      }
      expect(sent).toEqual([]);
    },
  );

  it.for(["sale", "cashOut", "void", "inquiry", "getLast", "cancel"] as const)(
    "says what to pass to %s without a valid request",
    async (name, { expect }) => {
      const call = (...args: unknown[]): Promise<unknown> => Reflect.apply(client[name], client, args);
      await expect(call()).rejects.toThrow(`${name}: pass an object with deviceId, referenceId`);
      const request = { deviceId: "T-1", referenceId: "R-1", transAmt: "5.00", amont: 3 };
      await expect(call(request)).rejects.toThrow(/: .*amont is not an option\. Use deviceId, referenceId/u);
      expect(sent).toEqual([]);
    },
  );

  it.for([
    [() => client.inquiry({ ...named, about: { refrenceId: "R-2" } as never }), "refrenceId", "transId, referenceId"],
    [
      async () => client.transactions({ status: "22" } as never),
      "transactions: status",
      "day, deviceId, statusCode, transType",
    ],
    [() => client.totals({ date: "2026-11-20" } as never), "totals: date", "day, deviceId"],
    [() => client.changeWebhook("W-1", { enable: true } as never), "changeWebhook: enable", "url, enabled"],
    [
      () => device.report("1000000001", { ...RESULT, transDta: {} } as never),
      "report: transDta",
      "statusCode, responseCode",
    ],
  ] as [() => Promise<unknown>, string, string][])(
    "refuses other members that it does not have: case %#",
    async ([call, member, known], { expect }) => {
      await expect(call()).rejects.toThrow(`${member} is not an option. Use ${known}`);
      await expect(call()).rejects.toBeInstanceOf(TypeError);
      expect(sent).toEqual([]);
    },
  );

  const printed = {
    ...named,
    referenceLabel: "R",
    productIndex: "1",
    promoSale: "P",
    printCount: 1,
    metadata: "M",
  } as const;
  const paid = { ...printed, transAmt: "1.00", note: "N" };
  const sold = { ...paid, paymentMethod: "qrCustScan", paymentChannel: "W" } as const;
  const [cashOut, voided] = [
    { ...paid, cashAmt: "1.00" },
    { ...printed, transId: "1000000001", invNo: "000001" },
  ];
  const filters: Required<TransactionFilters> = {
    day: "2026-11-20",
    deviceId: "T-1",
    statusCode: "22",
    transType: "sale",
    referenceId: "R-1",
  };

  it.for<[string, (client: PosClient, options: CallOptions) => Promise<unknown>]>([
    ["sale", (posClient, options) => posClient.sale(sold satisfies Required<SaleRequest>, options)],
    ["cashOut", (posClient, options) => posClient.cashOut(cashOut satisfies Required<CashOutRequest>, options)],
    ["void", (posClient, options) => posClient.void(voided satisfies Required<VoidRequest>, options)],
    [
      "inquiry by transId",
      (posClient, options) => posClient.inquiry({ ...named, referenceLabel: "R", about: { transId: "1" } }, options),
    ],
    [
      "inquiry by referenceId",
      (posClient, options) => posClient.inquiry({ ...named, about: { referenceId: "R-0" } }, options),
    ],
    ["getLast", (posClient, options) => posClient.getLast({ ...named, referenceLabel: "R" }, options)],
    ["cancel of any request", (posClient, options) => posClient.cancel({ ...sold, ...cashOut, ...voided }, options)],
    ["transactions", (posClient, options) => posClient.transactions(filters, options).next()],
    ["totals", (posClient, options) => posClient.totals({ day: "2026-11-20", deviceId: "T-1" }, options)],
    [
      "changeWebhook",
      (posClient, options) => posClient.changeWebhook("W-1", { url: "https://pos.test", enabled: true }, options),
    ],
  ])("takes every member that it has: %s", async ([, call], { expect }) => {
    const posClient = new PosClient({ ...POS, fetch: () => Promise.reject(new TypeError("no network")) });
    await expect(call(posClient, { within: 1 })).rejects.toMatchObject({ kind: "unreachable" });
  });

  it("takes every member of a result and every option for events", async ({ expect }) => {
    await device.report("1000000001", { ...RESULT, responseText: "No.", transData: {} } as TerminalResult);
    const every: Required<EventsOptions> = {
      after: 0,
      follow: false,
      within: 1,
      signal: new AbortController().signal,
      onProblem: () => undefined,
      onSkipped: () => undefined,
    };
    expect(messageOf(() => client.events(every))).toBe("");
  });

  it("refuses options for events that make no sense", ({ expect }) => {
    const said = messageOf(() => client.events({ after: -1, within: 0, follows: true } as never));
    expect(said).toContain(
      "events: after must be the number of an event, or 0. within must be milliseconds, more than 0",
    );
    expect(said).toContain("follows is not an option. Use after, follow, within, ");
  });
});

describe("the message of a PosError", () => {
  it("names the fields that the gateway refused", ({ expect }) => {
    const details = [
      { path: "transData.transAmt", message: "Send two decimals." },
      { path: "", message: "Send less." },
    ];
    const error = new PosError({ kind: "invalid_request", message: "The request is not valid.", details }, false);
    expect(error.message).toBe("The request is not valid. transData.transAmt: Send two decimals. Send less.");
    expect(error.problem.message).toBe("The request is not valid.");
  });
});
