/** Limits of keys and tokens that no client depends on. */

/** How many decrypted signing keys one isolate remembers: about one kilobyte each of its 128 MB. */
export const OPENED_KEYS = 1_000;

/** How many verified passwords one isolate remembers: some hundred bytes each of its 128 MB. */
export const REMEMBERED_PASSWORDS = 10_000;

/** How many verified tokens one isolate remembers: about one kilobyte each of its 128 MB. */
export const VERIFIED_TOKENS = 1_000;

/** How many accounts, and terminals, one call re-encrypts at most. Each costs a call to its object. */
export const RESEAL_ROWS = 100;

/** How many times to draw a bind key that is not in use: two of 2^40 keys rarely collide, five in a row never. */
export const BIND_KEY_DRAWS = 5;
