import { shortDuration } from "../../../../protocol/time/duration.ts";
import { HELLO_WITHIN } from "../../../../protocol/limits.ts";
import { err, ok } from "../../../../protocol/result.ts";
import { verifySignature } from "../../../../protocol/signing/signature.ts";
import { textOf, wrongSignature } from "../../message.ts";
import {
  KEPT,
  blockedVerdict,
  brokenVerdict,
  keptIf,
  keptUnless,
  leftOutVerdict,
  stepsWith,
  type KitStep,
} from "../../step.ts";
import { withDash } from "../../tester.ts";
import { now } from "../../times.ts";
import {
  bindProblems,
  connectProblems,
  helloProblems,
  isTolerable,
  describeFrames,
  loginProblems,
  measureSkew,
} from "../judge.ts";
import { anyTime, refuses, type TerminalScene } from "../scene.ts";

const NO_LOGIN = "the terminal did not log in (see “login”)";
const NO_CONNECTION = "the terminal did not open its WebSocket (see “connect”)";

const withHello = stepsWith(async (scene: TerminalScene) => {
  const { counterpart, patience } = scene.options;
  const line = (await counterpart.greeted.next({ within: patience.reconnect }))?.item;
  const hello = line?.hello?.frame ?? null;
  if (line === undefined || hello === null) return err(blockedVerdict("there was no hello (see “hello”)"));
  return ok({ ...scene.options, scene, line, hello });
});

export const CONNECTING: readonly KitStep<TerminalScene>[] = [
  anyTime({
    name: "login",
    title: "Signs its login",
    duty: "POST /terminal/login with {terminalId, datetime, signature}. signature is the lowercase hex HMAC-SHA-256 over the RFC 8785 form without signature. The key is the text of the secret.",
    harm: "The terminal cannot log in, and no POS can use it.",
    fix: "Compare form and key with the vectors at /docs/examples/vectors.json. The key is the text of the secret, not its decoded bytes.",
    async judge({ scene, counterpart, patience, terminalId }) {
      const first = await counterpart.logins.next({ within: patience.start });
      if (first === null) {
        scene.hopeless = "the terminal did not log in";
        return brokenVerdict("a login", `nothing within ${shortDuration(patience.start)}`);
      }
      const { body, query } = first.item;
      const problems = [
        ...loginProblems(body, counterpart.secret, terminalId),
        query !== "" && "the URL has a query; a login belongs in the body",
      ];
      return keptUnless(problems, "a login signed with the terminal's secret");
    },
  }),
  anyTime({
    name: "login-clock",
    title: "Takes the time from serverTime when its clock is off",
    duty: "The gateway answers a login whose datetime is more than 15 minutes off with 400 and serverTime (epoch milliseconds). The terminal logs in again with that time.",
    harm: "A terminal with a dead clock battery stays offline until its clock is set.",
    fix: "Keep the difference between serverTime and your clock, and add it to the datetime of every login.",
    async judge({ counterpart, patience }) {
      const [first] = counterpart.logins.items;
      if (first === undefined) return blockedVerdict(NO_LOGIN);
      if (first.status !== 400) return leftOutVerdict("its first login had the right time, or no time");
      const again = await counterpart.logins.next({ from: 1, within: patience.reconnect });
      if (again === null) {
        const seen = `no other login within ${shortDuration(patience.reconnect)}`;
        return brokenVerdict("another login with the time from serverTime", seen);
      }
      const skew = measureSkew(again.item.body, now());
      const seen =
        skew === null ? "a login without a datetime" : `a login that is ${shortDuration(Math.abs(skew))} off`;
      return keptIf(isTolerable(skew), "a login with the time from serverTime", seen);
    },
  }),
  anyTime({
    name: "connect",
    title: "Opens its WebSocket with the token in a header",
    duty: "GET /terminal/connect with the token as Authorization: Bearer or as the second entry of Sec-WebSocket-Protocol: pos-terminal.v1, TOKEN. Never in the URL.",
    harm: "Every proxy logs URLs, so a token in a URL is no longer secret. The gateway returns 401.",
    fix: "Send the token of the last login in one of the two headers.",
    async judge({ counterpart, patience }) {
      if (counterpart.logins.items.length === 0) return blockedVerdict(NO_LOGIN);
      const first = await counterpart.connects.next({ within: patience.reconnect });
      if (first === null) return brokenVerdict("an upgrade of GET /terminal/connect", "none");
      return keptUnless(connectProblems(first.item), "a token in a header");
    },
  }),
  anyTime({
    name: "hello",
    title: "Answers welcome with hello",
    duty: "Within 10 seconds of welcome, once: {type: hello, nonce, softwareVersion, terminalSn, memory, open, signature}.",
    harm: "The gateway closes the connection (4003), and the terminal stays offline.",
    fix: "Send every member. memory is a random text created with the terminal's store; open lists the requestIds accepted and not yet acknowledged.",
    async judge({ scene, counterpart: { connects, greeted, heard }, patience }) {
      const asked = await connects.next({ wanted: ({ token }) => token !== "nowhere", within: patience.reconnect });
      if (asked === null) return blockedVerdict(NO_CONNECTION);
      const first = await greeted.next({ within: HELLO_WITHIN + patience.silence });
      const hello = first?.item.hello ?? null;
      if (first === null || hello === null) {
        scene.hopeless = "the terminal did not send hello";
        return brokenVerdict("hello within 10 seconds", describeFrames(heard.items.slice(0, 5)));
      }
      const { openedAt, number } = first.item;
      const took = hello.at - openedAt;
      const earlier = heard.items.find(({ connection }) => connection === number) ?? null;
      const problems = [
        ...helloProblems(hello.frame),
        took > HELLO_WITHIN && `it arrived after ${shortDuration(took)}`,
        earlier !== null && earlier !== hello && earlier.text !== "ping" && `before it: ${describeFrames(earlier)}`,
      ];
      return keptUnless(problems, "a complete hello as the first frame");
    },
  }),
  withHello({
    name: "hello-nonce",
    title: "Returns the nonce of this connection's welcome",
    duty: "hello carries the nonce of the welcome on the same connection.",
    harm: "The gateway treats the hello as a replay and closes the connection (4003).",
    fix: "Use the nonce from the welcome of the same connection.",
    judge: ({ hello, line }) =>
      keptIf(textOf(hello, "nonce") === line.nonce, "the nonce from welcome", "another nonce, or none"),
  }),
  withHello({
    name: "hello-signature",
    title: "Signs its hello",
    duty: "hello is signed with the terminal's secret over all of its members.",
    harm: "The gateway closes the connection (4003), because anyone could claim to be this terminal.",
    fix: "Sign the complete frame, including type and nonce, right before you send it.",
    judge({ scene, counterpart, hello }) {
      if (verifySignature(hello, counterpart.secret)) return KEPT;
      if (counterpart.logins.items.every(({ signatureHolds }) => !signatureHolds)) {
        scene.hopeless = "neither login nor hello is signed with this secret: fix that first";
      }
      return brokenVerdict("a hello signed with the terminal's secret", wrongSignature(hello));
    },
  }),
  anyTime({
    name: "unbound",
    title: "Refuses payments while it is unbound",
    duty: "The terminal refuses a request whose posId or merchantId is not the binding's as unbound. With posId null in welcome, that is every request.",
    harm: "A terminal on its way to another shop takes money for the previous shop.",
    fix: "Compare posId and merchantId of every request with the last welcome or binding.",
    async judge({ scene, counterpart, patience }) {
      const line = await scene.lineAfter(0, patience.reconnect);
      if (line === null) return blockedVerdict(NO_CONNECTION);
      if (counterpart.binding.posId !== null) return leftOutVerdict("it was bound before it connected");
      const verdict = await refuses({ line, patience }, "unbound", scene.draft("wait"));
      counterpart.letBind();
      return verdict;
    },
  }),
  anyTime({
    name: "bind",
    title: "Binds itself with a key",
    duty: "POST /terminal/bind with {key, datetime, signature}, signed like a login, and the terminal's token as Authorization: Bearer.",
    harm: "A shop cannot bind the terminal with the key that its POS shows.",
    fix: "Send the key as entered or scanned, in any case, with or without dashes. Sign the message with the time from the last serverTime. Log in again if the token has expired (expiresAt).",
    async judge({ counterpart, patience, tester, bindKey }) {
      counterpart.letBind();
      tester.tell(`At the terminal: bind it with the key ${withDash(bindKey)}.`);
      const call = await counterpart.binds.next({ within: patience.bind });
      if (call === null)
        return leftOutVerdict(`no call within ${shortDuration(patience.bind)}; the kit bound the terminal`);
      const { tokenHolds, status } = call.item;
      if (!tokenHolds)
        return brokenVerdict("the token of the last login as Authorization: Bearer", "another token, or none");
      if (status !== 200) return brokenVerdict("the key that the kit showed", "another key");
      return keptUnless(bindProblems(call.item, counterpart.secret), "a bind signed with the terminal's secret");
    },
  }),
];
