/** Every line that has gone to the console since the file's tests began. */
export const lines: string[] = [];

for (const method of ["log", "error", "warn", "info", "debug"] as const) {
  const original = console[method].bind(console);
  console[method] = (...values: unknown[]) => {
    lines.push(values.map(String).join(" "));
    original(...values);
  };
}
