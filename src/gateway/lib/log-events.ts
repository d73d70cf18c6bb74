/**
 * Every event that the gateway logs, as `docs/log-events.md` lists them. The log takes only these names. It imports only their
 * type, so that the Worker's bundle contains none of these texts.
 */

interface LogEventGroup {
  title: string;
  events: Record<string, { levels: readonly LogLevel[]; meaning: string }>;
}

export type LogLevel = "info" | "warning" | "error";

const INFO = ["info"] as const;
const WARNING = ["warning"] as const;
const ERROR = ["error"] as const;

const UNREADABLE = "A master key was removed too early. Put the key back.";
const RESEAL = "Call reseal again. If the error continues, a master key is missing.";
const CONTINUES = "If the error continues for ten minutes, contact Cloudflare.";
const STORAGE = `The object's storage failed. The gateway retries. ${CONTINUES}`;
const NOTHING_LOST = `The object's storage failed, or another object did not answer. The gateway retries, and nothing is lost. ${CONTINUES}`;
const REPEAT = "The platform did not answer. Repeat your call.";

export const LOG_EVENT_GROUPS = [
  {
    title: "Payments that wait for you",
    events: {
      accepted_request_forgotten: {
        levels: ERROR,
        meaning:
          "The terminal no longer has a request that it had accepted. The payment is pending until you [resolve it](find-and-resolve.md#resolve-a-payment).",
      },
      mismatched_result_reported: {
        levels: ERROR,
        meaning:
          "A result does not match its request, for example in its amount. The payment is pending until you [resolve it](find-and-resolve.md#resolve-a-payment).",
      },
      conflicting_result_reported: {
        levels: ERROR,
        meaning: "Money may have moved. A [conflicting result](find-and-resolve.md#conflicting-results) is open.",
      },
      orphan_result_reported: {
        levels: ERROR,
        meaning:
          "Money may have moved. Compare the terminal's report, in [`orphanResults`](find-and-resolve.md#resolve-a-payment), with the acquirer's records.",
      },
      connection_taken_over: {
        levels: ["info", "error"],
        meaning:
          'An error with `"contested":true`: two machines have one identity and take turns, so sales go to either counter. `GET /operator/terminals/{terminalId}` says so too (`contested`). Give the right one a new secret, with an activation code. Without `contested`, this is harmless: the terminal connected again before its old connection ended.',
      },
      completed_request_held: {
        levels: ERROR,
        meaning:
          "The terminal still has a request that is completed as `11`, and the gateway has told it to stop. If `conflicting_result_reported` follows, the customer was charged. If this repeats, restart the terminal, and tell its developer.",
      },
      report_not_stored: {
        levels: ERROR,
        meaning:
          "There is no room for more reports about this transaction, or for more orphan results. The terminal keeps this report, because it got no acknowledgement. Tell its developer.",
      },
      sensitive_result_data_dropped: {
        levels: ERROR,
        meaning: "A result had sensitive data, which was dropped. The developer of the terminal must fix this.",
      },
    },
  },
  {
    title: "Settings and keys",
    events: {
      configuration_rejected: { levels: ERROR, meaning: "Fix the setting that the line names." },
      master_keys_rejected: { levels: ERROR, meaning: "Fix the setting that the line names." },
      signing_key_not_decrypted: { levels: ERROR, meaning: UNREADABLE },
      password_not_decrypted: { levels: ERROR, meaning: UNREADABLE },
      terminal_secret_not_decrypted: { levels: ERROR, meaning: UNREADABLE },
      webhook_secret_not_decrypted: {
        levels: ERROR,
        meaning:
          "A master key was removed too early. Put it back. If it is lost, the account must add the webhook again.",
      },
      account_keys_not_resealed: { levels: ERROR, meaning: RESEAL },
      terminal_secret_not_resealed: { levels: ERROR, meaning: RESEAL },
      access_keys_not_read: {
        levels: ERROR,
        meaning: "The keys of Cloudflare Access could not be read. Check `ACCESS_TEAM`. Tokens still work.",
      },
    },
  },
  {
    title: "D1 and the objects",
    events: {
      request_failed: {
        levels: ERROR,
        meaning:
          "The gateway failed, and the caller got a 500 or a `22`. `error` says why. If it repeats since a deployment, [roll back](deploy.md#roll-back). Otherwise report it, with its `stack`.",
      },
      d1_not_reached: {
        levels: ["warning", "error"],
        meaning: "D1 does not answer. Payments continue. See [D1 is down](runbooks.md#d1-is-down).",
      },
      answer_timed_out: {
        levels: WARNING,
        meaning:
          "A call got no answer in time, usually because D1 did not answer. The caller got an error and can repeat it.",
      },
      channels_not_read: {
        levels: WARNING,
        meaning:
          "D1 did not answer. The gateway uses the list of wallets that it read last. See [D1 is down](runbooks.md#d1-is-down).",
      },
      account_not_searched: {
        levels: WARNING,
        meaning:
          "An account's object did not answer a search, so the result says that it is not complete. Search again.",
      },
      alarm_failed: { levels: ERROR, meaning: STORAGE },
      alarm_not_set: { levels: ERROR, meaning: STORAGE },
      alarm_time_not_computed: { levels: ERROR, meaning: STORAGE },
      journal_not_pruned: { levels: ERROR, meaning: STORAGE },
      account_not_pruned: { levels: ERROR, meaning: STORAGE },
      terminal_frame_not_processed: { levels: ERROR, meaning: `${STORAGE} The terminal sends the frame again.` },
      connection_not_closed: { levels: ERROR, meaning: STORAGE },
      readers_not_answered: { levels: ERROR, meaning: NOTHING_LOST },
      days_not_stored: { levels: ERROR, meaning: NOTHING_LOST },
      webhooks_not_started: { levels: ERROR, meaning: NOTHING_LOST },
      webhook_result_not_stored: { levels: ERROR, meaning: NOTHING_LOST },
      outbox_not_started: { levels: ERROR, meaning: NOTHING_LOST },
      outbox_answer_not_stored: { levels: ERROR, meaning: NOTHING_LOST },
      outbox_delivery_failed: {
        levels: ["warning", "error"],
        meaning:
          "A warning: an object could not deliver an update to `target`, which is D1, an account's or a terminal's object. `detail` says why. The object retries, at the latest every ten minutes. If the warning continues while D1 is up, or if it is an error, the receiver refuses something: read `detail`.",
      },
      outbox_entry_dropped: {
        levels: WARNING,
        meaning:
          "The receiver will never take the update, because it was retired or deleted, or no longer has the payment.",
      },
      outcome_not_recorded: {
        levels: ERROR,
        meaning: "An account's object cannot write. If the error continues, contact Cloudflare.",
      },
      coordinator_not_woken: { levels: ERROR, meaning: REPEAT },
      prebinding_failed: { levels: ERROR, meaning: REPEAT },
      enrolment_failed: { levels: ERROR, meaning: REPEAT },
      operator_refusal_not_audited: {
        levels: ERROR,
        meaning: "The platform did not answer. The audit log lacks one refused call.",
      },
      rate_limit_not_checked: { levels: ERROR, meaning: "The platform did not answer. The call was not limited." },
      object_call_repeated: {
        levels: WARNING,
        meaning: "A call to an object failed and is made again, as after a deployment.",
      },
      object_call_failed: {
        levels: WARNING,
        meaning:
          "A call to an object failed and is not made again; `detail` says why. The POS gets a `22 IN_PROGRESS` or an error, and asks again. If there are many, look at the object's own errors.",
      },
      transaction_numbers_not_reserved: {
        levels: WARNING,
        meaning:
          "The coordinator did not answer when a terminal reserved transaction numbers. The terminal's object retries.",
      },
      number_bound_not_read: {
        levels: WARNING,
        meaning:
          "D1 did not answer when a terminal reserved numbers. D1's answer is needed only after a [restore of the coordinator](restore.md#the-coordinators-object).",
      },
      object_missing: {
        levels: ERROR,
        meaning:
          "A [resync](restore.md#restore-d1) found a row in D1 that no object confirms, and marked it `retired` or `deleted`. If it was created after the restore point, this is right. Otherwise report it.",
      },
      object_not_called: {
        levels: ["warning", "error"],
        meaning:
          "An object did not answer. An error: repeat your call. A warning: the sweep or the [resync](restore.md#restore-d1) tries three times.",
      },
      sweep_interrupted: { levels: WARNING, meaning: "The sweep of the coordinator stopped. The next one continues." },
      resync_interrupted: {
        levels: WARNING,
        meaning: "The [resync](restore.md#restore-d1) stopped. It continues by itself.",
      },
      resync_completed: { levels: INFO, meaning: "The [resync](restore.md#restore-d1) has ended." },
    },
  },
  {
    title: "Terminals and webhooks",
    events: {
      terminal_connected: { levels: INFO, meaning: "A terminal has connected." },
      connection_closed: { levels: WARNING, meaning: "The gateway closed a terminal's connection; `detail` says why." },
      terminal_frame_rejected: {
        levels: WARNING,
        meaning: "A terminal sent a frame that is not valid. Tell its vendor what `detail` says.",
      },
      unknown_requests_listed: {
        levels: WARNING,
        meaning:
          "A terminal reports requests that the gateway never sent it, as after a move from another gateway. `detail` is their number. Begin with an empty store.",
      },
      unknown_request_reported: {
        levels: WARNING,
        meaning:
          "A terminal reports on a request that the gateway never sent it, without a result. Nothing changes. If it repeats, tell the terminal's developer.",
      },
      refusal_ignored: {
        levels: WARNING,
        meaning:
          "A terminal refused a request that it had accepted, or that had ended. The refusal changed nothing. If it repeats, tell the terminal's developer.",
      },
      result_signature_rejected: {
        levels: WARNING,
        meaning:
          "A terminal sent a result with a wrong signature, which does not count. If it repeats, its software or its secret is wrong.",
      },
      webhook_delivery_failed: {
        levels: WARNING,
        meaning:
          "An account's endpoint did not accept an event. The gateway sends it again. Tell the account if it goes on.",
      },
    },
  },
  {
    title: "Requests and transactions",
    events: {
      request_answered: {
        levels: INFO,
        meaning:
          "The answer to one request. Many refused logins (with a `reason`) in a row mean that somebody is guessing.",
      },
      transaction_changed: {
        levels: INFO,
        meaning: "A transaction is completed, is first pending, or is past its end without a report of the terminal.",
      },
    },
  },
] as const satisfies readonly LogEventGroup[];

type NamesOf<Group> = Group extends { events: infer Events } ? keyof Events : never;

export type LogEvent = NamesOf<(typeof LOG_EVENT_GROUPS)[number]>;
