/** The package itself has nothing to import: each part has a path of its own, so that a till loads no terminal. */
throw new Error(
  "Import a part of payment-terminal-client: payment-terminal-client/pos, /terminal, /webhook, /file-store or " +
    "/indexed-db-store.",
);
