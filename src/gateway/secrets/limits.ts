/** No client depends on these. */

/** Per isolate: about one kilobyte each of its 128 MB. */
export const OPENED_KEYS = 1_000;

/** Per isolate: about one kilobyte each of its 128 MB. */
export const VERIFIED_TOKENS = 1_000;

/** Accounts, and terminals, per call. Each costs a call to its object. */
export const RESEAL_ROWS = 100;

/** Draws of a bind key that is not in use: two of 2^40 keys rarely collide, five in a row never. */
export const BIND_KEY_DRAWS = 5;
