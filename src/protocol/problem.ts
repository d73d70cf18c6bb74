import type * as schemas from "./schemas/errors.ts";
import type { Infer } from "./schemas/infer.ts";

/** The text never has the value itself: that may be a password or a card number. */
export type Problem = Infer<typeof schemas.problem>;
