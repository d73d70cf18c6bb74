import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { app } from "../../../../src/gateway/http/app.ts";
import { BODY_BYTES } from "../../../../src/protocol/limits.ts";
import { callWith } from "../../../support/environment.ts";
import {
  accessToken,
  call,
  createAccount,
  type ErrorBody,
  requestOf,
  send,
  uniqueAddress,
} from "../../../support/gateway.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("every answer", () => {
  it("has no-store, nosniff, HSTS and a request id, also for errors", async ({ expect }) => {
    const ids = new Set<string | null>();
    for (const [method, path] of [
      ["GET", "/healthz"],
      ["GET", "/nowhere"],
      ["PUT", "/auth/login"],
      ["POST", "/auth/login"],
      ["GET", "/api/terminals"],
    ] as const) {
      const { headers } = await call(method, path);
      expect(headers.get("Cache-Control")).toBe("no-store");
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
      ids.add(headers.get("X-Request-Id"));
    }
    expect(ids.size).toBe(5);
    expect(ids).not.toContain(null);
  });

  it("is 404 at unknown paths, for every method", async ({ expect }) => {
    for (const path of ["/", "/auth", "/auth/login/", "/api", "/api/nothing", "/healthz/x", "/%00", "/%zz"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const { status, body } = await call<ErrorBody>(method, path);
        expect([path, status, body.code, body.error]).toEqual([path, 404, 40400, "not_found"]);
      }
    }
  });

  it("links to its error's documentation on the gateway that was called", async ({ expect }) => {
    for (const [method, path, code] of [
      ["POST", "/auth/login?secret=1", 40000],
      ["GET", "/api/terminals", 40100],
      ["GET", "/nowhere?x#y", 40400],
      ["PUT", "/auth/login", 40500],
    ] as const) {
      const { body } = await call<ErrorBody>(method, path);
      expect(body).toMatchObject({ code, doc: `https://gateway.test/docs/errors#${code}` });
    }
  });

  it("is 405 with Allow for methods that a path does not have", async ({ expect }) => {
    for (const [method, path, allow] of [
      ["GET", "/auth/login", "POST"],
      ["POST", "/api/terminals", "GET"],
      ["PUT", "/api/prebind-terminals", "POST, GET"],
      ["PATCH", "/api/terminals/t1", "GET, DELETE"],
      ["GET", "/api/transfer", "POST"],
      ["OPTIONS", "/api/transfer", "POST"],
      ["POST", "/healthz", "GET"],
    ] as const) {
      const { status, headers, body } = await call<ErrorBody>(method, path);
      expect([path, status, body.code, body.error]).toEqual([path, 405, 40500, "method_not_allowed"]);
      expect(headers.get("Allow")).toBe(allow);
    }
  });

  it("is 500 without internal details if something breaks", async ({ expect }) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    const DATABASE = {
      prepare: () => {
        throw new Error("inside: table accounts");
      },
    };
    const token = await accessToken(await createAccount());
    const answer = await callWith<ErrorBody>({ DATABASE }, "GET", "/api/ewallet-channels", { token });
    expect(answer.body).toEqual({
      code: 50000,
      doc: "https://gateway.test/docs/errors#50000",
      error: "internal_server_error",
      message: expect.not.stringContaining("inside") as string,
      traceId: answer.headers.get("X-Request-Id"),
    });
    expect(errors.mock.calls.flat().join()).toContain("inside: table accounts");
  });
});

describe("plain HTTP", () => {
  it("is refused with 400, except if there is no network in between", async ({ expect }) => {
    for (const [base, status] of [
      ["http://gateway.test", 400],
      ["http://localhost.evil.test", 400],
      ["http://127.0.0.2", 400],
      ["http://localhost:8787", 200],
      ["http://127.0.0.1:8787", 200],
      ["http://[::1]:8787", 200],
      ["https://gateway.test", 200],
    ] as const) {
      const response = await app.fetch(requestOf(base, "GET", "/healthz", {}), env);
      expect([base, response.status]).toEqual([base, status]);
      expect(response.headers.has("Strict-Transport-Security")).toBe(base.startsWith("https"));
      const { details } = await response.json<Partial<ErrorBody>>();
      expect(details).toEqual(status === 400 ? [{ path: "", message: "Use https." }] : undefined);
    }
  });
});

/** A JSON object of this many bytes. */
function filler(length: number): string {
  return `{"posId":"${"x".repeat(length - 12)}"}`;
}

describe("a body", () => {
  const path = "/auth/login";

  async function problem(
    body: BodyInit | null,
    type = "application/json",
    announced: Record<string, string> = {},
  ): Promise<[number, string | undefined]> {
    // Each from an address of its own: malformed logins count.
    const headers = { "Content-Type": type, "CF-Connecting-IP": uniqueAddress(), ...announced };
    // Node sends a stream only if it is told so.
    const sent = { method: "POST", headers, body, duplex: "half" };
    const response = await app.fetch(new Request(`https://gateway.test${path}`, sent), env);
    const answer = await response.json<ErrorBody>();
    return [response.status, answer.details?.[0]?.message];
  }

  it("has at most 16 KiB, however it is announced", async ({ expect }) => {
    expect(await problem(filler(BODY_BYTES + 1))).toEqual([400, "The body is too large. Send at most 16384 bytes."]);
    expect((await problem(filler(BODY_BYTES)))[1]).not.toBe("The body is too large. Send at most 16384 bytes.");
    // One that says that it is larger is not read.
    for (const length of ["10", String(BODY_BYTES), "", "-1", "many"]) {
      const announced = { "Content-Length": length };
      const tooBig = await problem(filler(BODY_BYTES + 1), "application/json", announced);
      expect([length, ...tooBig]).toEqual([length, 400, "The body is too large. Send at most 16384 bytes."]);
      const fits = await problem(filler(BODY_BYTES), "application/json", announced);
      expect([length, fits[1]]).not.toEqual([length, "The body is too large. Send at most 16384 bytes."]);
    }
    const chunk = new TextEncoder().encode("x".repeat(1000));
    let [sent, isCancelled] = [0, false];
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++;
        controller.enqueue(chunk);
      },
      cancel: () => void (isCancelled = true),
    });
    expect(await problem(endless)).toEqual([400, "The body is too large. Send at most 16384 bytes."]);
    expect([sent < 25, isCancelled]).toEqual([true, true]);
  });

  it("is refused unread, and cancelled, if it announces too great a size", async ({ expect }) => {
    let [isRead, isCancelled] = [false, false];
    const announced = new ReadableStream<Uint8Array>(
      {
        pull: () => void (isRead = true),
        cancel: () => void (isCancelled = true),
      },
      { highWaterMark: 0 },
    );
    const length = { "Content-Length": "3000000" };
    expect(await problem(announced, "application/json", length)).toEqual([
      400,
      "The body is too large. Send at most 16384 bytes.",
    ]);
    expect([isRead, isCancelled]).toEqual([false, true]);
  });

  it("is refused with a sentence about its encoding if it is compressed", async ({ expect }) => {
    const sentence = "The body is compressed. Send it uncompressed, without the header Content-Encoding.";
    const gzip = new Uint8Array([0x1f, 0x8b, 8, 0]);
    for (const encoding of ["gzip", "br", "identity, gzip"]) {
      expect(await problem(gzip, "application/json", { "Content-Encoding": encoding })).toEqual([400, sentence]);
    }
    expect((await problem("{}", "application/json", { "Content-Encoding": "identity" }))[1]).not.toBe(sentence);
  });

  it("is JSON in UTF-8, an object, and says so", async ({ expect }) => {
    expect((await problem("{}", "text/plain"))[1]).toContain("application/json");
    expect((await problem("{}", "application/json; charset=latin1"))[1]).toContain("application/json");
    for (const type of [
      "application/json; charset=UTF-8",
      "application/json; charset=utf8",
      'Application/JSON;charset="utf-8"',
      "application/json; v=1",
    ]) {
      expect([type, (await problem("{}", type))[1]]).toEqual([type, expect.stringContaining("required")]);
    }
    expect((await problem("{}", "application/jsonp"))[1]).toContain("application/json");
    expect((await problem(new Uint8Array([0x7b, 0xff, 0x7d])))[1]).toContain("UTF-8");
    expect((await problem("{"))[1]).toContain("JSON");
    for (const other of ["[]", "null", '"text"', "1", ""]) {
      expect(await problem(other)).toEqual([400, "Send a JSON object."]);
    }
    expect(await problem(null)).toEqual([400, "Send a JSON object."]);
  });

  it("may be missing if none is needed, with any content type", async ({ expect }) => {
    const token = await accessToken(await createAccount());
    const headers = { "Content-Type": "application/json" };
    expect((await call("POST", "/auth/logout", { token, headers })).status).toBe(200);
  });
});

describe("missing secrets", () => {
  it("make every answer a 500, and are named in the log", async ({ expect }) => {
    const errors = vi.spyOn(console, "error").mockImplementation(() => {});
    for (const MASTER_KEYS of [undefined, "", "k1", "k1:AAAA", `k1:${btoa("x".repeat(31))}`]) {
      for (const path of ["/healthz", "/auth/login", "/api/terminals"]) {
        const answer = await callWith<ErrorBody>({ MASTER_KEYS }, "GET", path);
        expect([answer.status, answer.body.error]).toEqual([500, "internal_server_error"]);
        expect(errors.mock.lastCall?.join()).toContain("MASTER_KEYS");
      }
    }
    expect(errors.mock.calls.flat().join()).not.toContain(btoa("x".repeat(31)));
  });
});

function preflight(Origin: string): Record<string, string> {
  return { Origin, "Access-Control-Request-Method": "POST" };
}

describe("cross-origin requests", () => {
  const CORS_ORIGINS = "https://pos.test,https://shop.test";

  it("are allowed for the configured origins", async ({ expect }) => {
    const headers = preflight("https://shop.test");
    const { status, headers: answer } = await callWith({ CORS_ORIGINS }, "OPTIONS", "/api/transfer", { headers });
    expect(status).toBe(204);
    expect(answer.get("Access-Control-Allow-Origin")).toBe("https://shop.test");
    expect(answer.get("Access-Control-Allow-Methods")).toBe("GET,POST,PUT,PATCH,DELETE");
    expect(answer.get("Access-Control-Allow-Headers")).toBe("Authorization,Content-Type,Prefer");
    expect(answer.get("Access-Control-Max-Age")).toBe("600");
    expect(answer.get("Access-Control-Allow-Credentials")).toBeNull();
    const plain = await callWith({ CORS_ORIGINS }, "GET", "/api/terminals", {
      headers: { Origin: "https://pos.test" },
    });
    expect(plain.status).toBe(401);
    expect(plain.headers.get("Access-Control-Allow-Origin")).toBe("https://pos.test");
    expect(plain.headers.get("Access-Control-Expose-Headers")).toBe(
      "Idempotent-Replayed,Link,Preference-Applied,Retry-After,WWW-Authenticate,X-Bind-Key-Expires-At,X-Request-Id",
    );
    expect(plain.headers.get("Vary")).toContain("Origin");
  });

  it("are not allowed for any other origin, nor if none is configured", async ({ expect }) => {
    for (const [changes, origin] of [
      [{ CORS_ORIGINS }, "https://evil.test"],
      [{ CORS_ORIGINS }, "https://shop.test.evil.test"],
      [{ CORS_ORIGINS: "" }, "https://shop.test"],
      [{ CORS_ORIGINS: undefined }, ""],
    ] as const) {
      const options = { headers: preflight(origin) };
      const { status, headers } = await callWith(changes, "OPTIONS", "/api/transfer", options);
      expect(status).toBe(405);
      expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
  });
});

describe("the log", () => {
  it("has one line per request, with route and caller", async ({ expect }) => {
    const account = await createAccount();
    const token = await accessToken(account);
    for (const [query, status] of [
      ["", 404],
      ["?token=secret", 400],
    ] as const) {
      const lines = vi.spyOn(console, "log").mockImplementation(() => {});
      const response = await send("GET", `/api/terminals/4111111111111111${query}`, { token });
      await response.text();
      expect(lines.mock.calls).toHaveLength(1);
      const line = JSON.parse(String(lines.mock.calls[0]?.[0])) as Record<string, unknown>;
      expect(line).toEqual({
        level: "info",
        event: "request_answered",
        traceId: response.headers.get("X-Request-Id"),
        method: "GET",
        route: "/api/terminals/:terminalId",
        status,
        milliseconds: expect.any(Number) as number,
        account: account.posId,
      });
      lines.mockRestore();
    }
  });
});
