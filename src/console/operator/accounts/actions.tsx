import { Choice } from "../../page/choice.tsx";
import type { AccountAnswer, DrawnPassword, SigningKeyAnswer } from "../answers.ts";
import { pathOf } from "../calls.ts";
import { Question, ShownOnce } from "../part/question.tsx";
import { shortTime } from "../words.ts";
import { ChangeAccount } from "./forms.tsx";

export interface ActionsProps {
  account: AccountAnswer;
  onChanged: () => void;
}

/** The changes that an operator can make to one account. */
export function AccountActions({ account, onChanged }: ActionsProps) {
  const { posId } = account;
  const path = pathOf.account(posId);
  return (
    <div class="row">
      <ChangeAccount account={account} onDone={onChanged} />
      <Suspend account={account} onChanged={onChanged} />
      <NewKey account={account} onChanged={onChanged} />
      <Question<DrawnPassword>
        action="New password"
        role="support"
        title={`Give ${posId} a new password?`}
        change={{ action: "account.change", target: posId, call: ["POST", `${path}/password`] }}
        done={`${posId} has a new password.`}
        show={({ password }) => <ShownOnce name="Password" text={password} />}
        onDone={onChanged}
      >
        <p>The old password stops working, and all sessions of the account end at once. Its tills need the new one.</p>
      </Question>
      <Question
        action="Delete"
        look="danger"
        title={`Delete ${posId} permanently?`}
        change={{ action: "account.delete", target: posId, call: ["DELETE", path] }}
        done={`${posId} is deleted.`}
        onDone={onChanged}
      >
        <p>
          Its sessions end and the gateway accepts no more requests from it. Each of its terminals is unbound as soon as
          it has no payment in progress. Its id is never used again.
        </p>
      </Question>
    </div>
  );
}

function Suspend({ account: { posId, status }, onChanged }: ActionsProps) {
  const isActive = status === "active";
  const next = isActive ? "suspended" : "active";
  return (
    <Question
      action={isActive ? "Suspend" : "Activate"}
      title={isActive ? `Suspend ${posId}?` : `Activate ${posId}?`}
      change={{ action: "account.change", target: posId, call: ["PATCH", pathOf.account(posId), { status: next }] }}
      done={`${posId} is ${next}.`}
      onDone={onChanged}
    >
      <p>
        {isActive
          ? "Its sessions end at once and its tills can no longer sell. Queued payments are cancelled; payments at a terminal continue."
          : "Its tills can log in and sell again."}
      </p>
    </Question>
  );
}

const KEY_CHOICES = [
  { value: "keep", label: "Old keys valid for 24 h each" },
  { value: "revoke", label: "Old keys end now" },
];

function NewKey({ account: { posId }, onChanged }: ActionsProps) {
  return (
    <Question<SigningKeyAnswer, { old: string }>
      action="New signing key"
      title={`Give ${posId} a new signing key?`}
      fields={{ old: "keep" }}
      change={({ old }) => ({
        action: "account.signing-key",
        target: posId,
        call: ["POST", `${pathOf.account(posId)}/signing-key`, { revokePrevious: old === "revoke" }],
      })}
      done={`${posId} has a new signing key.`}
      show={({ signingKey, previousValidUntil }) => (
        <>
          <ShownOnce name="Signing key" text={signingKey} />
          {previousValidUntil !== null && <p>The old key works until {shortTime(previousValidUntil)}.</p>}
        </>
      )}
      onDone={onChanged}
    >
      {({ values: { old }, set }) => (
        <>
          <Choice label="Old keys" value={old} options={KEY_CHOICES} onChoose={set("old")} />
          <p>
            {old === "keep"
              ? "Change its tills one by one: both keys work for a day."
              : "Every till with an old key stops selling at once. Use this for an exposed key."}
          </p>
        </>
      )}
    </Question>
  );
}
