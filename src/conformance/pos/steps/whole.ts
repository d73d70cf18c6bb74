/** What only the whole run shows: every message is held against the rules. */
import { KEPT, blocked, broken, keptUnless } from "../../step.ts";
import type { Step, Verdict } from "../../step.ts";
import { textOf } from "../../terminal/heard.ts";
import { wrongSignature } from "../../terminal/judge/greeting.ts";
import type { MessageHeard } from "../heard.ts";
import { datetimeProblems, fieldProblems } from "../judge.ts";
import { transactions } from "../scene.ts";
import type { PosScene } from "../scene.ts";

function overAll(
  step: Omit<Step<PosScene>, "run"> & { judge: (messages: readonly MessageHeard[], scene: PosScene) => Verdict },
): Step<PosScene> {
  const { judge, ...rest } = step;
  return {
    ...rest,
    async run(scene) {
      const { items } = scene.options.counterpart.messages;
      return items.length === 0 ? blocked("no message came") : judge(items, scene);
    },
  };
}

function different(problems: readonly string[]): string[] {
  return [...new Set(problems)].slice(0, 5);
}

const signature = overAll({
  name: "signature",
  title: "Signs every message",
  duty: "signature is the lowercase hex HMAC-SHA-256 over the RFC 8785 form of the body without signature, keyed with the text of the signing key.",
  harm: "The gateway answers 400, and the till cannot take payments.",
  mend: "Compare form and key with the test vectors of this project (test/signing/vectors.json): names sorted, no white space, texts as JSON.stringify writes them.",
  judge(messages) {
    const wrong = messages.filter(({ signatureHolds }) => !signatureHolds);
    const [first] = wrong;
    if (first === undefined) return KEPT;
    const seen = `${wrong.length} of ${messages.length} are not: ${wrongSignature(first.body)}`;
    return broken("every message is signed", seen);
  },
});

const datetime = overAll({
  name: "datetime",
  title: "Tells the time in UTC",
  duty: "datetime is the time in UTC as YYYYMMDDTHHMMSS, with or without the T, right within 15 minutes, and new in every repetition.",
  harm: "The gateway answers 400; where the till sends local time, always.",
  mend: "Format the time in UTC, and keep the till's clock synchronised.",
  judge(messages) {
    return keptUnless(different(messages.flatMap(datetimeProblems)), "the time in UTC");
  },
});

const fields = overAll({
  name: "fields",
  title: "Sends the fields that the gateway takes",
  duty: "Every mandatory field, within its length, of its kind, with the ids of the account and its device.",
  harm: "The gateway answers 400, and the till cannot take this kind of payment.",
  mend: "See the field that is named.",
  judge(messages, scene) {
    const problems = messages.flatMap((message) => fieldProblems(message, scene.options.account));
    return keptUnless(different(problems), "fields as in the table of the request");
  },
});

const unique = overAll({
  name: "unique-reference",
  title: "Takes a referenceId of its own for each transaction",
  duty: "A referenceId belongs to one transaction: a new sale or void has a new one.",
  harm: "A sale gets the stored answer of an earlier one: the till shows “approved”, and nobody has paid.",
  mend: "Draw 20 characters at random, or time and till number and counter; never a counter that starts again.",
  judge(messages) {
    const drives = new Map<string, Set<number>>();
    for (const { body, drive } of transactions(messages)) {
      const reference = textOf(body, "referenceId");
      drives.set(reference, (drives.get(reference) ?? new Set()).add(drive));
    }
    const again = [...drives].flatMap(([reference, of]) =>
      of.size > 1 ? [`${reference} for ${of.size} of them`] : [],
    );
    return keptUnless(different(again), "a new referenceId for each transaction");
  },
});

const urls: Step<PosScene> = {
  name: "urls",
  title: "Puts no token and no password into a URL",
  duty: "Tokens travel as Authorization: Bearer, the password in the body of the login; nothing of them in a URL.",
  harm: "URLs are written into logs of every proxy on the way, and a token or password there is everybody's.",
  mend: "Use the header, and the body.",
  async run(scene) {
    const { items } = scene.options.counterpart.calls;
    const paths = items.filter(({ secretInUrl }) => secretInUrl).map(({ method, path }) => `${method} ${path}`);
    return keptUnless(different(paths), "URLs without secrets");
  },
};

const bearer: Step<PosScene> = {
  name: "bearer",
  title: "Carries its access token in every call",
  duty: "Authorization: Bearer with the access token of the newest pair; the refresh token only at /auth/refresh.",
  harm: "Every call fails with 401 first, or the token that lives till midnight travels with each of them.",
  mend: "Keep both tokens of the newest pair apart.",
  async run(scene) {
    const { items } = scene.options.counterpart.calls;
    const calls = items.filter(({ path }) => path.startsWith("/api/"));
    if (calls.length === 0) return blocked("no call came");
    const wrong = calls.filter(({ token }) => token === "none" || token === "refresh");
    const problems = wrong.map(
      ({ path, token }) => `${path} with ${token === "none" ? "no token" : "the refresh token"}`,
    );
    return keptUnless(different(problems), "the access token");
  },
};

export const WHOLE: readonly Step<PosScene>[] = [signature, datetime, fields, unique, urls, bearer];
