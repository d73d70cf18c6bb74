/** The receivers of the documentation, run as programs: they accept each delivery of the gateway once, and nothing else. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { describe, it } from "vitest";
import { deliveryHeaders, newSecret } from "../../src/account/webhooks/signature.ts";
import { freePort } from "../support/free-port.ts";

const EXAMPLES = join(new URL("../..", import.meta.url).pathname, "src", "docs", "examples");

function bodyOf(number: number): string {
  return JSON.stringify({
    id: `evt_P_${number}`,
    number,
    type: "transaction.completed",
    data: { referenceId: `Ä-${number}` },
  });
}

function isOnPath(tool: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((place) => existsSync(join(place, tool)));
}

const PROGRAMS = [
  { file: "receive.mjs", command: process.execPath, there: true },
  { file: "receive.py", command: "python3", there: isOnPath("python3") },
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

describe.each(PROGRAMS)("$file", ({ file, command, there }) => {
  if (!there) {
    console.log(`Left out: ${file}, which needs ${command}.`);
    it("is a file", ({ expect }) => expect(existsSync(join(EXAMPLES, file))).toBe(true));
    return;
  }

  it("accepts each event once, under any of its secrets, and refuses what the gateway has not sent", async ({
    expect,
  }) => {
    const secret = newSecret();
    const port = await freePort();
    const program = spawn(command, [file], {
      cwd: EXAMPLES,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), LAST: "1" },
    });
    let printed = "";
    program.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    const ended = new Promise((resolve) => program.once("exit", resolve));
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
      const strange = ["webhook-id: evt_P_9", "webhook-timestamp: \u00b2", "webhook-signature: v1,\u00e4"];
      for (const headers of [[], strange]) expect(await postRaw(port, headers)).toBe("401");
      // Node itself refuses the length.
      expect(["400", "401"]).toContain(await postRaw(port, ["Content-Length: many"]));
      const ping = JSON.stringify({ id: "ping_1", type: "ping", timestamp: "", data: {} });
      expect(await post(port, deliveryHeaders("ping_1", ping, [secret], Date.now()), ping)).toBe(204);
      expect(printed.trimEnd().split("\n")).toEqual(["2 transaction.completed Ä-2", "3 transaction.completed Ä-3"]);
    } finally {
      program.kill();
      await ended;
    }
  });
});
