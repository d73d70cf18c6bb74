/** No client depends on these. */

/** Each isolate keeps at most this many keys: about one kilobyte each of its 128 MB. */
export const OPENED_KEYS = 1_000;

/** Each isolate keeps at most this many tokens: about one kilobyte each of its 128 MB. */
export const VERIFIED_TOKENS = 1_000;

/** One call seals at most this many accounts, and this many terminals, because each costs a call to its object. */
export const RESEAL_ROWS = 100;

/**
 * A bind key is drawn at most this often until it is not in use: two of 2^40 keys rarely collide, five in a row never.
 */
export const BIND_KEY_DRAWS = 5;
