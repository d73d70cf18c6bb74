/** A new account, and the terms of an existing one. */
import { Choice } from "../../page/choice.tsx";
import { TextField } from "../../page/field.tsx";
import type { AccountAnswer, AccountWithKey } from "../answers.ts";
import { pathOf } from "../calls.ts";
import { missing, Question, ShownOnce } from "../part/question.tsx";
import type { Form } from "../part/question.tsx";

/** The terms that an operator enters. All but the name are mandatory. */
const TERMS = [
  { name: "merchantId", label: "Merchant id", hint: "The merchant that it sells for.", mono: true },
  { name: "currency", label: "Currency", hint: "Three letters, such as MYR.", mono: true },
  { name: "timezone", label: "Time zone", hint: "Decides when its day ends, such as Asia/Kuala_Lumpur.", mono: false },
  { name: "name", label: "Name", hint: "Optional. Shown in lists, such as Corner shop, till 1.", mono: false },
] as const;

type Terms = Record<(typeof TERMS)[number]["name"], string>;

const MANDATORY = ["merchantId", "currency", "timezone"] as const;

const NEW = {
  posId: "",
  merchantId: "",
  currency: "",
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  name: "",
};

function TermFields({ field }: { field: Form<Terms>["field"] }) {
  return (
    <div class="fields">
      {TERMS.map(({ name, ...words }) => (
        <TextField key={name} {...words} {...field(name)} />
      ))}
    </div>
  );
}

/** A new account, with a signing key and a password created by the gateway. */
export function CreateAccount({ onDone }: { onDone: () => void }) {
  return (
    <Question<AccountWithKey, typeof NEW>
      action="New account"
      title="Create an account"
      confirm="Create"
      fields={NEW}
      change={(values) => {
        const { name, ...terms } = values;
        const body = { ...terms, ...(name === "" ? {} : { name }) };
        const change = { action: "account.create", target: terms.posId, call: ["POST", "/accounts", body] } as const;
        return missing(values, ["posId", ...MANDATORY]) ?? change;
      }}
      done={({ posId }) => `${posId} is created.`}
      show={({ signingKey, password }) => (
        <>
          <ShownOnce name="Signing key" text={signingKey} />
          {password !== undefined && <ShownOnce name="Password" text={password} />}
        </>
      )}
      onDone={onDone}
    >
      {({ field }) => (
        <>
          <TextField
            label="Account id"
            name="posId"
            mono
            hint="Cannot be changed, and is never used again."
            {...field("posId")}
          />
          <TermFields field={field} />
          <p class="soft">The gateway makes its signing key and its password, and shows both once.</p>
        </>
      )}
    </Question>
  );
}

const SIGNED_CHOICES = [
  { value: "token", label: "A token can unbind terminals" },
  { value: "signed", label: "Unbinding must be signed" },
];

/** The terms of an account. */
export function ChangeAccount({ account, onDone }: { account: AccountAnswer; onDone: () => void }) {
  const { posId, merchantId, currency, timezone } = account;
  const terms: Terms = { merchantId, currency, timezone, name: account.name ?? "" };
  const before = { ...terms, signed: account.signedChanges ? "signed" : "token" };
  const bodyOf = (values: typeof before): object => {
    const changed = TERMS.filter(({ name }) => values[name].trim() !== before[name]);
    return {
      // null removes the name; nothing else is empty here.
      ...Object.fromEntries(changed.map(({ name }) => [name, values[name].trim() || null])),
      ...(values.signed === before.signed ? {} : { signedChanges: values.signed === "signed" }),
    };
  };
  const isUnchanged = (values: typeof before): boolean => Object.keys(bodyOf(values)).length === 0;
  return (
    <Question
      action="Change"
      title={`Change ${posId}`}
      confirm="Save"
      fields={before}
      change={(values) => {
        const change = {
          action: "account.change",
          target: posId,
          call: ["PATCH", pathOf.account(posId), bodyOf(values)],
        } as const;
        return missing(values, MANDATORY) ?? (isUnchanged(values) ? { problems: {} } : change);
      }}
      done={`${posId} is changed.`}
      onDone={onDone}
    >
      {({ values, set, field }) => (
        <>
          <TermFields field={field} />
          <Choice
            label="Unbinding a terminal and replacing the prebind list"
            value={values.signed}
            options={SIGNED_CHOICES}
            onChoose={set("signed")}
          />
          <p class="soft">
            {isUnchanged(values)
              ? "Nothing is changed yet."
              : "It applies to every payment that arrives from then on. The account's terminals get a new merchant, currency or time zone."}
          </p>
        </>
      )}
    </Question>
  );
}
