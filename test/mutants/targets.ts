/** Which code is mutated, and which tests have to notice. */

export interface Target {
  /** Globs, like all of these, from the project's root. */
  files: readonly string[];
  without?: readonly string[];
  tests: readonly string[];
}

const PURE_DECISIONS = [
  "src/account/{business-day,claims,recording,region}.ts",
  "src/account/webhooks/{address,delivery}.ts",
];

/** Decisions that read and write the object's storage: on Node, that is SQLite in memory. */
const STORED_DECISIONS = [
  "src/account/{account-sessions,admission,append,day-book,feed,listing,pruning,reading,sessions,tally}.ts",
  "src/account/{amounts,changes,limits,signing-keys,statistics-book,stub}.ts",
];

/** Mostly lists, which are made when the files are loaded: for each of their mutants, the tests are loaded again. */
const STORED_LISTS = ["src/account/storage/{record,schema}.ts"];

/** How an account's object keeps its rows, and what it does for webhooks besides decisions. */
const STORAGE_AND_WEBHOOKS = ["src/account/{storage,webhooks}/*.ts"];

/** Their mutants make tests wait until they are given up: only the tests about readers are worth that. */
const WAITING_READERS = ["src/account/followers.ts"];

export const TARGETS: Readonly<Record<string, Target>> = {
  lane: {
    files: ["src/terminal/lane/*.ts"],
    tests: [
      "test/terminal/lane/*.test.ts",
      "test/terminal/{shown,times,late-hello,record-entry}.test.ts",
      "test/model/regressions.test.ts",
      "test/mutants/histories.test.ts",
    ],
  },
  protocol: {
    files: ["src/protocol/**/*.ts"],
    tests: ["test/protocol/*.test.ts"],
  },
  "account's pure decisions": {
    files: PURE_DECISIONS,
    tests: [
      "test/account/{business-day,claims,entries,region}.test.ts",
      "test/account/webhooks/{address,delivery}.test.ts",
    ],
  },
  "account's stored decisions": {
    files: STORED_DECISIONS,
    tests: [
      "test/account/{admission-order,day-book,feed,listing,pruning,reading,session-decisions,tally}.test.ts",
      "test/account/{amounts,limits,operator-changes,signing-keys,statistics-book,stub}.test.ts",
    ],
  },
  "account's stored lists": {
    files: STORED_LISTS,
    tests: ["test/account/storage/{record,schema}.test.ts", "test/objects/positional.test.ts"],
  },
  "account's storage and webhooks": {
    files: STORAGE_AND_WEBHOOKS,
    without: [...STORED_LISTS, ...PURE_DECISIONS],
    tests: ["test/account/storage/*.test.ts", "test/account/webhooks/{at-rest,calls,changes,post,sending}.test.ts"],
  },
  "account's waiting readers": {
    files: WAITING_READERS,
    tests: ["test/account/{followers,object}.test.ts"],
  },
  account: {
    files: ["src/account/**/*.ts"],
    without: [...PURE_DECISIONS, ...STORED_DECISIONS, ...WAITING_READERS, ...STORAGE_AND_WEBHOOKS],
    tests: ["test/account/**/*.test.ts"],
  },
};
