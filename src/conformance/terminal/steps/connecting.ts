/** Steps from the login to the first hello, and binding with a key. */
import { shortDuration } from "../../../time/duration.ts";
import { HELLO_WITHIN } from "../../../protocol/limits/connections.ts";
import { KEPT, blocked, broken, keptUnless, leftOut, type Step } from "../../step.ts";
import {
  bindProblems,
  connectProblems,
  helloProblems,
  isTolerable,
  loginProblems,
  skewOf,
  wrongSignature,
} from "../judge/greeting.ts";
import { refusedAs } from "../judge/refusal.ts";
import type { Line } from "../line.ts";
import { verifySignature } from "../../../signing/signature.ts";
import { listed, textOf } from "../heard.ts";
import type { TerminalScene } from "../scene.ts";

const NO_LOGIN = "the terminal did not log in (see “login”)";
const NO_HELLO = "there was no hello (see “hello”)";
const NO_CONNECTION = "the terminal did not open its WebSocket (see “connect”)";

const login: Step<TerminalScene> = {
  name: "login",
  title: "Signs its login",
  duty: "POST /terminal/login with {terminalId, datetime, signature}. signature is the lowercase hex HMAC-SHA-256 over the RFC 8785 form without signature. The key is the text of the secret.",
  harm: "The terminal cannot log in, and no till can use it.",
  fix: "Compare form and key with the test vectors in test/signing/vectors.json. The key is the text of the secret, not its decoded bytes.",
  async run(scene) {
    const { counterpart, patience, secret, terminalId } = scene.options;
    const first = await counterpart.logins.next(() => true, { from: 0, within: patience.start });
    if (first === null) {
      scene.hopeless = "the terminal did not log in";
      return broken("a login", `nothing within ${shortDuration(patience.start)}`);
    }
    const problems = loginProblems(first.item.body, secret, terminalId);
    if (first.item.query !== "") problems.push("the URL has a query; a login belongs in the body");
    return keptUnless(problems, "a login signed with the terminal's secret");
  },
};

const loginClock: Step<TerminalScene> = {
  name: "login-clock",
  title: "Takes the time from serverTime when its clock is off",
  duty: "The gateway answers a login whose datetime is more than 15 minutes off with 400 and serverTime (epoch milliseconds). The terminal logs in again with that time.",
  harm: "A terminal with a dead clock battery stays offline until its clock is set.",
  fix: "Keep the difference between serverTime and your clock, and add it to the datetime of every login.",
  async run(scene) {
    const { counterpart, clock, patience } = scene.options;
    const [first] = counterpart.logins.items;
    if (first === undefined) return blocked(NO_LOGIN);
    if (first.status !== 400) return leftOut("its first login had the right time, or no time");
    const again = await counterpart.logins.next(() => true, { from: 1, within: patience.reconnect });
    if (again === null) {
      return broken(
        "another login with the time from serverTime",
        `no other login within ${shortDuration(patience.reconnect)}`,
      );
    }
    const skew = skewOf(again.item.body, clock.now());
    if (isTolerable(skew)) return KEPT;
    const seen = skew === null ? "a login without a datetime" : `a login that is ${shortDuration(Math.abs(skew))} off`;
    return broken("a login with the time from serverTime", seen);
  },
};

const connect: Step<TerminalScene> = {
  name: "connect",
  title: "Opens its WebSocket with the token in a header",
  duty: "GET /terminal/connect with the token as Authorization: Bearer or as the second entry of Sec-WebSocket-Protocol: pos-terminal.v1, TOKEN. Never in the URL.",
  harm: "Every proxy logs URLs, so a token in a URL is no longer secret. The gateway returns 401.",
  fix: "Send the token of the last login in one of the two headers.",
  async run(scene) {
    const { counterpart, patience } = scene.options;
    if (counterpart.logins.items.length === 0) return blocked(NO_LOGIN);
    const first = await counterpart.connects.next(() => true, { from: 0, within: patience.reconnect });
    if (first === null) return broken("an upgrade of GET /terminal/connect", "none");
    return keptUnless(connectProblems(first.item), "a token in a header");
  },
};

const hello: Step<TerminalScene> = {
  name: "hello",
  title: "Answers welcome with hello",
  duty: "Within 10 seconds of welcome, once: {type: hello, nonce, softwareVersion, terminalSn, memory, open, signature}.",
  harm: "The gateway closes the connection (4003), and the terminal stays offline.",
  fix: "Send every member. memory is a random text created with the terminal's store; open lists the requestIds accepted and not yet acknowledged.",
  async run(scene) {
    const { counterpart, patience } = scene.options;
    const { connects, greeted } = counterpart;
    const asked = await connects.next(({ token }) => token !== "nowhere", { from: 0, within: patience.reconnect });
    if (asked === null) return blocked(NO_CONNECTION);
    const first = await greeted.next(() => true, { from: 0, within: HELLO_WITHIN + patience.silence });
    if (first === null) {
      scene.hopeless = "the terminal did not send hello";
      return broken("hello within 10 seconds", listed(counterpart.heard.items.slice(0, 5)));
    }
    const line = first.item;
    const problems = helloProblems(line.hello?.frame ?? null);
    const took = (line.hello?.at ?? 0) - line.openedAt;
    if (took > HELLO_WITHIN) problems.push(`it arrived after ${shortDuration(took)}`);
    const earlier = counterpart.heard.items.find(({ connection }) => connection === line.number);
    if (earlier !== line.hello && earlier?.text !== "ping" && earlier !== undefined) {
      problems.push(`before it: ${listed(earlier)}`);
    }
    return keptUnless(problems, "a complete hello as the first frame");
  },
};

async function firstGreeted({ options }: TerminalScene): Promise<Line | null> {
  const { counterpart, patience } = options;
  return (await counterpart.greeted.next(() => true, { from: 0, within: patience.reconnect }))?.item ?? null;
}

const helloNonce: Step<TerminalScene> = {
  name: "hello-nonce",
  title: "Returns the nonce of this connection's welcome",
  duty: "hello carries the nonce of the welcome on the same connection.",
  harm: "The gateway treats the hello as a replay and closes the connection (4003).",
  fix: "Use the nonce from the welcome of the same connection.",
  async run(scene) {
    const line = await firstGreeted(scene);
    if (line === null) return blocked(NO_HELLO);
    if (textOf(line.hello?.frame, "nonce") === line.nonce) return KEPT;
    return broken("the nonce from welcome", "another nonce, or none");
  },
};

const helloSignature: Step<TerminalScene> = {
  name: "hello-signature",
  title: "Signs its hello",
  duty: "hello is signed with the terminal's secret over all of its members.",
  harm: "The gateway closes the connection (4003), because anyone could claim to be this terminal.",
  fix: "Sign the complete frame, including type and nonce, right before you send it.",
  async run(scene) {
    const { counterpart, secret } = scene.options;
    const frame = (await firstGreeted(scene))?.hello?.frame ?? null;
    if (frame === null) return blocked(NO_HELLO);
    if (verifySignature(frame, secret)) return KEPT;
    if (counterpart.logins.items.every(({ signatureHolds }) => !signatureHolds)) {
      scene.hopeless = "neither login nor hello is signed with this secret: fix that first";
    }
    return broken("a hello signed with the terminal's secret", wrongSignature(frame));
  },
};

const unboundRefuses: Step<TerminalScene> = {
  name: "unbound",
  title: "Refuses payments while it is unbound",
  duty: "The terminal refuses a request whose posId or merchantId is not the binding's as unbound. With posId null in welcome, that is every request.",
  harm: "A terminal on its way to another shop takes money for the previous shop.",
  fix: "Compare posId and merchantId of every request with the last welcome or binding.",
  async run(scene) {
    const { counterpart, patience } = scene.options;
    const line = await scene.lineAfter(0, patience.reconnect);
    if (line === null) return blocked(NO_CONNECTION);
    if (counterpart.binding.posId !== null) return leftOut("it was bound before it connected");
    const request = scene.draft("wait");
    request.send(line);
    const verdict = refusedAs("unbound", await request.next(patience.answer));
    counterpart.letBind();
    return verdict;
  },
};

const bind: Step<TerminalScene> = {
  name: "bind",
  title: "Binds itself with a key",
  duty: "POST /terminal/bind with {key, datetime, signature}, signed like a login, and the terminal's token as Authorization: Bearer.",
  harm: "A shop cannot bind the terminal with the key that its till shows.",
  fix: "Send the key as entered or scanned, in any case, with or without dashes. Sign the message with the time from the last serverTime. Log in again if the token has expired (expiresAt).",
  async run(scene) {
    const { counterpart, patience, tester, bindKey, secret } = scene.options;
    counterpart.letBind();
    tester.tell(`At the terminal: bind it with the key ${bindKey.slice(0, 4)}-${bindKey.slice(4)}.`);
    const call = await counterpart.binds.next(() => true, { from: 0, within: patience.bind });
    if (call === null) return leftOut(`no call within ${shortDuration(patience.bind)}; the kit bound the terminal`);
    const { tokenHolds, status } = call.item;
    if (!tokenHolds) return broken("the token of the last login as Authorization: Bearer", "another token, or none");
    if (status !== 200) return broken("the key that the kit showed", "another key");
    return keptUnless(bindProblems(call.item, secret), "a bind signed with the terminal's secret");
  },
};

export const CONNECTING = [login, loginClock, connect, hello, helloNonce, helloSignature, unboundRefuses, bind];
