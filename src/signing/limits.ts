/** Limits of signing that nobody outside relies on. */

/** UTF-16 code units of one member name in a problem's path, so that a 400 does not outgrow its request. */
export const PATH_NAME_LENGTH = 64;

/** Keyed hash states that one isolate remembers: about one kilobyte each of its 128 MB. */
export const SIGNING_KEYS = 1_000;
