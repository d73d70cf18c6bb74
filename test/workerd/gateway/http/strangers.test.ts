/**
 * What one account can find out about another: nothing. Every call about something of somebody else's is answered with
 * the same words, status and shape as the same call about something that does not exist.
 */
import { beforeAll, describe, it } from "vitest";
import {
  bind,
  bindKey,
  bindMessage,
  call,
  type CallOptions,
  enrolTerminal,
  loginMessage,
  loginTerminal,
  operator,
  type EnrolledTerminal,
} from "../../../support/gateway.ts";

import { type Members, Pos } from "../../../support/pos.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

/** Who asks, with a terminal that is connected; and whom it asks about, with everything that can exist. */
let asker: Pos;
let stranger: Pos;
let transId: string;
let referenceId: string;
let unbound: EnrolledTerminal;
let retired: EnrolledTerminal;

beforeAll(async () => {
  [asker, stranger] = [await Pos.create(), await Pos.create()];
  await ScriptedTerminal.connect(asker.terminal);
  const connection = await ScriptedTerminal.connect(stranger.terminal);
  const answer = stranger.sale();
  const request = await connection.acceptNext();
  connection.result(request, "00");
  await answer;
  ({ transId, referenceId } = request);
  [unbound, retired] = [await enrolTerminal(), await enrolTerminal()];
  await operator("DELETE", `/operator/terminals/${retired.terminalId}`);
});

/** The answer without what differs from request to request, and without the names that were sent themselves. */
async function told(method: string, path: string, options: CallOptions, sent: string[]): Promise<string> {
  const { status, headers, body } = await call(method, path, options);
  let text = JSON.stringify({
    status,
    headers: [...headers].filter(([name]) => name !== "x-request-id"),
    body: { ...body, traceId: "", signature: "" },
  });
  for (const name of sent) text = text.replaceAll(name, "*".repeat(8));
  // For a wrong signature, the answer has the length and the hash of the message.
  return text.replaceAll(/of \d+ bytes with SHA-256 [0-9a-f]{64}/g, "");
}

const NOBODYS = "term-that-is-not";

async function cancelAt(deviceId: string): Promise<string> {
  const { datetime } = asker.body("sale");
  const body = asker.sign({ posId: asker.account.posId, deviceId, referenceId, datetime });
  return told("POST", "/api/transfer/cancel", { token: asker.token, body }, [deviceId]);
}

async function prebind(id: string): Promise<string[]> {
  const { token } = asker;
  return [
    await told("POST", "/api/prebind-terminals", { token, body: { uniqueIds: [id] } }, [id]),
    await told("GET", "/api/prebind-terminals", { token }, [id]),
    await told("GET", "/api/terminals", { token }, []),
  ];
}

/** A signed request of the asking account at its own terminal. */
async function ask(transType: string, transData: Members, names: string[]): Promise<string> {
  const body = asker.sign(asker.body(transType, { transData }));
  return told("POST", "/api/transfer", { token: asker.token, body }, [...names, String(body["referenceId"])]);
}

async function saleWith(members: Members, name: string): Promise<string> {
  const body = asker.sign(asker.saleBody(members));
  return told("POST", "/api/transfer", { token: asker.token, body }, [name, String(body["referenceId"])]);
}

function loginAs(posId: string): Promise<string> {
  return told("POST", "/auth/login", { body: { posId, password: "not the password" } }, [posId]);
}

function terminalLoginAs(terminalId: string): Promise<string> {
  const body = loginMessage({ terminalId, secret: "a wrong secret" });
  return told("POST", "/terminal/login", { body }, [terminalId]);
}

describe("another account's terminal", () => {
  it.for(["GET", "DELETE"])("stays hidden from %s /api/terminals/:terminalId", async (method, { expect }) => {
    const about = (id: string): Promise<string> => told(method, `/api/terminals/${id}`, { token: asker.token }, [id]);
    const nothing = await about(NOBODYS);
    expect(nothing).toContain('"status":404');
    for (const { terminalId } of [stranger.terminal, unbound, retired]) expect(await about(terminalId)).toBe(nothing);
  });

  it.for(["sale", "cashOut", "void", "inquiry", "getLast"])(
    "stays hidden from POST /api/transfer, %s",
    async (transType, { expect }) => {
      const about = async (deviceId: string): Promise<string> => {
        const transData: Record<string, Members> = {
          sale: { transAmt: "1.00", paymentMethod: "bankCard" },
          cashOut: { transAmt: "1.00", cashAmt: "1.00", paymentMethod: "bankCard" },
          void: { transId },
        };
        const members = transData[transType] === undefined ? {} : { transData: transData[transType] };
        const body = asker.sign(asker.body(transType, { deviceId, ...members }));
        return told("POST", "/api/transfer", { token: asker.token, body }, [deviceId, String(body["referenceId"])]);
      };
      const nothing = await about(NOBODYS);
      expect(nothing).toContain('"status":400');
      for (const { terminalId } of [stranger.terminal, unbound, retired]) expect(await about(terminalId)).toBe(nothing);
    },
  );

  it("stays hidden from POST /api/transfer/cancel", async ({ expect }) => {
    const nothing = await cancelAt(NOBODYS);
    expect(nothing).toContain('"status":400');
    for (const { terminalId } of [stranger.terminal, unbound, retired])
      expect(await cancelAt(terminalId)).toBe(nothing);
  });

  it("stays hidden even if more is wrong with the request", async ({ expect }) => {
    const { referenceId: used } = (await asker.sale({}, {}, { headers: { Prefer: "respond-async" } })).body;
    const signature = "0".repeat(64);
    const stale = { datetime: "20200101T000000" };
    const transData = { transAmt: "1.00", paymentMethod: "qrCustScan", paymentChannel: "NoWallet" };
    for (const [transType, members, signed] of [
      ["getLast", { signature }, false],
      ["sale", { transData: { transAmt: "1.00", paymentMethod: "bankCard" }, signature }, false],
      ["sale", { transData, merchantId: "is-not", ...stale }, true],
      ["inquiry", { transData: { referenceId: "R-NEW" }, ...stale }, true],
      ["inquiry", { ...stale }, true],
      ["inquiry", { transData: { transId: "9999999999" }, merchantId: "is-not" }, true],
      ["getLast", { merchantId: "is-not" }, true],
      ["sale", { transData: { transAmt: "12.50", paymentMethod: "bankCard" }, referenceId: used }, true],
      ["inquiry", { transData: { referenceId: used } }, true],
    ] as const) {
      const about = async (deviceId: string): Promise<string> => {
        const body = asker.body(transType, { deviceId, ...members });
        const options = { token: asker.token, body: signed ? asker.sign(body) : body };
        return told("POST", "/api/transfer", options, [deviceId, String(body["referenceId"])]);
      };
      const nothing = await about(NOBODYS);
      expect(nothing).toContain('"status":400');
      for (const { terminalId } of [stranger.terminal, unbound, retired]) {
        expect(await about(terminalId)).toBe(nothing);
      }
    }
  });

  it("stays hidden from POST /api/prebind-terminals", async ({ expect }) => {
    const nothing = await prebind(NOBODYS);
    expect(nothing[0]).toContain("Not assigned to this merchant by the operator");
    for (const { terminalId } of [stranger.terminal, unbound, retired])
      expect(await prebind(terminalId)).toEqual(nothing);
  });
});

describe("another account's transaction", () => {
  it("looks missing to a void or inquiry with its transId", async ({ expect }) => {
    for (const transType of ["void", "inquiry"]) {
      const nothing = await ask(transType, { transId: "9999999999" }, ["9999999999"]);
      expect(await ask(transType, { transId }, [transId])).toBe(nothing);
    }
  });

  it("looks missing to inquiry, cancel and sale under its referenceId", async ({ expect }) => {
    const own = asker.reference();
    expect(await ask("inquiry", { referenceId }, [referenceId])).toBe(
      await ask("inquiry", { referenceId: own }, [own]),
    );
    const third = asker.reference();
    const cancel = async (reference: string): Promise<string> => {
      const { status, body } = await asker.cancel(reference);
      return JSON.stringify([status, body.statusCode, body.responseCode, body.responseText]);
    };
    expect(await cancel(referenceId)).toBe(await cancel(third));
    // The stranger's own is still there.
    expect((await stranger.inquiry({ referenceId })).body).toMatchObject({ statusCode: "00" });
  });

  it("looks missing on a terminal whose journal contains both accounts", async ({ expect }) => {
    const moved = await Pos.create();
    const connection = await ScriptedTerminal.connect(moved.terminal);
    const answer = moved.sale();
    const request = await connection.acceptNext();
    connection.result(request, "00");
    await answer;
    const heir = asker.at(moved.terminal);
    await bind(asker.token, moved.terminal);
    const about = async (transType: string, transData: Members, name: string): Promise<string> => {
      const body = heir.sign(heir.body(transType, { transData }));
      return told("POST", "/api/transfer", { token: heir.token, body }, [name, String(body["referenceId"])]);
    };
    for (const transType of ["void", "inquiry"]) {
      const nothing = await about(transType, { transId: "9999999999" }, "9999999999");
      expect(await about(transType, { transId: request.transId }, request.transId)).toBe(nothing);
    }
    const getLast = await heir.getLast();
    expect([getLast.status, getLast.body.code]).toEqual([400, 40004]);
    // Under the same reference a sale of its own is a sale of its own.
    const sale = heir.sale({ referenceId: request.referenceId });
    const own = await connection.acceptNext();
    expect([own.posId, own.referenceId]).toEqual([asker.account.posId, request.referenceId]);
    connection.result(own, "11");
    expect((await sale).body.statusCode).toBe("11");
  });
});

describe("the existence of keys, accounts and terminals", () => {
  it("is not revealed by a bind key", async ({ expect }) => {
    const used = await bindKey(stranger.token);
    const body = bindMessage(unbound, used);
    await call("POST", "/terminal/bind", { token: await loginTerminal(unbound), body });
    const token = await loginTerminal(asker.terminal);
    const about = (key: string) =>
      told("POST", "/terminal/bind", { token, body: bindMessage(asker.terminal, key) }, [key]);
    expect(await about(used)).toBe(await about("ABCDEFGH"));
  });

  it("is not revealed by an account's login with a wrong password", async ({ expect }) => {
    expect(await loginAs(stranger.account.posId)).toBe(await loginAs("pos-that-is-not"));
  });

  it("is not revealed by a terminal's login with a wrong signature", async ({ expect }) => {
    const nothing = await terminalLoginAs(NOBODYS);
    expect(await terminalLoginAs(stranger.terminal.terminalId)).toBe(nothing);
    expect(await terminalLoginAs(retired.terminalId)).toBe(nothing);
  });

  it("is not revealed by a posId or merchantId in a request", async ({ expect }) => {
    for (const [member, there] of [
      ["posId", stranger.account.posId],
      ["merchantId", stranger.account.merchantId],
    ] as const) {
      expect(await saleWith({ [member]: there }, there)).toBe(await saleWith({ [member]: "is-not" }, "is-not"));
    }
  });
});
