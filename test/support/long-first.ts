import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of these folders take longest, regardless of their size: Vitest begins with the largest files. */
const LONG = /\/test\/(?:fuzz|model|outside)\//u;

/** Begins with the files that take longest, so that no core waits for the last of them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
