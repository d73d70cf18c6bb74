/** The receivers of the documentation, run as programs: they accept each delivery of the gateway once, and nothing else. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { deliveryHeaders, newSecret } from "../../src/account/webhooks/deliveries.ts";
import { freePort } from "../support/free-port.ts";
import { type Example, prepared, started, runnable, TILLS } from "../support/tills.ts";

function bodyOf(number: number): string {
  return JSON.stringify({
    id: `evt_P_${number}`,
    number,
    type: "transaction.completed",
    data: { referenceId: `Ä-${number}` },
  });
}

const PROGRAMS: Example[] = [
  { name: "JavaScript", files: ["receive.mjs"], tools: [], run: [process.execPath, "receive.mjs"] },
  ...TILLS.map((till) => ({ ...till, run: till.receive ?? [...till.run, "webhook"] })),
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
  for (let tries = 0; ; tries++) {
    try {
      const { status } = await fetch(`http://localhost:${port}/`, { method: "POST", headers, body });
      return status;
    } catch (error) {
      if (tries >= 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe.each(runnable(PROGRAMS))("$name", (example) => {
  it("accepts each event once, under any of its secrets, and refuses what the gateway has not sent", async ({
    expect,
  }) => {
    const secret = newSecret();
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), "receiver-"));
    await writeFile(join(folder, "last-event"), "1");
    const env = { WEBHOOK_SECRET: secret, PORT: String(port), LAST: "1", TILL_FOLDER: folder };
    const command = await prepared(example, folder);
    const program = started(
      command.map((word) => word.replace("{port}", String(port))),
      env,
    );
    try {
      const send = (number: number, secrets: string[], at = Date.now(), body = bodyOf(number)) =>
        post(port, deliveryHeaders(`evt_P_${number}`, bodyOf(number), secrets, at), body);
      expect(await send(1, [secret])).toBe(204);
      expect(await send(2, [secret])).toBe(204);
      expect(await send(2, [secret])).toBe(204);
      expect(await send(3, [newSecret(), secret])).toBe(204);
      expect(await send(4, [newSecret()])).toBe(401);
      expect(await send(4, [secret], Date.now() - 600_000)).toBe(401);
      expect(await send(4, [secret], Date.now(), `${bodyOf(4)} `)).toBe(401);
      const strange = [
        "Content-Length: 0",
        "webhook-id: 9",
        "webhook-timestamp: \u00b2",
        "webhook-signature: v1,\u00e4",
      ];
      // Some languages refuse by themselves what is not HTTP.
      const refused = ["400", "401", "411"];
      for (const headers of [[], strange]) expect(refused).toContain(await postRaw(port, headers));
      expect([...refused, "no answer"]).toContain(await postRaw(port, ["Content-Length: many"]));
      const ping = JSON.stringify({ id: "ping_1", type: "ping", timestamp: "", data: {} });
      expect(await post(port, deliveryHeaders("ping_1", ping, [secret], Date.now()), ping)).toBe(204);
      expect(program.lines).toEqual(["2 transaction.completed Ä-2", "3 transaction.completed Ä-3"]);
    } finally {
      await program.end("SIGTERM");
      await rm(folder, { recursive: true });
    }
  });
});
