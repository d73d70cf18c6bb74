/** The mutants of a source file: each is the file with one small fault. */
import { changesOf, isLogLine, isNamedText } from "./operators.ts";
import { parse, partOf, partsOf, type SyntaxNode } from "./syntax.ts";

/** What names a mutant as long as its line does not change. */
export interface MutantName {
  /** From the project's root. */
  file: string;
  /** The whole line of code on which the changed piece begins. */
  line: string;
  /** The piece and what it becomes. */
  change: string;
}

/** What stands in place of a piece of source if the mutant is active. */
export interface Mutant extends MutantName {
  /** The operator's node, of which `instead` replaces the text. */
  kind: "expression" | "statement" | "member";
  start: number;
  end: number;
  instead: string;
  lineNumber: number;
}

export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (
    node: SyntaxNode,
    parent: SyntaxNode | null,
    member: string,
    isLogged: boolean,
    chain: Chain,
  ): void => {
    if (isContract(node)) return;
    for (const { becomes, reads } of changesOf(node, { source, parent, member, isLogged })) {
      const original = source.slice(node.start, node.end);
      const whole = chain ?? node;
      mutants.push({
        file,
        ...lineAt(source, node.start),
        change: `${oneLine(original)} → ${oneLine(reads ?? becomes)}`,
        kind: node.type.endsWith("Statement") ? "statement" : isMember(node, parent) ? "member" : "expression",
        start: whole.start,
        end: whole.end,
        instead: source.slice(whole.start, node.start) + becomes + source.slice(node.end, whole.end),
      });
    }
    for (const [name, part] of partsOf(node)) {
      const logged = isLogged || isLogLine(node, source) || node.type === "ThrowStatement" || isNamedText(node);
      visit(part, node, name, logged, chainOf(node, name, chain));
    }
  };
  visit(parse(source), null, "", false, null);
  return mutants;
}

/** What the contract says about a family of calls: words for people, which the Worker does not have. */
function isContract(node: SyntaxNode): boolean {
  return node.type === "FunctionDeclaration" && String(partOf(node, "id")["name"]).endsWith("Contract");
}

/** The optional chain in whose links a node is. `(a?.b).c` is not `a?.b.c`, so a change of a link replaces the chain. */
type Chain = SyntaxNode | null;

function chainOf(node: SyntaxNode, member: string, chain: Chain): Chain {
  if (node.type === "ChainExpression") return node;
  return member === "object" || member === "callee" || member === "expression" ? chain : null;
}

function isMember(node: SyntaxNode, parent: SyntaxNode | null): boolean {
  return parent?.type === "ObjectExpression" && (node.type === "Property" || node.type === "SpreadElement");
}

function lineAt(source: string, offset: number): { line: string; lineNumber: number } {
  const from = source.lastIndexOf("\n", offset - 1) + 1;
  const end = source.indexOf("\n", offset);
  const line = source.slice(from, end === -1 ? undefined : end).trim();
  return { line, lineNumber: source.slice(0, from).split("\n").length };
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
