/** The actions in the audit log. */
export const AUDIT_ACTIONS = [
  "account.create",
  "account.change",
  "account.delete",
  "account.signing-key",
  "webhook.create",
  "webhook.change",
  "webhook.delete",
  "webhook.secret",
  "webhook.replay",
  "prebind.replace",
  "terminal.enrol",
  "terminal.change",
  "terminal.retire",
  "terminal.secret",
  "terminal.bind",
  "terminal.unbind",
  "shop.put",
  "shop.delete",
  "channel.put",
  "channel.delete",
  "transaction.resolve",
  "master-keys.reseal",
  "retell",
  "operator.refused",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
