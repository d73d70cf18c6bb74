/** The session, and the first sale. */
import { blocked, broken, keptUnless } from "../../step.ts";
import type { Step } from "../../step.ts";
import { LOGINS_FOR_A_SALE } from "../../times.ts";
import { shownProblems } from "../judge.ts";
import { NO_SALE, referencesOf, transactions } from "../scene.ts";
import type { PosScene } from "../scene.ts";

const sale: Step<PosScene> = {
  name: "sale",
  title: "Makes a sale",
  duty: "POST /api/transfer with transType sale, once; 00 means that money was moved, and is shown as approved.",
  harm: "The till cannot take payments.",
  mend: "Point the till at the kit's address with the kit's account; see what it logs. Of a command of --drive nothing is shown here, as it may hold secrets: run it by hand.",
  async run(scene) {
    const { messages, shown } = await scene.sale();
    if (messages.length === 0) {
      scene.hopeless = "the till never sent a sale";
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
  duty: "POST /auth/login with {posId, password}, or signed with {posId, datetime, nonce, signature}, as application/json.",
  harm: "The till cannot log in.",
  mend: "Send the members as JSON in the body, and nothing of them anywhere else; sign each login anew.",
  async run(scene) {
    const { items } = scene.options.counterpart.logins;
    if (items.length === 0) return blocked("it did not log in");
    const problems = [
      ...(items.some(({ problems: found }) => found.length === 0) ? [] : items.flatMap((one) => one.problems)),
      ...(items.every(({ isJson }) => isJson) ? [] : ["the Content-Type was not application/json"]),
    ];
    return keptUnless(problems, "posId and password, or a signature, in a JSON body");
  },
};

const refresh: Step<PosScene> = {
  name: "refresh",
  title: "Refreshes its token after a 401, and sends the same message again",
  duty: "A 401 means that the access token has expired: POST /auth/refresh with the newest refresh token as Bearer, then the same message with the new token.",
  harm: "Every quarter of an hour a sale fails, or is made twice.",
  mend: "On 401 refresh once, keep the whole new pair, and repeat the message under the same referenceId.",
  async run(scene) {
    const { counterpart } = scene.options;
    const from = counterpart.refreshes.items.length;
    counterpart.tokens.endInUse("access");
    const { messages, shown } = await scene.sale();
    const [first] = counterpart.refreshes.items.slice(from);
    const references = referencesOf(transactions(messages));
    // Whatever else it can shall show all the same.
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
  earlier: "a token that had been replaced",
  access: "the access token",
  none: "no token",
};

const loginAgain: Step<PosScene> = {
  name: "login-again",
  title: "Logs in again when its session is over",
  duty: "When /auth/refresh answers 401, too (after midnight, or a logout), the POS logs in.",
  harm: "Every morning somebody has to restart the tills.",
  mend: "On a 401 of /auth/refresh log in, and then send the message.",
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
  title: "Voids a sale under a referenceId of its own",
  duty: "A void is a transaction of its own: transType void, a new referenceId, transData.transId naming the sale.",
  harm: "The void is taken for a repetition of the sale, and nothing is given back.",
  mend: "Draw a new referenceId for the void; take transId from the sale's answer.",
  async run(scene) {
    const sold = await scene.sale();
    const [reference] = referencesOf(transactions(sold.messages));
    const transaction = scene.options.counterpart.ledger.of(reference ?? "");
    if (transaction === null) return NO_SALE;
    const { messages, shown } = await scene.drive({ kind: "void", transId: transaction.transId });
    if (shown === "unsupported") return { kind: "left-out", why: "the till does not know it" };
    const sent = transactions(messages);
    const problems = [
      ...(sent.length === 0 ? ["no void came"] : []),
      ...(referencesOf(sent).includes(transaction.referenceId) ? ["the sale's own referenceId"] : []),
      ...sent.flatMap(({ body }) =>
        JSON.stringify(body["transData"] ?? {}).includes(transaction.transId) ? [] : ["another transId"],
      ),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, `a void of ${transaction.transId} under a new referenceId`);
  },
};

const inquiry: Step<PosScene> = {
  name: "inquiry",
  title: "Asks about a sale without making one",
  duty: "An inquiry names the transaction by transData.transId or transData.referenceId; the answer's originalReferenceId is compared before it is believed.",
  harm: "The cashier is shown the outcome of another customer's payment.",
  mend: "Name the transaction, and compare originalReferenceId.",
  async run(scene) {
    const sold = await scene.sale();
    const [reference] = referencesOf(transactions(sold.messages));
    const transaction = scene.options.counterpart.ledger.of(reference ?? "");
    if (transaction === null) return NO_SALE;
    const { messages, shown } = await scene.drive({ kind: "inquiry", transId: transaction.transId });
    if (shown === "unsupported") return { kind: "left-out", why: "the till does not know it" };
    const problems = [
      ...(messages.length === 0 ? ["no message came"] : []),
      ...(transactions(messages).length === 0 ? [] : ["a new transaction"]),
      ...shownProblems(shown, "approved"),
    ];
    return keptUnless(problems, "an inquiry, shown as approved");
  },
};

const cancel: Step<PosScene> = {
  name: "cancel",
  title: "Believes the answer to a cancel, not its own wish",
  duty: "POST /api/transfer/cancel {posId, deviceId, referenceId, datetime, signature}; the answer says what became of the transaction: it may have been too late.",
  harm: "The till shows “cancelled”, and the customer has paid.",
  mend: "Show the answer's statusCode: 00 means that it was too late.",
  async run(scene) {
    const sold = await scene.sale();
    const [reference] = referencesOf(transactions(sold.messages));
    if (reference === undefined) return NO_SALE;
    const { messages, shown } = await scene.drive({ kind: "cancel", referenceId: reference });
    if (shown === "unsupported") return { kind: "left-out", why: "the till does not know it" };
    if (messages.length === 0) return broken("a call of /api/transfer/cancel", "none");
    return keptUnless(shownProblems(shown, "approved"), "the sale, which was approved, still shown as approved");
  },
};

export const SESSION: readonly Step<PosScene>[] = [sale, login, refresh, loginAgain];
export const OTHER_ACTIONS: readonly Step<PosScene>[] = [voiding, inquiry, cancel];
