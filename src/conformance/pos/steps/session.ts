/** Steps about the session and the first sale. */
import { blocked, broken, keptUnless, type Step } from "../../step.ts";
import { LOGINS_FOR_A_SALE } from "../../times.ts";
import { shownProblems } from "../judge.ts";
import { NO_SALE, type PosScene } from "../scene.ts";
import { referencesOf, transactions } from "../heard.ts";

const sale: Step<PosScene> = {
  name: "sale",
  title: "Makes a sale",
  duty: "POST /api/transfer with transType sale, once. 00 means that money moved; the till shows it as approved.",
  harm: "The till cannot take payments.",
  fix: "Point the till at the kit's address with the kit's account, and read the till's log. The output of a --drive command may contain secrets: --show-output prints it.",
  async run(scene) {
    const { messages, shown } = await scene.sale();
    if (messages.length === 0) {
      scene.hopeless = "the till did not send a sale";
      const others = `${scene.options.counterpart.calls.items.length} other calls`;
      return broken("a sale at POST /api/transfer", [others, ...shownProblems(shown, "approved")].join("; "));
    }
    const sent = transactions(messages);
    const problems = [...(sent.length === 1 ? [] : [`${sent.length} messages`]), ...shownProblems(shown, "approved")];
    return keptUnless(problems, "one sale, shown as approved");
  },
};

const login: Step<PosScene> = {
  name: "login",
  title: "Logs in with a JSON body",
  duty: "POST /auth/login as application/json with {posId, password}, or signed with {posId, datetime, nonce, signature}.",
  harm: "The till cannot log in.",
  fix: "Send the members as JSON in the body and nowhere else. Sign each login again.",
  async run(scene) {
    const { items } = scene.options.counterpart.logins;
    if (items.length === 0) return blocked("it did not log in");
    const problems = [
      ...(items.some(({ problems: found }) => found.length === 0) ? [] : items.flatMap((one) => one.problems)),
      ...(items.every(({ isJson }) => isJson) ? [] : ["the Content-Type is not application/json"]),
    ];
    return keptUnless(problems, "posId and password, or a signature, in a JSON body");
  },
};

const refresh: Step<PosScene> = {
  name: "refresh",
  title: "Refreshes its token after a 401 and sends the same message again",
  duty: "A 401 means that the access token has expired. POST /auth/refresh with the newest refresh token as Bearer, then send the same message with the new token.",
  harm: "Every quarter of an hour a sale fails or is made twice.",
  fix: "On 401, refresh once, store both new tokens, and send the message again with the same referenceId.",
  async run(scene) {
    const { counterpart } = scene.options;
    const from = counterpart.refreshes.items.length;
    counterpart.tokens.endInUse("access");
    const { messages, shown } = await scene.sale();
    const [first] = counterpart.refreshes.items.slice(from);
    const references = referencesOf(transactions(messages));
    // Lets the later steps test what else the till can do.
    if (shown !== "approved") counterpart.tokens.takesEarlier = true;
    const problems = [
      ...(first === undefined ? ["no call of /auth/refresh"] : []),
      ...(first !== undefined && first.token !== "current" ? [`a refresh with ${TOKENS[first.token]}`] : []),
      ...(references.length > 1 ? [`${references.length} different referenceIds`] : []),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, "one refresh with the newest refresh token, then the sale");
  },
};

const TOKENS = {
  current: "the newest refresh token",
  earlier: "a replaced token",
  access: "the access token",
  none: "no token",
};

const loginAgain: Step<PosScene> = {
  name: "login-again",
  title: "Logs in again when its session has ended",
  duty: "When /auth/refresh also returns 401 (after midnight or a logout), the POS logs in.",
  harm: "Every morning the tills must be restarted.",
  fix: "On a 401 from /auth/refresh, log in and then send the message.",
  async run(scene) {
    const { counterpart } = scene.options;
    const from = counterpart.logins.items.length;
    counterpart.tokens.endInUse("session");
    const { shown } = await scene.sale();
    const logins = counterpart.logins.items.slice(from);
    if (shown !== "approved") counterpart.tokens.takesEarlier = true;
    const problems = [
      ...(logins.length === 0 ? ["no login"] : []),
      ...(logins.length > LOGINS_FOR_A_SALE ? [`${logins.length} logins`] : []),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, "one login, then the sale");
  },
};

const voiding: Step<PosScene> = {
  name: "void",
  title: "Voids a sale with a new referenceId",
  duty: "A void is a separate transaction: transType void, a new referenceId, and the sale's transId in transData.transId.",
  harm: "The gateway treats the void as a retry of the sale, and the customer gets no money back.",
  fix: "Create a new referenceId for the void. Take transId from the sale's answer.",
  async run(scene) {
    const sold = await scene.sale();
    const [reference] = referencesOf(transactions(sold.messages));
    const transaction = scene.options.counterpart.ledger.of(reference ?? "");
    if (transaction === null) return NO_SALE;
    const { messages, shown } = await scene.drive({ kind: "void", transId: transaction.transId });
    if (shown === "unsupported") return { kind: "left-out", why: "the till does not support it" };
    const sent = transactions(messages);
    const problems = [
      ...(sent.length === 0 ? ["no void arrived"] : []),
      ...(referencesOf(sent).includes(transaction.referenceId) ? ["the sale's own referenceId"] : []),
      ...sent.flatMap(({ body }) =>
        JSON.stringify(body["transData"] ?? {}).includes(transaction.transId) ? [] : ["another transId"],
      ),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, `a void of ${transaction.transId} with a new referenceId`);
  },
};

const inquiry: Step<PosScene> = {
  name: "inquiry",
  title: "Asks about a sale without making another one",
  duty: "An inquiry names the transaction by transData.transId or transData.referenceId. Compare originalReferenceId before you trust the answer.",
  harm: "The cashier sees the outcome of another customer's payment.",
  fix: "Name the transaction in the inquiry and compare originalReferenceId in the answer.",
  async run(scene) {
    const sold = await scene.sale();
    const [reference] = referencesOf(transactions(sold.messages));
    const transaction = scene.options.counterpart.ledger.of(reference ?? "");
    if (transaction === null) return NO_SALE;
    const { messages, shown } = await scene.drive({ kind: "inquiry", transId: transaction.transId });
    if (shown === "unsupported") return { kind: "left-out", why: "the till does not support it" };
    const problems = [
      ...(messages.length === 0 ? ["no message arrived"] : []),
      ...(transactions(messages).length === 0 ? [] : ["a new transaction"]),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, "an inquiry, shown as approved");
  },
};

const cancel: Step<PosScene> = {
  name: "cancel",
  title: "Shows the answer to a cancel, not the request",
  duty: "POST /api/transfer/cancel with {posId, deviceId, referenceId, datetime, signature}. The answer has the outcome of the transaction: the cancel may have been too late.",
  harm: "The till shows “cancelled”, and the customer has paid.",
  fix: "Show the outcome by the answer's statusCode. 00 means that the cancel was too late.",
  async run(scene) {
    const sold = await scene.sale();
    const [reference] = referencesOf(transactions(sold.messages));
    if (reference === undefined) return NO_SALE;
    const { messages, shown } = await scene.drive({ kind: "cancel", referenceId: reference });
    if (shown === "unsupported") return { kind: "left-out", why: "the till does not support it" };
    if (messages.length === 0) return broken("a call of /api/transfer/cancel", "none");
    return keptUnless(shownProblems(shown, "approved"), "the approved sale still shown as approved");
  },
};

export const SESSION: readonly Step<PosScene>[] = [sale, login, refresh, loginAgain];
export const OTHER_ACTIONS: readonly Step<PosScene>[] = [voiding, inquiry, cancel];
