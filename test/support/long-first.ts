import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * One project after the other: Vitest ends a project's workers when a file of another one is next in the queue. Those from
 * outside wait most, so they begin; the many short files of the Worker keep both cores busy until the end.
 */
const PROJECTS = ["outside", "node", "workers"];

/** Files that take longest, regardless of their size: Vitest begins with the largest files. */
const LONG =
  /\/test\/(?:workerd\/(?:fuzz|model|sdk\/client\/pos|gateway\/terminal\/abuse)|node\/(?:model|sdk\/conformance|support\/bench)|e2e\/chaos)\b/u;

/** A page computes, the other files from outside wait: they take turns. */
const kind = ({ project, moduleId }: TestSpecification): string =>
  moduleId.includes("/test/e2e/browser/") ? "browser" : project.name;

const by =
  (rank: (file: TestSpecification) => number) =>
  (one: TestSpecification, other: TestSpecification): number =>
    rank(one) - rank(other);

/** Begins with the files of each project that take longest, so that no core waits for the last of them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, not an array's.
    const sorted = await super.sort(files);
    const kinds = Map.groupBy(sorted, kind);
    return sorted
      .toSorted(by((file) => kinds.get(kind(file))?.indexOf(file) ?? 0))
      .toSorted(by(({ moduleId }) => (LONG.test(moduleId) ? 0 : 1)))
      .toSorted(by(({ project }) => PROJECTS.indexOf(project.name)));
  }
}
