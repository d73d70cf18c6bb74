/**
 * Runs the gateway in the local Workers runtime until it is ended. GatewayProcess starts it, with a `Served` as JSON in
 * its argument.
 *
 * Not `wrangler dev`: that always opens the runtime's inspector, without a token. Every page of another localhost port,
 * and every user of the machine, could read the secrets through it and run code (seen in wrangler 4.155.0, whose command
 * line has no flag for it).
 */
import { unstable_startWorker } from "wrangler";

export interface Served {
  /** The Worker's module, if it is not the configuration's. */
  entry?: string | undefined;
  config: string;
  hostname: string;
  port: number;
  /** The data folder. */
  persistTo: string;
  /** The Worker's variables, beside those of the configuration and the secrets in `.dev.vars`. */
  vars: Record<string, string>;
  /** Shows the Worker's log. */
  logs: boolean;
}

async function serve({ entry, config, hostname, port, persistTo, vars, logs }: Served): Promise<void> {
  const bindings = Object.entries(vars).map(([name, value]) => [name, { type: "plain_text", value }] as const);
  const worker = await unstable_startWorker({
    config,
    ...(entry === undefined ? {} : { entrypoint: entry }),
    bindings: Object.fromEntries(bindings),
    dev: {
      inspector: false,
      remote: false,
      server: { hostname, port },
      persist: persistTo,
      logLevel: logs ? "log" : "error",
    },
  });
  // Without this, the runtime would stay for a moment, and its temporary files for ever.
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void worker.dispose().then(() => process.exit()));
}

await serve(JSON.parse(process.argv[2] ?? "{}") as Served);
