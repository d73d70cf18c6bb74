import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of these folders take longest, regardless of their size: Vitest begins with the largest files. */
const LONG = /\/test\/(?:fuzz|model|outside)\//u;

/** Begins with the files that take longest, so that no core waits for the last of them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, not an array's.
    const others = await super.sort(files);
    const long = others.filter(({ moduleId }) => LONG.test(moduleId));
    return [...new Set([...long, ...others])];
  }
}
