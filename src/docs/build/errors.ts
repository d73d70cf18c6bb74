/** Every error for people: what it means and how to fix it. */
import { ERROR_CODES, type ErrorCode, type ErrorName } from "../../protocol/errors.ts";
import { FRAME_ERRORS, type FrameError } from "../../protocol/frames.ts";
import { figure } from "./figures.ts";

interface Explanation {
  title: string;
  meaning: string;
  fix: string;
}

const CALL_AGAIN = "Then send the same request again.";

/** Complete by its type: a new error does not compile until it is explained here. */
const EXPLANATIONS: Record<ErrorCode, Explanation> = {
  40000: {
    title: "The request is invalid",
    meaning:
      "The gateway did not accept **this message**. `details` lists every invalid field. It says nothing about an earlier " +
      "message with the same `referenceId`.",
    fix:
      "Fix each field in `details`: see [below](#problems-in-details). If the message was a retry, the first message may " +
      "still be in progress: [recover](/docs/recovery).",
  },
  40004: {
    title: "No such transaction",
    meaning:
      "An `inquiry` or `getLast`: this device has no such transaction of the account. A request that is still in transit " +
      "may arrive later.",
    fix:
      "To learn what became of a sale, name it with `transData.referenceId`: the answer is then a promise, also if the sale " +
      "never arrived. To ask about a sale or cashOut by its number, send `transData.transId`.",
  },
  40009: {
    title: "The referenceId was used before",
    meaning:
      "The account used this `referenceId` on another device, with another type or amount, or more than " +
      `${figure("REPLAY_LIFE")} ago. That transaction may have moved money, and \`details\` says whether it is still open. ` +
      "The gateway refuses the message because a cashier who gets a `22` and tries the next terminal would charge twice, " +
      "and a counter that restarts every day would return yesterday's approval.",
    fix:
      "Send an `inquiry` that names the `referenceId`, to the device that `details` names or the same one: it returns the " +
      "outcome. Use a new `referenceId` only for another sale, or after the outcome is `11`. If the message was a retry of " +
      "a sale, do not charge again before you know its outcome.",
  },
  40100: {
    title: "The token is not valid",
    meaning:
      "The token is missing, invalid or expired, or its session has ended. At a login: the `posId`, password or signature " +
      "is wrong, or the signed login was used before. At `/operator`: the token is not in `OPERATOR_TOKENS`.",
    fix: `Call \`POST /auth/refresh\`. If that also returns 401, log in again. ${CALL_AGAIN}`,
  },
  40300: {
    title: "The account is suspended or deleted",
    meaning: "The operator has suspended or deleted the account. Transactions that were sent to a terminal continue.",
    fix: "Contact the operator. When the account is active again, ask about what is still `22`: [recover](/docs/recovery).",
  },
  40400: {
    title: "Nothing here",
    meaning: "The path does not exist, or the resource does not exist or belongs to another account.",
    fix:
      "Compare the path with the [reference](/docs/reference). For a resource, list the ones that you have. Paths below " +
      "`/operator` also return this if `OPERATOR_TOKENS` is not set.",
  },
  40500: {
    title: "The path does not support the method",
    meaning: "The path exists, but not with this method.",
    fix: "Use a method listed in the header `Allow`.",
  },
  40900: {
    title: "The current state does not allow it",
    meaning:
      "Operator calls only. The resource exists already, existed before, is in use, or has a transaction in progress.",
    fix: "Read `message`: it names the reason. Use another id, or wait until the transaction has ended.",
  },
  42900: {
    title: "Too many requests",
    meaning:
      "An account, a terminal or an address has sent more than its [rate](/docs/limits) allows. The gateway did not accept " +
      "this request.",
    fix: "Wait as many seconds as the header `Retry-After` says. Then send the same request again.",
  },
  50000: {
    title: "The service failed",
    meaning: "The gateway could not finish the request. It may have accepted it.",
    fix:
      "Send the same request again. Treat a missing answer, a broken connection, and a 502, 503 or 504 from a proxy in the " +
      "same way. If it does not stop, send the operator the `requestId`.",
  },
};

interface NamedCode {
  name: ErrorName;
  code: ErrorCode;
}

const CODES: NamedCode[] = (Object.keys(ERROR_CODES) as ErrorName[]).flatMap((name) =>
  ERROR_CODES[name].map((code) => ({ name, code })),
);

/** A Markdown table of every error with its fix. */
export function errorsTable(): string {
  const rows = CODES.map(({ name, code }) => {
    const { title, fix } = EXPLANATIONS[code];
    return `| ${Math.floor(code / 100)} | \`${name}\` | [${code}](#${code}) | ${title}. | ${fix} |`;
  });
  return ["| Status | `error` | `code` | Problem | Fix |", "| --- | --- | --- | --- | --- |", ...rows, ""].join("\n");
}

/** A section for every error. The ids are the codes: `doc` of an error links to them. */
export function errorSections(): string {
  const sections = CODES.map(({ name, code }) => {
    const { title, meaning, fix } = EXPLANATIONS[code];
    return `### ${code}: ${title} {#${code}}\n\n\`${name}\`, status ${Math.floor(code / 100)}. ${meaning}\n\n**Fix.** ${fix}\n`;
  });
  return sections.join("\n");
}

const FRAME_EXPLANATIONS: Record<FrameError, Explanation> = {
  bad_signature: {
    title: "The signature is wrong",
    meaning: "The signature of a `result` is not the terminal's.",
    fix:
      `Sign the stored result again and send it after ${figure("SIGNATURE_RETRY_WAIT")}, at most ` +
      `${figure("SIGNATURE_RETRIES")} times. If that fails, compare the canonical form and the secret.`,
  },
  unknown_request: {
    title: "No such request",
    meaning:
      "The gateway never sent this terminal a request with this `requestId`. It has stored the `00` or `11` for the operator.",
    fix: "Forget the request and its result. Keep a request whose `00` or `11` is not known yet.",
  },
  bad_frame: {
    title: "The frame is invalid",
    meaning: "The frame is not part of the protocol: an unknown `type`, a missing or invalid member, or not JSON.",
    fix: "Log it and fix the program: `message` names the member. Ten bad frames close the connection.",
  },
};

/** A section for every code of an `error` frame. The ids are the codes. */
export function frameErrorSections(): string {
  const sections = FRAME_ERRORS.map((code) => {
    const { title, meaning, fix } = FRAME_EXPLANATIONS[code];
    return `### ${code}: ${title} {#${code}}\n\n${meaning}\n\n**Fix.** ${fix}\n`;
  });
  return sections.join("\n");
}
