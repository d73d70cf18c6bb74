/** What a report says of its run that the journal does not tell. */

export interface About {
  /** Versions, by name: the gateway's commit, Node, workerd. */
  versions: Readonly<Record<string, string>>;
  /** The command of the run. */
  command?: string;
  /** When it ended, `YYYY-MM-DD`. */
  date?: string;
}

/** Reads it from a report, so that a journal can be judged again by a newer checker. */
export function aboutOf(report: string): About {
  const date = /^(\d{4}-\d\d-\d\d), /mu.exec(report)?.[1];
  const command = /```bash\n(.*)\n```/u.exec(report)?.[1];
  const versions = (/ in all, (.*)\.$/mu.exec(report)?.[1] ?? "").split(", ").flatMap((text) => {
    const [name, version] = text.split(" ");
    return name && version ? [[name, version] as const] : [];
  });
  return {
    versions: Object.fromEntries(versions),
    ...(command === undefined ? {} : { command }),
    ...(date === undefined ? {} : { date }),
  };
}
