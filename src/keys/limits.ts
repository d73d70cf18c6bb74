/** Limits of keys and tokens that nobody outside relies on. */

/** Opened signing keys that one isolate remembers: about one kilobyte each of its 128 MB. */
export const OPENED_KEYS = 1_000;

/** Verified tokens that one isolate remembers: about one kilobyte each of its 128 MB. */
export const VERIFIED_TOKENS = 1_000;

/** Accounts, and terminals, whose secrets one call re-encrypts at most. Each costs a call to its object. */
export const RESEAL_ROWS = 100;

/** Tries to draw a bind key that is not in use: two of 2^40 keys rarely collide, five in a row never do. */
export const BIND_KEY_DRAWS = 5;
