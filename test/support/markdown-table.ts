/** The cells of every line of a Markdown text's tables whose line begins with `begin`. */
export function tableRows(text: string, begin = "|"): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith(begin));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
