import { describe, it } from "vitest";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { bind, enrolTerminal, operator, uniqueId } from "../../../support/gateway.ts";
import { Scene, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

/** The nonce of a connection's welcome. */
async function nonceOf(connection: ScriptedTerminal): Promise<string> {
  return String((await connection.next("welcome"))["nonce"]);
}

describe("a terminal's connection", () => {
  it("begins with a welcome: account, nonce, time and heartbeat", async ({ expect }) => {
    const here = await scene();
    const { posId, merchantId, currency, timezone } = here.pos.account;
    const [first, second] = [await ScriptedTerminal.open(here.terminal), await ScriptedTerminal.open(here.terminal)];
    const welcome = await first.next("welcome");
    expect(welcome).toEqual({
      type: "welcome",
      terminalId: here.terminal.terminalId,
      posId,
      merchantId,
      currency,
      timezone,
      nonce: expect.stringMatching(/^[\w-]{20,}$/),
      serverTime: Date.now(),
      heartbeatSeconds: 30,
    });
    expect(await nonceOf(second)).not.toBe(welcome["nonce"]);
  });

  it("names no account if the terminal is bound to none", async ({ expect }) => {
    const connection = await ScriptedTerminal.open(await enrolTerminal());
    expect(await connection.next("welcome")).toMatchObject({
      posId: null,
      merchantId: null,
      currency: null,
      timezone: null,
    });
  });

  it("is closed (4003) by a hello with wrong nonce or signature", async ({ expect }) => {
    const [here, there] = [await scene(), await scene()];
    const other = await ScriptedTerminal.open(there.terminal);
    const wrong: ((connection: ScriptedTerminal, nonce: string) => void)[] = [
      (connection, nonce) => connection.send({ ...connection.helloFrame(nonce), signature: "0".repeat(64) }),
      (connection, nonce) => connection.send({ ...connection.helloFrame(nonce), signature: "" }),
      // Signed for another terminal, and with what was signed changed.
      (connection, nonce) => connection.send(other.signed(connection.helloFrame(nonce))),
      (connection, nonce) => connection.send({ ...connection.helloFrame(nonce), open: ["1000000001"] }),
    ];
    for (const say of wrong) {
      const connection = await ScriptedTerminal.open(here.terminal);
      say(connection, await nonceOf(connection));
      expect(await connection.next("error")).toMatchObject({
        code: "bad_signature",
        message: expect.stringMatching(/a form of [0-9]+ bytes with SHA-256 [0-9a-f]{64}\.$/u),
      });
      expect(await connection.closed()).toBe(4003);
      expect(connection.pending()).toEqual([]);
    }
    const replayed = await ScriptedTerminal.open(here.terminal);
    await nonceOf(replayed);
    replayed.sendHello("another nonce");
    expect(await replayed.closed()).toBe(4003);
    expect(replayed.pending()).toEqual([]);
    expect((await here.pos.sale()).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("is closed (4003) by a second hello", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    const nonce = await nonceOf(connection);
    connection.sendHello(nonce);
    await connection.next("ready");
    connection.sendHello(nonce);
    expect(await connection.closed()).toBe(4003);
  });

  it("is closed (4003) without a hello within ten seconds", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    await connection.next("welcome");
    await here.pass(10 * SECOND - 1);
    expect(connection.closeCode).toBeNull();
    await here.pass(1);
    expect(await connection.closed()).toBe(4003);
    expect((await here.pos.sale()).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("is closed (4003) by a late hello, even before the alarm", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    const nonce = await nonceOf(connection);
    // The terminal's clock lags by as much as its welcome took: a promise of 11 rests on that being ten seconds at most.
    skip(10 * SECOND);
    connection.sendHello(nonce);
    expect(await connection.closed()).toBe(4003);
    expect(connection.pending()).toEqual([]);
  });
});

describe("a hello", () => {
  it("replaces (4001) every earlier connection, including one that has not said hello", async ({ expect }) => {
    const here = await scene();
    const current = await here.connect();
    const silent = await ScriptedTerminal.open(here.terminal);
    const newest = await here.connect();
    expect(await current.closed()).toBe(4001);
    expect(await silent.closed()).toBe(4001);
    expect(await newest.frames()).toEqual([]);
  });
});

describe("frames of a connection that is not the current one", () => {
  it("are ignored before their hello and after another one's", async ({ expect }) => {
    const here = await scene();
    const { connection: current, referenceId, answer, request } = await here.sent();
    const silent = await ScriptedTerminal.open(here.terminal);
    const nonce = await nonceOf(silent);
    silent.accept(request);
    silent.refuse(request, "expired");
    silent.result(request, "11");
    silent.send("ping");
    await silent.next("pong");
    expect(await current.frames()).toEqual([]);
    expect(await here.row(referenceId)).toMatchObject({ state: "sent", outcome: null });

    // What the first one still sends is in transit while the other one takes its place.
    await here.arriveTogether([
      [2, silent.helloFrame(nonce, { open: [request.requestId] })],
      [1, current.signed(current.resultFrame(request.requestId, "11"))],
    ]);
    await silent.next("ready");
    expect(await current.closed()).toBe(4001);
    expect(await silent.frames()).toEqual([]);
    here.approve(silent, request);
    expect((await answer).body.statusCode).toBe("00");
  });
});

/** A frame of so many bytes in half as many characters. */
function paddedFrame(bytes: number): string {
  const [head, tail] = ['{"type":"reboot","padding":"', '"}'];
  return head + "é".repeat((bytes - head.length - tail.length) / 2) + tail;
}

describe("a frame that does not follow the protocol", () => {
  const bad: [string, unknown][] = [
    ["an unknown type", { type: "reboot" }],
    ["no type", { requestId: "1000000001" }],
    ["a missing member", { type: "accepted", requestId: "1000000001" }],
    ["a requestId that is none", { type: "accepted", requestId: "12", attempt: 1 }],
    ["an unknown stage", { type: "progress", requestId: "1000000001", stage: "dancing" }],
    ["an unknown reason", { type: "refused", requestId: "1000000001", attempt: 1, reason: "tired" }],
    ["an unknown status", { type: "result", requestId: "1000000001", statusCode: "33", signature: "" }],
    ["no object", [1, 2]],
    ["a number that languages read differently", '{"type":"accepted","requestId":"1000000001","attempt":1.0}'],
  ];
  it("answers bad_frame before and after hello", async ({ expect }) => {
    const here = await scene();
    for (const frames of [bad.slice(0, 5), bad.slice(5)]) {
      const isGreeted = frames[0] === bad[0];
      const connection = isGreeted ? await here.connect() : await ScriptedTerminal.open(here.terminal);
      if (!isGreeted) await nonceOf(connection);
      for (const [name, frame] of frames) {
        connection.send(typeof frame === "string" ? frame : JSON.stringify(frame));
        const error = await connection.next("error");
        expect(error, name).toMatchObject({ code: "bad_frame" });
        if (typeof frame === "string")
          expect(error["message"]).toMatch(/^The frame is not one of this protocol\. \w+/u);
      }
      expect(connection.closeCode).toBeNull();
    }
  });

  it("names the member that has a fraction", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    const { requestId } = request;
    connection.send(`{"type":"result","requestId":"${requestId}","statusCode":"00","transData":{"transAmt": 12.5}}`);
    expect((await connection.next("error"))["message"]).toMatch(
      /protocol\. transData\.transAmt: Write numbers as plain/u,
    );
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("closes the connection (4003) with the tenth, even after a sleep", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    for (let count = 1; count < 10; count++) {
      if (count === 5) await here.sleep();
      connection.send({ type: "reboot" });
      expect(await connection.next("error")).toMatchObject({ code: "bad_frame" });
    }
    connection.send({ type: "reboot" });
    expect(await connection.closed()).toBe(4003);
  });

  it("closes the connection (4003) at once if it is not JSON text", async ({ expect }) => {
    const here = await scene();
    for (const text of ["hello", "", "{", "ping ", "PING", "undefined"]) {
      const connection = await here.connect();
      connection.send(text);
      expect(await connection.closed(), text).toBe(4003);
    }
    const connection = await here.connect();
    connection.send(new TextEncoder().encode(JSON.stringify({ type: "reboot" })));
    expect(await connection.closed()).toBe(4003);
  });

  it("closes the connection (1009) if it exceeds 64 KiB in bytes", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    connection.send(paddedFrame(64 * 1024));
    expect(await connection.next("error")).toMatchObject({ code: "bad_frame" });
    connection.send(paddedFrame(64 * 1024 + 2));
    expect(await connection.closed()).toBe(1009);
  });
});

describe("the heartbeat", () => {
  it("is answered before and after hello, and while the object sleeps", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    const nonce = await nonceOf(connection);
    connection.send("ping");
    expect(await connection.next("pong")).toEqual({ type: "pong" });
    connection.sendHello(nonce);
    await connection.next("ready");
    await here.sleep();
    connection.send("ping");
    expect(await connection.next("pong")).toEqual({ type: "pong" });
  });
});

describe("a terminal whose account or secret changes", () => {
  it("receives its account when bound, moved, unbound or updated", async ({ expect }) => {
    const here = await Scene.alone();
    const terminal = await enrolTerminal();
    const connection = await ScriptedTerminal.connect(terminal);
    const silent = await ScriptedTerminal.open(terminal);
    const { posId, merchantId, currency, timezone } = here.pos.account;
    await bind(here.pos.token, terminal);
    const bound = { type: "binding", posId, merchantId, currency, timezone };
    expect(await connection.next("binding")).toEqual(bound);
    expect(await silent.next("binding")).toEqual(bound);

    const changed = { merchantId: uniqueId("shop"), currency: "SGD", timezone: "Asia/Singapore" };
    await operator("PATCH", `/operator/accounts/${posId}`, changed);
    expect(await connection.next("binding")).toEqual({ type: "binding", posId, ...changed });
    await operator("PATCH", `/operator/accounts/${posId}`, { name: "Corner shop" });

    const there = await scene();
    await bind(there.pos.token, terminal);
    expect(await connection.next("binding")).toMatchObject({ posId: there.pos.account.posId });
    await operator("DELETE", `/operator/terminals/${terminal.terminalId}/binding`);
    const nobody = { type: "binding", posId: null, merchantId: null, currency: null, timezone: null };
    expect(await connection.next("binding")).toEqual(nobody);
    expect(await connection.frames()).toEqual([]);
  });

  it("is disconnected (4002) when its secret is changed", async ({ expect }) => {
    const here = await scene();
    const current = await here.connect();
    const silent = await ScriptedTerminal.open(here.terminal);
    const path = `/operator/terminals/${here.terminal.terminalId}/secret`;
    const { secret } = (await operator<{ secret: string }>("POST", path, { revokePrevious: true })).body;
    expect(await current.closed()).toBe(4002);
    expect(await silent.closed()).toBe(4002);
    await expect(here.connect()).rejects.toThrow("401");
    const next = await ScriptedTerminal.connect({ ...here.terminal, secret });
    const answer = here.pos.sale();
    here.approve(next, await next.acceptNext());
    // The result is signed with the new secret, too.
    expect((await answer).body.statusCode).toBe("00");
  });

  it("leaves a sale to the operator if its secret was changed meanwhile", async ({ expect }) => {
    const here = await scene();
    const { connection: first, answer, request } = await here.accepted();
    await here.reaches(request.referenceId, "accepted");
    await here.pass(1);
    const path = `/operator/terminals/${here.terminal.terminalId}/secret`;
    const { secret } = (await operator<{ secret: string }>("POST", path, { revokePrevious: true })).body;
    expect(await first.closed()).toBe(4002);
    const next = await ScriptedTerminal.connect({ ...here.terminal, secret }, { open: [request.requestId] });
    here.approve(next, request);
    // Whoever knows the new secret could have sent this: it is kept, acknowledged, and decides nothing.
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    await next.next("ack");
    await here.resolve(request.requestId, "00", "The acquirer has it.");
    expect((await here.pos.inquiry({ referenceId: request.referenceId })).body.statusCode).toBe("00");
    // What is asked for from now on is answered as ever.
    const sale = here.pos.sale();
    here.approve(next, await next.acceptNext());
    expect((await sale).body.statusCode).toBe("00");
  });
});
