import type * as z from "zod";

/**
 * What a schema of this folder describes. The package's build replaces this and the schemas by their types
 * (`src/contracts/declarations.ts`): the package does not have zod.
 */
export type Infer<Schema extends z.ZodType> = z.infer<Schema>;
