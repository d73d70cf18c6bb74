import type { Plugin } from "vitest/config";

/** See cheap-passwords.ts. @param root the project's folder, with a slash at its end */
export function cheapPasswords(root: string): Plugin {
  return {
    name: "cheap-passwords",
    enforce: "pre",
    resolveId: (source, importer = "") =>
      source.endsWith("/keys/passwords.ts") && importer.startsWith(`${root}src/`)
        ? `${root}test/support/cheap-passwords.ts`
        : undefined,
  };
}
