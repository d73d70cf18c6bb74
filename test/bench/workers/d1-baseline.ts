/**
 * The D1 baseline: an account is rows of D1, and a transfer is one batch there, which reads account, session and terminal
 * and claims the reference. The terminal's object is called and then waited for, and its end is reported to nobody: all
 * as the gateway did it before accounts were objects. The goals are measured by it, so it stays as it is.
 */
import { type Bindings, inTwoCalls, serve } from "./baseline.ts";

export { BaselineTerminal } from "./baseline.ts";

interface D1Bindings extends Bindings {
  DATABASE: D1Database;
}

const READ = `
  SELECT a.pos_id AS posId, a.merchant_id AS merchantId, a.currency, a.timezone, a.status,
    s.session_id AS sessionId, s.revoked_at AS sessionRevokedAt,
    a.signing_key AS signingKey, a.previous_signing_key AS previousSigningKey,
    a.previous_signing_key_until AS previousSigningKeyUntil, t.status AS terminalStatus
  FROM accounts a
  LEFT JOIN sessions s ON s.session_id = ?2 AND s.pos_id = a.pos_id
  LEFT JOIN terminals t ON t.terminal_id = ?3
  WHERE a.pos_id = ?1`;

const CLAIM = `
  INSERT INTO reference_claims (pos_id, reference_id, device_id, messages, claimed_at) VALUES (?1, ?2, ?3, 1, ?4)
  ON CONFLICT (pos_id, reference_id) DO UPDATE SET messages = messages + 1 WHERE device_id = excluded.device_id
  RETURNING device_id`;

export default {
  fetch: (request, env) =>
    serve(request, env, {
      admit: ({ posId, deviceId, referenceId }) =>
        env.DATABASE.batch([
          env.DATABASE.prepare(READ).bind(posId, posId, deviceId),
          env.DATABASE.prepare(CLAIM).bind(posId, referenceId, deviceId, Date.now()),
        ]),
      submit: inTwoCalls,
    }),
} satisfies ExportedHandler<D1Bindings>;
