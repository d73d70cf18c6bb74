/** What lets Vitest run tests in the Workers runtime, with the bindings of wrangler.toml. */
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import type { Plugin } from "vitest/config";
import { repetition } from "./repetition.ts";

/** Which histories and inputs are played again; see test/model/environment.ts and test/fuzz/parameters.ts. */
const CHOICE = ["MODEL_SEED", "OBJECT_MODEL_FIRST", "FUZZ_SEED"];

/** See cheap-passwords.ts. */
function cheapPasswords(root: string): Plugin {
  return {
    name: "cheap-passwords",
    enforce: "pre",
    resolveId: (source, importer = "") =>
      source.endsWith("/keys/passwords.ts") && importer.startsWith(`${root}src/`)
        ? `${root}test/support/cheap-passwords.ts`
        : undefined,
  };
}

/** @param root the project's folder, with a slash at its end */
export async function workersPlugins(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Plugin[]> {
  const workers = cloudflareTest({
    wrangler: { configPath: `${root}wrangler.toml` },
    miniflare: {
      bindings: {
        // Secrets of the test run alone: thirty-two bytes that spell out what they are.
        MASTER_KEYS: `test-1:${Buffer.from("master key of the test run only!").toString("base64")}`,
        OPERATOR_TOKENS: "tester:operator-token-of-the-test-run",
        TEST_MIGRATIONS: await readD1Migrations(`${root}migrations`),
        ...repetition(environment),
        ...Object.fromEntries(CHOICE.map((name) => [name, environment[name] ?? ""])),
      },
    },
  });
  return [cheapPasswords(root), workers];
}
