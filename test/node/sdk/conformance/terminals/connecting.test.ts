/** Terminals that break one duty each, and the steps of the kit that must notice: from the login to the heartbeat. */
import { withSignature } from "../../../../../src/protocol/signing/signature.ts";
import { formatDatetime } from "../../../../../src/protocol/time/datetime.ts";
import { signedAgain, type Frame } from "../../../../support/tampered-terminal.ts";
import { broken, findsBroken, isType, saying } from "./parts.ts";

findsBroken([
  broken("signs its login with something else", ["login"], () => ({
    login: (body) => ({ ...body, signature: "0".repeat(64) }),
  })),
  broken(
    "sends a login again that it has used",
    ["logins-anew"],
    () => {
      const logins: Frame[] = [];
      return {
        login: (body) => {
          logins.push(body);
          // The first one has the wrong time.
          return logins[1] ?? body;
        },
      };
    },
    { only: ["login", "login-clock", "restart-memory", "logins-anew"] },
  ),
  broken("does not read serverTime", ["login-clock"], () => ({
    answer: async (response) => {
      if (response.status !== 400) return response;
      const body: Frame = await response.json();
      delete body["serverTime"];
      return Response.json(body, { status: 400 });
    },
  })),
  broken("puts its token into the URL", ["connect"], () => ({
    connect: (url, protocols) => `${url}?token=${protocols.splice(1, 1)[0] ?? ""}`,
  })),
  broken("says hello without a serial number", ["hello"], () =>
    saying("hello", ({ terminalSn: _terminalSn, ...rest }) => rest),
  ),
  broken("says hello with a nonce of its own", ["hello-nonce"], () =>
    saying("hello", (frame) => ({ ...frame, nonce: "mine" })),
  ),
  broken("does not sign its hello", ["hello-signature"], () => ({
    toGateway: (frame) => (isType(frame, "hello") ? { ...frame, signature: "0".repeat(64) } : frame),
  })),
  broken("takes payments for nobody", ["unbound"], () => {
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
  }),
  broken("binds itself without its token", ["bind"], () => ({
    call: (request) => {
      if (request.url.endsWith("/terminal/bind")) request.headers.delete("Authorization");
      return request;
    },
  })),
  broken("does not sign its bind", ["bind"], () => ({ bind: ({ key }) => ({ key: key ?? "" }) })),
  broken("signs its bind with another key", ["bind"], () => ({ bind: (body) => withSignature(body, "another key") })),
  broken("signs its bind at the time of its own clock", ["bind"], () => ({
    bind: (body) => signedAgain({ ...body, datetime: formatDatetime(Date.now()) }),
  })),
  broken("has no heartbeat", ["heartbeat", "gives-up"], () => ({
    textToGateway: (text, wire) => {
      if (text !== "ping") return text;
      wire.tellText("pong");
      return null;
    },
  })),
  broken("does not answer ping", ["pong"], () => ({ textToGateway: (text) => (text === "pong" ? null : text) })),
  broken("does not notice that nobody answers", ["gives-up"], () => ({
    textToGateway: (text, wire) => {
      wire.tellText("pong");
      return text;
    },
  })),
]);
