/** From the login to the first hello, and binding with a key. */
import { HELLO_WITHIN } from "../../../protocol/limits/connections.ts";
import { KEPT, blocked, broken, keptUnless, leftOut, seconds } from "../../step.ts";
import type { Step } from "../../step.ts";
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

const NO_LOGIN = "the terminal never logged in (see “login”)";
const NO_HELLO = "there was no hello (see “hello”)";
const NO_CONNECTION = "the terminal never opened its WebSocket (see “connect”)";

const login: Step<TerminalScene> = {
  name: "login",
  title: "Signs its login",
  duty: "POST /terminal/login with {terminalId, datetime, signature}: lowercase hex HMAC-SHA-256 over the RFC 8785 form without signature, keyed with the text of the secret.",
  harm: "The terminal cannot log in at all, and no till can use it.",
  mend: "Compare form and key with the test vectors of this project (test/signing/vectors.json); the key is the secret's text itself, not what it decodes to.",
  async run(scene) {
    const { counterpart, patience, secret, terminalId } = scene.options;
    const first = await counterpart.logins.next(() => true, { from: 0, within: patience.start });
    if (first === null) {
      scene.hopeless = "the terminal never came";
      return broken("a login", `nothing within ${seconds(patience.start)}`);
    }
    const problems = loginProblems(first.item.body, secret, terminalId);
    if (first.item.query !== "") problems.push("the URL has a query: nothing of a login belongs there");
    return keptUnless(problems, "a login signed with the terminal's secret");
  },
};

const loginClock: Step<TerminalScene> = {
  name: "login-clock",
  title: "Takes the time from serverTime when its clock is off",
  duty: "A login whose datetime is more than 15 minutes off is answered 400 with serverTime (epoch milliseconds): the terminal logs in again with that time.",
  harm: "A terminal whose clock battery is dead stays offline until somebody sets its clock.",
  mend: "Keep the difference between serverTime and your own clock, and add it to the datetime of every login.",
  async run(scene) {
    const { counterpart, clock, patience } = scene.options;
    const [first] = counterpart.logins.items;
    if (first === undefined) return blocked(NO_LOGIN);
    if (first.status !== 400) return leftOut("its first login had the right time already, or none");
    const again = await counterpart.logins.next(() => true, { from: 1, within: patience.reconnect });
    if (again === null) {
      return broken(
        "another login, with the time that was told",
        `no further login within ${seconds(patience.reconnect)}`,
      );
    }
    const skew = skewOf(again.item.body, clock.now());
    if (isTolerable(skew)) return KEPT;
    const seen = skew === null ? "a login without a datetime" : `a login that is ${seconds(Math.abs(skew))} off`;
    return broken("a login with the time that was told", seen);
  },
};

const connect: Step<TerminalScene> = {
  name: "connect",
  title: "Opens its WebSocket with the token in a header",
  duty: "GET /terminal/connect with the token as Authorization: Bearer, or as the second entry of Sec-WebSocket-Protocol: pos-terminal.v1, TOKEN; never in the URL.",
  harm: "URLs are written into logs of every proxy on the way, and a token there is everybody's; the gateway answers 401.",
  mend: "Send the token of the last login in one of the two headers.",
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
  mend: "Send every member: memory is a random text drawn when the terminal's store was created, open the list of requestIds that are accepted and not relieved.",
  async run(scene) {
    const { counterpart, patience } = scene.options;
    const { connects, greeted } = counterpart;
    const asked = await connects.next(({ token }) => token !== "nowhere", { from: 0, within: patience.reconnect });
    if (asked === null) return blocked(NO_CONNECTION);
    const first = await greeted.next(() => true, { from: 0, within: HELLO_WITHIN + patience.silence });
    if (first === null) {
      scene.hopeless = "the terminal never said hello";
      return broken("hello within 10 seconds", listed(counterpart.heard.items.slice(0, 5)));
    }
    const line = first.item;
    const problems = helloProblems(line.hello?.frame ?? null);
    const took = (line.hello?.at ?? 0) - line.openedAt;
    if (took > HELLO_WITHIN) problems.push(`it came after ${seconds(took)}`);
    const earlier = counterpart.heard.items.find(({ connection }) => connection === line.number);
    if (earlier !== line.hello && earlier?.text !== "ping" && earlier !== undefined) {
      problems.push(`before it came ${listed(earlier)}`);
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
  title: "Repeats the nonce of this very welcome",
  duty: "hello carries the nonce of the welcome on the same connection.",
  harm: "The gateway takes the hello for an old one that somebody replays, and closes the connection (4003).",
  mend: "Take nonce from the welcome of the connection that hello is sent on.",
  async run(scene) {
    const line = await firstGreeted(scene);
    if (line === null) return blocked(NO_HELLO);
    if (textOf(line.hello?.frame, "nonce") === line.nonce) return KEPT;
    return broken("the nonce that welcome had", "another one, or none");
  },
};

const helloSignature: Step<TerminalScene> = {
  name: "hello-signature",
  title: "Signs its hello",
  duty: "hello is signed with the terminal's secret, over all of its members.",
  harm: "The gateway closes the connection (4003): anybody could claim to be this terminal.",
  mend: "Sign the frame as it is sent, type and nonce included, as the last thing before it leaves.",
  async run(scene) {
    const { counterpart, secret } = scene.options;
    const frame = (await firstGreeted(scene))?.hello?.frame ?? null;
    if (frame === null) return blocked(NO_HELLO);
    if (verifySignature(frame, secret)) return KEPT;
    if (counterpart.logins.items.every(({ signatureHolds }) => !signatureHolds)) {
      scene.hopeless = "neither login nor hello were signed with this secret: mend that first";
    }
    return broken("a hello signed with the terminal's secret", wrongSignature(frame));
  },
};

const unboundRefuses: Step<TerminalScene> = {
  name: "unbound",
  title: "Refuses payments while it is bound to nobody",
  duty: "A request for another posId or merchantId than the binding's is refused as unbound; with posId null in welcome, that is every request.",
  harm: "A terminal on its way to another shop takes money for the one before.",
  mend: "Compare posId and merchantId of every request with those of the last welcome or binding.",
  async run(scene) {
    const { counterpart, patience } = scene.options;
    const line = await scene.lineAfter(0, patience.reconnect);
    if (line === null) return blocked(NO_CONNECTION);
    if (counterpart.binding.posId !== null) return leftOut("it had bound itself before it connected");
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
  duty: "POST /terminal/bind with {key, datetime, signature}, signed with the terminal's secret as a login is, and the terminal's token as Authorization: Bearer.",
  harm: "A shop cannot bind the terminal by the key that its till shows.",
  mend: "Send the key as it was typed or scanned, in any case, with or without dashes, and sign the message with the time of the last serverTime; log in anew where the token is older than its expiresAt.",
  async run(scene) {
    const { counterpart, patience, tester, bindKey, secret } = scene.options;
    counterpart.letBind();
    tester.tell(`At the terminal: bind it with the key ${bindKey.slice(0, 4)}-${bindKey.slice(4)}.`);
    const call = await counterpart.binds.next(() => true, { from: 0, within: patience.bind });
    if (call === null) return leftOut(`no call came within ${seconds(patience.bind)}; the kit bound it by itself`);
    const { tokenHolds, status } = call.item;
    if (!tokenHolds) return broken("the token of the last login as Authorization: Bearer", "another one, or none");
    if (status !== 200) return broken("the key that was shown", "another key");
    return keptUnless(bindProblems(call.item, secret), "a bind signed with the terminal's secret");
  },
};

export const CONNECTING = [login, loginClock, connect, hello, helloNonce, helloSignature, unboundRefuses, bind];
