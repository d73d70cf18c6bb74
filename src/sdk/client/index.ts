/** The package has no main export: each part has its own path, so that a POS loads no terminal code. */
throw new Error(
  "Import a part of payment-terminal-client: payment-terminal-client/pos, /terminal, /webhook, /file-store or " +
    "/indexed-db-store.",
);
