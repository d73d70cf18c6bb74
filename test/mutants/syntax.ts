/** A source file as a tree of ESTree nodes, without its types: https://github.com/estree/estree. */
import { parseAst } from "vitest/node";

export interface SyntaxNode {
  readonly type: string;
  /** Where it begins and ends in the source. */
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function parse(source: string): SyntaxNode {
  return parseAst(source, { lang: "ts" }) as unknown as SyntaxNode;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";
}

/** What TypeScript wraps around an expression. Its other nodes are types, which do nothing. */
const WRAPPERS: ReadonlySet<string> = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

const WITHOUT_CODE: ReadonlySet<string> = new Set(["ImportDeclaration", "ExportAllDeclaration"]);

/** The parts of a node that do something, each with the name of its member. */
export function* partsOf(node: SyntaxNode): Generator<[member: string, part: SyntaxNode]> {
  if (WITHOUT_CODE.has(node.type)) return;
  for (const [member, value] of Object.entries(node)) {
    if (member === "source" || ((member === "key" || member === "property") && node["computed"] !== true)) continue;
    for (const part of Array.isArray(value) ? value : [value]) {
      if (!isNode(part)) continue;
      if (!part.type.startsWith("TS") || WRAPPERS.has(part.type)) yield [member, part];
    }
  }
}

/** The member of a node that is itself a node. */
export function partOf(node: SyntaxNode, member: string): SyntaxNode {
  const part = node[member];
  if (!isNode(part)) throw new Error(`${node.type} has no ${member}`);
  return part;
}
