/** What lets Vitest run tests in the Workers runtime, with the bindings of wrangler.toml. */
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { Plugin } from "vitest/config";
import { repetition } from "./repetition.ts";
import { TEST_SECRETS } from "./test-secrets.ts";

/** Which histories and inputs are played again; see test/model/environment.ts and test/workerd/fuzz/world.ts. */
const CHOICE = ["MODEL_SEED", "OBJECT_MODEL_FIRST", "FUZZ_SEED"];

/** @param root the project's folder, with a slash at its end */
export async function workersPlugins(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Plugin[]> {
  const workers = cloudflareTest({
    wrangler: { configPath: `${root}wrangler.toml` },
    miniflare: {
      bindings: {
        ...TEST_SECRETS,
        TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
        ...repetition(environment),
        // For test/support/patience.ts.
        CI: environment["CI"] ?? "",
        ...Object.fromEntries(CHOICE.map((name) => [name, environment[name] ?? ""])),
      },
    },
  });
  return [workers];
}
