import type * as schemas from "./schemas/errors.ts";
import type { Infer } from "./schemas/infer.ts";

/** One problem in a message. Its text never has the value itself: that may be a password or a card number. */
export type Problem = Infer<typeof schemas.problem>;
