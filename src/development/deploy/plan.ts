/** What a deploy does, from what it finds: decisions only. */
import { type Result, err, ok } from "../../outcomes/result.ts";
import type { Found } from "./found.ts";

export type Step =
  | { kind: "secrets"; names: string[] }
  | { kind: "migrate" }
  | { kind: "deploy"; makesDatabase: boolean }
  | { kind: "health" }
  | { kind: "trial" };

export interface Circumstances {
  /** The secrets that wrangler.toml requires. */
  required: readonly string[];
  /** Whether new secrets can be shown to a person, or written to a file. */
  canShowSecrets: boolean;
  /** Whether the platform builds and deploys, after a person has entered the secrets in a form. */
  isPlatformBuild: boolean;
  /** Whether an operator's token is known besides those created now. */
  hasToken: boolean;
  /** Whether a test sale is requested, regardless of what exists. */
  trial: boolean;
}

export interface Plan {
  steps: Step[];
  /** Whether something exists that must be kept. */
  isUpdate: boolean;
  /** Why there is no test sale; null if there is one. */
  noTrial: string | null;
}

/**
 * The steps in order. Nothing that exists is created again. Tables come before the code that needs them. Only the first
 * deploy creates them afterwards, because it creates the database; nobody calls the gateway then.
 *
 * @returns the plan, or a sentence about what a person must do first
 */
export function plan(found: Found, circumstances: Circumstances): Result<Plan, string> {
  const { required, canShowSecrets, isPlatformBuild, hasToken, trial } = circumstances;
  const missing = isPlatformBuild ? [] : required.filter((name) => found.secrets?.includes(name) !== true);
  if (missing.includes("MASTER_KEYS") && found.accounts > 0) {
    return err(
      `The gateway has no MASTER_KEYS, but its database has ${found.accounts} accounts. Only the previous MASTER_KEYS can ` +
        "decrypt their keys. Set them: npx wrangler secret put MASTER_KEYS. Or delete the database with all its accounts.",
    );
  }
  if (missing.length > 0 && !canShowSecrets) {
    return err(
      `${missing.join(" and ")} must be created, but this output is not a terminal and may be stored as a log. Name a new ` +
        "file for them: npm run deploy -- --secrets-to FILE. Or set them first: npx wrangler secret put NAME.",
    );
  }
  const isUpdate = found.accounts > 0;
  const noTrial = whyNoTrial({ isUpdate, trial, hasToken: hasToken || missing.includes("OPERATOR_TOKENS") });
  if (trial && noTrial !== null) return err(noTrial);
  const upload: Step = { kind: "deploy", makesDatabase: !found.database };
  return ok({
    steps: [
      ...(missing.length > 0 ? [{ kind: "secrets", names: missing } as const] : []),
      ...(found.database ? [{ kind: "migrate" } as const, upload] : [upload, { kind: "migrate" } as const]),
      { kind: "health" },
      ...(noTrial === null ? [{ kind: "trial" } as const] : []),
    ],
    isUpdate,
    noTrial,
  });
}

function whyNoTrial(known: { isUpdate: boolean; trial: boolean; hasToken: boolean }): string | null {
  if (known.isUpdate && !known.trial) return "No test sale: the gateway is in use. Add --trial to make one.";
  if (known.hasToken) return null;
  return "No test sale: set OPERATOR_TOKEN to an operator's token and add --trial.";
}

/** A step in the words of the plan and the progress. */
export function describeStep(step: Step): string {
  switch (step.kind) {
    case "secrets":
      return `Create and set ${step.names.join(" and ")}.`;
    case "migrate":
      return "Migrate the database.";
    case "deploy":
      return step.makesDatabase ? "Create the database and upload the code." : "Upload the code.";
    case "health":
      return "Wait until the gateway answers.";
    case "trial":
      return "Make a test sale, with an account and a simulated terminal that are removed afterwards.";
    default:
      return step satisfies never;
  }
}
