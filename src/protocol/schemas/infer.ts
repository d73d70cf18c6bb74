import type * as z from "zod";

/**
 * The package does not have zod: its build replaces this and the schemas by their types
 * (`src/docs/contracts/declarations.ts`).
 */
export type Infer<Schema extends z.ZodType> = z.infer<Schema>;
