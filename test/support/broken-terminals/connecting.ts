/** From the login to the heartbeat. */
import { withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import { signedAgain } from "../tampered-terminal.ts";
import type { Frame } from "../tampered-terminal.ts";
import { isType, saying } from "./parts.ts";
import type { BrokenTerminal } from "./parts.ts";

export const CONNECTING: readonly BrokenTerminal[] = [
  {
    what: "signs its login with something else",
    breaks: ["login"],
    tampering: () => ({ login: (body) => ({ ...body, signature: "0".repeat(64) }) }),
  },
  {
    what: "sends a login again that it has used",
    breaks: ["logins-anew"],
    only: ["login", "login-clock", "restart-memory", "logins-anew"],
    tampering: () => {
      const logins: Frame[] = [];
      return {
        login: (body) => {
          logins.push(body);
          // The first one has the wrong time.
          return logins[1] ?? body;
        },
      };
    },
  },
  {
    what: "does not read serverTime",
    breaks: ["login-clock"],
    tampering: () => ({
      answer: async (response) => {
        if (response.status !== 400) return response;
        const body: Frame = await response.json();
        delete body["serverTime"];
        return Response.json(body, { status: 400 });
      },
    }),
  },
  {
    what: "puts its token into the URL",
    breaks: ["connect"],
    tampering: () => ({
      connect: (url, protocols) => `${url}?token=${protocols.splice(1, 1)[0] ?? ""}`,
    }),
  },
  {
    what: "says hello without a serial number",
    breaks: ["hello"],
    tampering: () => saying("hello", ({ terminalSn: _terminalSn, ...rest }) => rest),
  },
  {
    what: "says hello with a nonce of its own",
    breaks: ["hello-nonce"],
    tampering: () => saying("hello", (frame) => ({ ...frame, nonce: "mine" })),
  },
  {
    what: "does not sign its hello",
    breaks: ["hello-signature"],
    tampering: () => ({
      toGateway: (frame) => (isType(frame, "hello") ? { ...frame, signature: "0".repeat(64) } : frame),
    }),
  },
  {
    what: "takes payments for nobody",
    breaks: ["unbound"],
    tampering: () => {
      let isBound = false;
      return {
        toTerminal: (frame) => {
          isBound ||= isType(frame, "binding");
          return frame;
        },
        toGateway: (frame) =>
          isType(frame, "refused") && !isBound
            ? { type: "accepted", requestId: frame["requestId"] ?? "", attempt: 1 }
            : frame,
      };
    },
  },
  {
    what: "binds itself without its token",
    breaks: ["bind"],
    also: ["bind"],
    tampering: () => ({
      call: (request) => {
        if (request.url.endsWith("/terminal/bind")) request.headers.delete("Authorization");
        return request;
      },
    }),
  },
  {
    what: "does not sign its bind",
    breaks: ["bind"],
    also: ["bind"],
    tampering: () => ({ bind: ({ key }) => ({ key: key ?? "" }) }),
  },
  {
    what: "signs its bind with another key",
    breaks: ["bind"],
    also: ["bind"],
    tampering: () => ({ bind: (body) => withSignature(body, "another key") }),
  },
  {
    what: "signs its bind at the time of its own clock",
    breaks: ["bind"],
    also: ["bind"],
    tampering: () => ({ bind: (body) => signedAgain({ ...body, datetime: formatDatetime(Date.now()) }) }),
  },
  {
    what: "has no heartbeat",
    breaks: ["heartbeat", "gives-up"],
    also: ["heartbeat", "gives-up"],
    tampering: () => ({
      textToGateway: (text, wire) => {
        if (text !== "ping") return text;
        wire.tellText("pong");
        return null;
      },
    }),
  },
  {
    what: "does not answer ping",
    breaks: ["pong"],
    tampering: () => ({ textToGateway: (text) => (text === "pong" ? null : text) }),
  },
  {
    what: "does not notice that nobody answers",
    breaks: ["gives-up"],
    also: ["gives-up"],
    tampering: () => ({
      textToGateway: (text, wire) => {
        wire.tellText("pong");
        return text;
      },
    }),
  },
];
