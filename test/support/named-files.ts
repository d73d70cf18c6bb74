/** Whether this run of Vitest is of named files: `npm test -- test/node/pages`. */
export const NAMES_FILES = process.argv.some((word) => /^test\/(?!vitest\.config)/u.test(word));
