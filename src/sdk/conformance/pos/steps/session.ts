import {
  blockedVerdict,
  KEPT,
  keptUnless,
  leftOutVerdict,
  type PossibleProblems,
  type KitStep,
  type StepWords,
} from "../../step.ts";
import { LOGINS_FOR_A_SALE } from "../../times.ts";
import { dataOf, textOf } from "../../message.ts";
import type { Action } from "../drive.ts";
import {
  listReferences,
  refusalOfAll,
  refusalText,
  answerProblem,
  groupByTransaction,
  type RecordedCall,
  type RecordedMessage,
} from "../judge.ts";
import type { FaultProxy } from "../proxy.ts";
import { atAnyTime, type Driven, type PosScene, withoutSale } from "../scene.ts";

function listCalls(proxy: FaultProxy, path: string): RecordedCall[] {
  return proxy.calls.items.filter((call) => call.path === path);
}

const TOKENS = {
  refresh: "the newest refresh token",
  stale: "a replaced token",
  unknown: "another token",
  access: "the access token",
  none: "no token",
};

async function sellAtTheEnd(what: "access" | "session", scene: PosScene): Promise<Driven> {
  const { tokens } = scene.options.proxy;
  tokens.endInUse(what);
  const driven = await scene.sale();
  // Lets the later steps test what else the POS can do.
  if (driven.shown !== "approved") tokens.acceptAgain();
  return driven;
}

interface Sale {
  referenceId: string;
  transId: string;
}

interface AfterSale extends StepWords {
  action: (sale: Sale) => Action;
  expected: (sale: Sale) => string;
  problems: (messages: readonly RecordedMessage[], sale: Sale) => PossibleProblems;
}

function afterSale({ action, expected, problems, ...words }: AfterSale): KitStep<PosScene> {
  return {
    ...words,
    async run(scene) {
      const sold = await scene.sale();
      const [referenceId = ""] = listReferences(sold.messages);
      const charge = scene.options.terminal.ledger.charges.find((one) => one.referenceId === referenceId);
      if (charge === undefined)
        return withoutSale(scene, sold.messages) ?? blockedVerdict("the terminal did not charge the sale");
      const sale = { referenceId, transId: charge.transId };
      const { messages, shown } = await scene.drive(action(sale));
      if (shown === "unsupported") return leftOutVerdict("the POS does not support it");
      return keptUnless([...problems(messages, sale), answerProblem(shown, "approved")], expected(sale));
    },
  };
}

export const SESSION: readonly KitStep<PosScene>[] = [
  atAnyTime({
    name: "sale",
    title: "Makes a sale",
    duty: "POST /api/transfer with transType sale, once. 00 means that money moved; the POS shows it as approved.",
    harm: "The POS cannot take payments.",
    fix: "Point the POS at the kit's address with the kit's account, and read the POS's log. The output of a --drive command may contain secrets: --show-output prints it.",
    async judge({ scene, proxy }) {
      const { messages, shown } = await scene.sale();
      const wrong = answerProblem(shown, "approved");
      const expected = "one sale at POST /api/transfer, shown as approved";
      if (messages.length === 0) {
        scene.noSales = "the POS did not send a sale (see “Makes a sale”)";
        const refusals = proxy.calls.items.flatMap(({ method, path, refusal }) =>
          refusal === null ? [] : [`${method} ${path}: ${refusalText(refusal)}`],
        );
        const others = [`${proxy.calls.items.length} other calls`, ...new Set(refusals)];
        return keptUnless([...others, wrong], expected);
      }
      const refusal = refusalOfAll(messages);
      if (refusal !== null) {
        scene.noSales = "the gateway refused the sale (see “Makes a sale”)";
        return keptUnless([refusalText(refusal), wrong], expected);
      }
      const { length } = groupByTransaction(messages);
      const disbelieves = length > 1 && messages[0]?.statusCode === "00" && "it sent the sale again after a signed 00";
      return keptUnless([length !== 1 && `${length} messages`, disbelieves, wrong], expected);
    },
  }),
  atAnyTime({
    name: "unique-reference",
    title: "Uses a new referenceId for each transaction",
    duty: "A referenceId belongs to one transaction. A new sale or void has a new referenceId.",
    harm: "A sale gets the stored answer of an earlier one: the POS shows “approved” although nobody paid.",
    fix: "Use 20 random characters, or time, POS number and counter. Do not use a counter that restarts.",
    // The scene looks for used references in every step. This is the first that can find one.
    judge: async ({ scene }) => withoutSale(scene, (await scene.sale()).messages) ?? KEPT,
  }),
  atAnyTime({
    name: "refresh",
    title: "Refreshes its token after a 401 and sends the same message again",
    duty: "A 401 means that the access token has expired. POST /auth/refresh with the newest refresh token as Bearer, then send the same message with the new token.",
    harm: "Every quarter of an hour a sale fails or is made twice.",
    fix: "On 401, refresh once, store both new tokens, and send the message again with the same referenceId.",
    async judge({ scene, proxy }) {
      const from = listCalls(proxy, "/auth/refresh").length;
      const { messages, shown } = await sellAtTheEnd("access", scene);
      if (scene.noSales !== null) return blockedVerdict(scene.noSales);
      const first = listCalls(proxy, "/auth/refresh")[from];
      const { length } = listReferences(messages);
      const problems = [
        first === undefined && "no call of /auth/refresh",
        first !== undefined && !["refresh", "unknown"].includes(first.token) && `a refresh with ${TOKENS[first.token]}`,
        length > 1 && `${length} different referenceIds`,
        answerProblem(shown, "approved"),
      ];
      return keptUnless(problems, "one refresh with the newest refresh token, then the sale");
    },
  }),
  atAnyTime({
    name: "login-again",
    title: "Logs in again when its session has ended",
    duty: "When /auth/refresh also returns 401 (after midnight or a logout), the POS logs in.",
    harm: "Every morning the POS must be restarted.",
    fix: "On a 401 from /auth/refresh, log in and then send the message.",
    async judge({ scene, proxy }) {
      const from = listCalls(proxy, "/auth/login").length;
      const { shown } = await sellAtTheEnd("session", scene);
      if (scene.noSales !== null) return blockedVerdict(scene.noSales);
      const made = listCalls(proxy, "/auth/login").length - from;
      const problems = [
        made === 0 && "no login",
        made > LOGINS_FOR_A_SALE && `${made} logins`,
        answerProblem(shown, "approved"),
      ];
      return keptUnless(problems, "one login, then the sale");
    },
  }),
  atAnyTime({
    name: "login",
    title: "Logs in with a JSON body",
    duty: "POST /auth/login as application/json with {posId, password}, or signed with {posId, datetime, nonce, signature}.",
    harm: "The POS cannot log in.",
    fix: "Send the members as JSON in the body and nowhere else. Sign each login again.",
    // After “login-again”, a POS may begin with the tokens of an earlier day.
    judge({ proxy }) {
      const logins = listCalls(proxy, "/auth/login");
      if (logins.length === 0) return blockedVerdict("it did not log in");
      const isAccepted = logins.some(({ status }) => status === 200);
      const refusals = logins.map(({ refusal }) => !isAccepted && refusal !== null && refusalText(refusal));
      const problems = [
        ...new Set(refusals),
        !logins.every(({ isJson }) => isJson) && "the Content-Type is not application/json",
      ];
      return keptUnless(problems, "posId and password, or a signature, in a JSON body");
    },
  }),
];

export const OTHER_ACTIONS: readonly KitStep<PosScene>[] = [
  afterSale({
    name: "void",
    title: "Voids a sale with a new referenceId",
    duty: "A void is a separate transaction: transType void, a new referenceId, and the sale's transId in transData.transId.",
    harm: "The gateway treats the void as a retry of the sale, and the customer gets no money back.",
    fix: "Create a new referenceId for the void. Take transId from the sale's answer.",
    action: ({ transId }) => ({ kind: "void", about: transId }),
    expected: ({ transId }) => `a void of ${transId} with a new referenceId`,
    problems(messages, { referenceId, transId }) {
      const sent = groupByTransaction(messages);
      return [
        sent.length === 0 && "no void arrived",
        listReferences(sent).includes(referenceId) && "the sale's own referenceId",
        ...sent.map(({ body }) => textOf(dataOf(body), "transId") !== transId && "another transId"),
      ];
    },
  }),
  afterSale({
    name: "inquiry",
    title: "Asks about a sale without making another one",
    duty: "An inquiry names the transaction by transData.transId or transData.referenceId. Compare originalReferenceId before you trust the answer.",
    harm: "The cashier sees the outcome of another customer's payment.",
    fix: "Name the transaction in the inquiry and compare originalReferenceId in the answer.",
    action: ({ transId }) => ({ kind: "inquiry", about: transId }),
    expected: () => "an inquiry, shown as approved",
    problems: (messages) => [
      messages.length === 0 && "no message arrived",
      groupByTransaction(messages).length > 0 && "a new transaction",
    ],
  }),
  afterSale({
    name: "cancel",
    title: "Shows the answer to a cancel, not the request",
    duty: "POST /api/transfer/cancel with {posId, deviceId, referenceId, datetime, signature}. The answer has the outcome of the transaction: the cancel may have been too late.",
    harm: "The POS shows “cancelled”, and the customer has paid.",
    fix: "Show the outcome by the answer's statusCode. 00 means that the cancel was too late.",
    action: ({ referenceId }) => ({ kind: "cancel", about: referenceId }),
    expected: () => "a call of /api/transfer/cancel, and the approved sale still shown as approved",
    problems: (messages) => [messages.length === 0 && "no call"],
  }),
];
