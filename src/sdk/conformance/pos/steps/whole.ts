/** Steps that check every message of the run. */
import { err, ok } from "../../../../protocol/result.ts";
import { blockedVerdict, keptIfSigned, keptThroughout, stepsWith, type KitStep } from "../../step.ts";
import { datetimeProblem, fieldProblems } from "../judge.ts";
import { atAnyTime, type PosScene } from "../scene.ts";

const overAll = stepsWith(async (scene: PosScene) => {
  const { account, messages } = scene.options.proxy;
  return messages.items.length === 0
    ? err(blockedVerdict("no message arrived"))
    : ok({ account, messages: messages.items });
});

export const POS_WHOLE_STEPS: readonly KitStep<PosScene>[] = [
  overAll({
    name: "signature",
    title: "Signs every message",
    duty: "signature is the lowercase hex HMAC-SHA-256 over the RFC 8785 form of the body without signature. The key is the text of the signing key.",
    harm: "The gateway returns 400, and the POS cannot take payments.",
    fix: "Compare form and key with the vectors at /docs/examples/vectors.json: sorted names, no white space, strings as JSON.stringify writes them.",
    judge({ messages }) {
      const wrong = messages.filter(({ signatureHolds }) => !signatureHolds).map(({ body }) => body);
      return keptIfSigned(messages.length, wrong, "every message is signed");
    },
  }),
  overAll({
    name: "datetime",
    title: "Sends the time in UTC",
    duty: "datetime is the time in UTC as YYYYMMDDTHHMMSS, with or without the T, correct within 15 minutes, and new in every retry.",
    harm: "The gateway returns 400, always if the POS sends local time.",
    fix: "Format the time in UTC and synchronise the POS's clock.",
    judge: ({ messages }) => keptThroughout(messages.map(datetimeProblem), "the time in UTC"),
  }),
  overAll({
    name: "fields",
    title: "Sends the fields that the gateway accepts",
    duty: "Every mandatory field is present, has the right type and length, and names the account and its device.",
    harm: "The gateway returns 400, and the POS cannot take this kind of payment.",
    fix: "Fix the named field.",
    judge({ account, messages }) {
      const problems = messages.flatMap((message) => fieldProblems(message, account));
      return keptThroughout(problems, "the fields listed in the request's table");
    },
  }),
  atAnyTime({
    name: "urls",
    title: "Puts no token and no password into a URL",
    duty: "Tokens go into Authorization: Bearer, the password into the body of the login, neither into a URL.",
    harm: "Every proxy logs URLs, so a token or password in a URL is no longer secret.",
    fix: "Use the header and the body.",
    judge({ proxy }) {
      if (proxy.calls.items.length === 0) return blockedVerdict("no call arrived");
      const wrong = proxy.calls.items.filter(({ secretInUrl }) => secretInUrl);
      return keptThroughout(
        wrong.map(({ method, path }) => `${method} ${path}`),
        "URLs without secrets",
      );
    },
  }),
  atAnyTime({
    name: "bearer",
    title: "Sends its access token with every call",
    duty: "Authorization: Bearer has the newest access token. The refresh token goes only to /auth/refresh.",
    harm: "Every call fails with 401 first, or carries the token that is valid until midnight.",
    fix: "Keep the two tokens of the newest pair apart.",
    judge({ proxy }) {
      const calls = proxy.calls.items.filter(({ path }) => path.startsWith("/api/"));
      if (calls.length === 0) return blockedVerdict("no call arrived");
      const problems = calls.map(
        ({ path, token }) =>
          (token === "none" || token === "refresh") &&
          `${path} with ${token === "none" ? "no token" : "the refresh token"}`,
      );
      return keptThroughout(problems, "the access token");
    },
  }),
];
