/**
 * The published JSON Schemas and the schemas that really judge say the same: of messages that are right, and of the same
 * ones with one member missing, wrong, or of another kind.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as fc from "fast-check";
import { describe, type ExpectStatic, it } from "vitest";
import type * as z from "zod";
import { readFrame } from "../../../../src/sdk/client/terminal/frames.ts";
import { asyncApi } from "../../../../src/docs/contracts/asyncapi.ts";
import { EXAMPLES } from "../../../../src/gateway/http/openapi/examples.ts";
import { openApi } from "../../../../src/gateway/http/openapi/openapi.ts";
import {
  FURTHER_FRAMES,
  GATEWAY_FRAMES,
  TERMINAL_EXAMPLES,
  TERMINAL_FRAMES,
} from "../../../../src/gateway/http/openapi/terminal-examples.ts";
import { accountChanges, keyRotation, newAccount } from "../../../../src/gateway/http/operator/accounts/requests.ts";
import { channelDetails } from "../../../../src/gateway/http/operator/directory/calls.ts";
import { newTerminal } from "../../../../src/gateway/http/operator/terminals/calls.ts";
import { resolution } from "../../../../src/gateway/http/operator/transactions/calls.ts";
import { prebindRequest } from "../../../../src/gateway/http/pos/binding/calls.ts";
import { passwordLogin, signedLogin } from "../../../../src/gateway/http/pos/sessions/requests.ts";
import { bindRequest, terminalLoginRequest } from "../../../../src/gateway/http/terminal/calls.ts";
import type { JsonObject } from "../../../../src/protocol/signing/json.ts";
import { terminalFrame } from "../../../../src/protocol/terminal-frames.ts";
import { gatewayFrame } from "../../../../src/protocol/schemas/frames.ts";
import { cancelRequest, transferRequest } from "../../../../src/gateway/http/pos/transfer/messages.ts";

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addSchema({ $id: "openapi:", components: openApi().components });
ajv.addSchema({ $id: "asyncapi:", components: asyncApi().components });

function published(document: "openapi" | "asyncapi", name: string): ValidateFunction {
  return ajv.compile({ $ref: `${document}:#/components/schemas/${name}` });
}

const face = "😀";

/** What a member may be replaced with: every kind of JSON, and texts at the edges of every length and pattern. */
const VALUES: unknown[] = [
  undefined,
  null,
  "",
  " ",
  "x",
  "0",
  "1",
  "2",
  "3",
  "v1",
  "sale",
  "void",
  "bankCard",
  "qrCustScan",
  "qrMerchScan",
  "0.00",
  "0.01",
  "12.5",
  "12.50",
  "01.00",
  "999999999.99",
  "1000000000.00",
  "1000000042",
  "0000000042",
  "10000000420",
  1000000042,
  999999999,
  10000000000,
  0,
  1,
  2,
  3,
  -1,
  true,
  false,
  [],
  {},
  [1],
  ["T-1"],
  ["T-1", ""],
  { transAmt: "12.50" },
  "line\nbreak",
  "zero\u0000",
  "\u0085",
  "tab\t",
  "busy",
  "unknown",
  "present",
  "00",
  "11",
  "22",
  "MYR",
  "myr",
  "RINGGIT",
  "7K3Q-9ZXM",
  "7k3q9zxo",
  "7K3Q9ZXU",
  "http://a.test",
  "ftp://a.test",
  "active",
  "Touch 'n Go 支付宝",
  ...[2, 3, 10, 11, 20, 21, 24, 25, 32, 33, 100, 101, 128, 129].flatMap((length) => [
    "x".repeat(length),
    face.repeat(length),
  ]),
];

/** The paths of all members of a message, and of some that it could have. */
function pathsOf(message: object, further: string[][]): string[][] {
  const paths = Object.entries(message).flatMap(([name, value]) => [
    [name],
    ...(typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value as object).map((inner) => [name, inner])
      : []),
  ]);
  return [...paths, ...further];
}

/** A copy with one member replaced; undefined takes it away. */
function replaced(message: object, [name = "", inner]: string[], value: unknown): object {
  const copy = structuredClone(message) as Record<string, unknown>;
  const container = inner === undefined ? copy : copy[name];
  if (typeof container !== "object" || container === null) return copy;
  const members = container as Record<string, unknown>;
  const last = inner ?? name;
  if (value === undefined) delete members[last];
  else members[last] = value;
  return copy;
}

interface Pair {
  judge: z.ZodType;
  publish: ValidateFunction;
  messages: object[];
  further?: string[][];
  /** Members of which the contract asks more than the gateway insists on: what it lets pass is taken all the same. */
  stricter?: string[];
  /** Members that only the gateway can judge, such as names of time zones and common passwords: what the contract refuses it refuses, too. */
  looser?: string[];
}

const TRANSFER_MEMBERS = [
  ["referenceLabel"],
  ["unknown"],
  ..."cashAmt paymentChannel note productIndex promoSale printCount metadata invNo transId referenceId unknown"
    .split(" ")
    .map((name) => ["transData", name]),
];

const PAIRS: Record<string, Pair> = {
  transfers: {
    judge: transferRequest,
    publish: published("openapi", "TransferRequest"),
    messages: Object.entries(EXAMPLES)
      .filter(([name]) => name !== "cancel")
      .map(([, { request }]) => request),
    further: TRANSFER_MEMBERS,
    stricter: ["signature"],
  },
  cancels: {
    judge: cancelRequest,
    publish: published("openapi", "CancelRequest"),
    messages: [EXAMPLES.cancel.request],
    stricter: ["signature"],
  },
  "logins with a password": {
    judge: passwordLogin,
    publish: published("openapi", "PasswordLogin"),
    messages: [{ posId: "POS-1001", password: "correct horse battery" }],
  },
  "signed logins": {
    judge: signedLogin,
    publish: published("openapi", "SignedLogin"),
    messages: [
      {
        posId: "P",
        datetime: "20261120T021500",
        nonce: "5f1c2d9e-8a57-4c0b-9a3e-2f6b1d7c4e80",
        signature: "0".repeat(64),
      },
    ],
    stricter: ["signature"],
  },
  "prebind lists": {
    judge: prebindRequest,
    publish: published("openapi", "PrebindRequest"),
    messages: [{ uniqueIds: ["T-1001"] }],
  },
  "bind keys": {
    judge: bindRequest,
    publish: published("openapi", "BindRequest"),
    messages: [TERMINAL_EXAMPLES.bind],
    stricter: ["signature"],
  },
  "a terminal's login": {
    judge: terminalLoginRequest,
    publish: published("openapi", "TerminalLoginRequest"),
    messages: [TERMINAL_EXAMPLES.login],
    stricter: ["signature"],
  },
  "rotations of a key": {
    judge: keyRotation,
    publish: published("openapi", "KeyRotation"),
    messages: [{ revokePrevious: true }, {}],
    further: [["revokePrevious"]],
  },
  "new accounts": {
    judge: newAccount,
    publish: published("openapi", "NewAccount"),
    messages: [
      { posId: "P", password: "correct horse battery", merchantId: "M", currency: "MYR", timezone: "UTC", name: "N" },
      { posId: "P", merchantId: "M", currency: "MYR", timezone: "UTC" },
    ],
    looser: ["timezone", "password"],
  },
  "changes of accounts": {
    judge: accountChanges,
    publish: published("openapi", "AccountChanges"),
    messages: [{ status: "suspended" }, { name: "N", currency: "MYR", merchantId: "", password: null }],
    further: [["timezone"], ["merchantId"]],
    looser: ["timezone", "password"],
  },
  "new terminals": {
    judge: newTerminal,
    publish: published("openapi", "NewTerminal"),
    messages: [{ terminalId: "T-1001", isVT: 0, merchantId: "M", name: "N" }],
  },
  channels: {
    judge: channelDetails,
    publish: published("openapi", "ChannelDetails"),
    messages: [{ status: 1, currency: ["MYR"], logoUrl3: "https://example.com/logo.png" }],
  },
  resolutions: {
    judge: resolution,
    publish: published("openapi", "Resolution"),
    messages: [{ statusCode: "11", reason: "No such payment." }],
  },
  "frames of the gateway": {
    judge: gatewayFrame,
    publish: ajv.compile({
      oneOf: Object.keys(GATEWAY_FRAMES).map((type) => ({ $ref: `asyncapi:#/components/schemas/${capital(type)}` })),
    }),
    messages: [...Object.values(GATEWAY_FRAMES), ...moreOf("request")],
    further: [["requestId"], ["referenceLabel"], ["transData", "transId"], ["transData", "note"]],
  },
  "frames of the terminal": {
    judge: terminalFrame,
    publish: ajv.compile({
      oneOf: Object.keys(TERMINAL_FRAMES).map((type) => ({ $ref: `asyncapi:#/components/schemas/${capital(type)}` })),
    }),
    messages: [...Object.values(TERMINAL_FRAMES), ...moreOf("result"), ...moreOf("hello")],
    further: [["unknown"]],
    // A result is never lost for its texts: the gateway cuts what is too long, and leaves out what is missing.
    stricter: "signature softwareVersion terminalSn responseCode responseText transData".split(" "),
  },
};

function moreOf(type: string): object[] {
  return FURTHER_FRAMES.map(({ payload }) => payload).filter((payload) => payload.type === type);
}

function capital(type: string): string {
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
}

describe.for(Object.entries(PAIRS))(
  "the checks of %s",
  ([, { judge, publish, messages, further = [], stricter = [], looser = [] }]) => {
    it("accept the examples on both sides", ({ expect }) => {
      for (const message of messages) {
        expect(judge.safeParse(message).success, JSON.stringify(message)).toBe(true);
        expect(publish(message), JSON.stringify(publish.errors)).toBe(true);
      }
    });

    it("agree if one member is replaced with any value", ({ expect }) => {
      for (const message of messages) {
        for (const path of pathsOf(message, further)) {
          for (const value of VALUES) agree(expect, replaced(message, path, value), [path]);
        }
      }
    });

    it("agree if several members are replaced with any values", ({ expect }) => {
      const cases = fc.record({
        message: fc.constantFrom(...messages),
        changes: fc.array(fc.tuple(fc.nat(), fc.constantFrom(...VALUES)), { minLength: 2, maxLength: 4 }),
      });
      fc.assert(
        fc.property(cases, ({ message, changes }) => {
          const changedPaths: string[][] = [];
          let changed = message;
          for (const [at, value] of changes) {
            const paths = pathsOf(message, further);
            const path = paths[at % paths.length] ?? [];
            changedPaths.push(path);
            changed = replaced(changed, path, value);
          }
          agree(expect, changed, changedPaths);
        }),
        { numRuns: 2_000 },
      );
    });

    function agree(expect: ExpectStatic, message: object, changed: string[][]): void {
      const judged = judge.safeParse(message).success;
      const isPublished = publish(message);
      if (judged && changed.some(([name = ""]) => stricter.includes(name))) return;
      if (!judged && changed.some(([name = ""]) => looser.includes(name))) return;
      // Asked tens of thousands of times: `expect` itself would take most of it.
      if (isPublished !== judged) expect({ message, right: isPublished }).toEqual({ message, right: judged });
    }
  },
);

describe("a terminal", () => {
  it("reads every frame that the contract lets the gateway send", ({ expect }) => {
    const { judge, messages, further = [] } = PAIRS["frames of the gateway"] ?? { messages: [], judge: gatewayFrame };
    for (const message of messages) {
      for (const path of pathsOf(message, further)) {
        for (const value of VALUES) {
          const frame = replaced(message, path, value);
          if (!judge.safeParse(frame).success) continue;
          const read = readFrame(frame as JsonObject);
          if (read.kind !== "frame") expect(read, JSON.stringify(frame)).toMatchObject({ kind: "frame" });
        }
      }
    }
  });
});
