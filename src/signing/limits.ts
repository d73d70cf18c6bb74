/** Limits of signing that no client depends on. */

/**
 * The maximum UTF-16 code units of a member's name in a problem's path, so that a 400 does not become larger than its
 * request.
 */
export const PATH_NAME_LENGTH = 64;
