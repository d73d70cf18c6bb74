/** The receivers of the documentation, run as programs: they accept each delivery of the gateway once, and nothing else. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { deliveryHeaders, newSecret } from "../../../src/gateway/account/webhooks/sending.ts";
import { freePort } from "../../support/free-port.ts";
import { eventually } from "../../support/patience.ts";
import type { Program } from "../../support/program.ts";
import { type Example, prepared, started, runnable, SAMPLES } from "../../support/samples.ts";

function makeBody(number: number): string {
  return JSON.stringify({
    id: `evt_P_${number}`,
    number,
    type: "transaction.completed",
    data: { referenceId: `Ä-${number}` },
  });
}

const PROGRAMS: Example[] = [
  { name: "JavaScript", files: ["receive.mjs"], tools: [], run: [process.execPath, "receive.mjs"] },
  ...SAMPLES.map((sample) => ({ ...sample, run: sample.receive ?? [...sample.run, "webhook"] })),
];

/** The status of a POST as anybody may send it: `fetch` adds headers of its own. */
function postRaw(port: number, headers: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "localhost", () =>
      socket.end(["POST / HTTP/1.1", "Host: a", ...headers, "", ""].join("\r\n"), "latin1"),
    );
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("end", () => resolve(answer.split(" ")[1] ?? "no answer"));
    socket.on("error", reject);
  });
}

/** Posts a delivery; waits for the program to listen. */
async function post(port: number, headers: Record<string, string>, body: string): Promise<number> {
  const { status } = await eventually(() => fetch(`http://localhost:${port}/`, { method: "POST", headers, body }));
  return status;
}

/** A connection that sends this and then nothing. */
async function stall(port: number, sent: string): Promise<Socket> {
  const socket = connect(port, "localhost").on("error", () => undefined);
  await once(socket, "connect");
  socket.write(sent);
  return socket;
}

/** Sends a body until the receiver has enough of it. Resolves to how many bytes that took. */
async function sendEndlessBody(port: number): Promise<number> {
  const socket = await stall(port, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  const chunk = `10000\r\n${"x".repeat(0x1_00_00)}\r\n`;
  while (!socket.destroyed && socket.bytesWritten < ENDLESS) {
    const drained = new Promise((resolve) => socket.once("drain", resolve));
    if (!socket.write(chunk)) await Promise.race([drained, closed]);
  }
  socket.destroy();
  return socket.bytesWritten;
}

/** More than any receiver should read: what the system's buffers take is far less. */
const ENDLESS = 64 * 1024 * 1024;

interface Running {
  port: number;
  secret: string;
  program: Program;
}

/** Runs a receiver that has booked event 1, in a new folder. */
async function withReceiver(example: Example, use: (running: Running) => Promise<void>): Promise<void> {
  const secret = newSecret();
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "receiver-"));
  await writeFile(join(folder, "last-event"), "1");
  const env = { WEBHOOK_SECRET: secret, PORT: String(port), LAST: "1", POS_FOLDER: folder };
  const command = await prepared(example);
  const program = started(
    command.map((word) => word.replace("{port}", String(port))),
    env,
  );
  try {
    await use({ port, secret, program });
  } finally {
    await program.end("SIGTERM");
    await rm(folder, { recursive: true });
  }
}

describe.each(runnable(PROGRAMS))("$name", (example) => {
  it("accepts a delivery while other connections stall", async ({ expect }) => {
    await withReceiver(example, async ({ port, secret, program }) => {
      const send = (number: number) =>
        post(port, deliveryHeaders(`evt_P_${number}`, makeBody(number), [secret], Date.now()), makeBody(number));
      expect(await send(2)).toBe(204);
      const head = "POST / HTTP/1.1\r\nHost: a\r\n";
      const stalled = await Promise.all(
        ["", "POS", head, `${head}Content-Length: 100\r\n\r\nhalf`].map((sent) => stall(port, sent)),
      );
      expect(await send(3)).toBe(204);
      for (const socket of stalled) socket.destroy();
      await expect.poll(() => program.lines).toEqual(["2 transaction.completed Ä-2", "3 transaction.completed Ä-3"]);
    });
  });

  it("accepts a chunked body", async ({ expect }) => {
    await withReceiver(example, async ({ port, secret }) => {
      const headers = deliveryHeaders("evt_P_2", makeBody(2), [secret], Date.now());
      expect(await post(port, headers, makeBody(2))).toBe(204);
      const chunked = {
        method: "POST",
        headers: deliveryHeaders("evt_P_3", makeBody(3), [secret], Date.now()),
        body: new Blob([makeBody(3)]).stream(),
        duplex: "half",
      } as const;
      const { status } = await fetch(`http://localhost:${port}/`, chunked);
      expect(status).toBe(204);
    });
  });

  it("accepts each event once, with any of its secrets, and refuses forgeries", async ({ expect }) => {
    await withReceiver(example, async ({ port, secret, program }) => {
      const send = (number: number, secrets: string[], at = Date.now(), body = makeBody(number)) =>
        post(port, deliveryHeaders(`evt_P_${number}`, makeBody(number), secrets, at), body);
      expect(await send(1, [secret])).toBe(204);
      expect(await send(2, [secret])).toBe(204);
      expect(await send(2, [secret])).toBe(204);
      expect(await send(3, [newSecret(), secret])).toBe(204);
      expect(await send(4, [newSecret()])).toBe(401);
      expect(await send(4, [secret], Date.now() - 600_000)).toBe(401);
      expect(await send(4, [secret], Date.now(), `${makeBody(4)} `)).toBe(401);
      const strange = [
        "Content-Length: 0",
        "webhook-id: 9",
        "webhook-timestamp: \u00b2",
        "webhook-signature: v1,\u00e4",
      ];
      // Some languages refuse by themselves what is not HTTP.
      const refused = ["400", "401", "411", "413"];
      for (const headers of [[], strange]) expect(refused).toContain(await postRaw(port, headers));
      expect([...refused, "no answer"]).toContain(await postRaw(port, ["Content-Length: many"]));
      const ping = JSON.stringify({ id: "ping_1", type: "ping", timestamp: "", data: {} });
      expect(await post(port, deliveryHeaders("ping_1", ping, [secret], Date.now()), ping)).toBe(204);
      expect(program.lines).toEqual(["2 transaction.completed Ä-2", "3 transaction.completed Ä-3"]);
    });
  });
});

/** PHP's own server reads a body to its end before a script runs. It is for trying; a web server has a limit. */
const WITH_LIMIT = PROGRAMS.filter(({ name }) => name !== "PHP");

describe.each(runnable(WITH_LIMIT))("$name", (example) => {
  it("stops reading a body without end", async ({ expect }) => {
    await withReceiver(example, async ({ port, secret }) => {
      const send = (number: number) =>
        post(port, deliveryHeaders(`evt_P_${number}`, makeBody(number), [secret], Date.now()), makeBody(number));
      expect(await send(2)).toBe(204);
      expect(await sendEndlessBody(port)).toBeLessThan(ENDLESS);
      expect(await send(3)).toBe(204);
    });
  });
});
