/**
 * The cognitive complexity of a function, as defined by SonarSource (https://www.sonarsource.com/resources/cognitive-complexity/):
 * one for each break in the flow, one more for each that it is nested in, one for each sequence of like logical operators. A
 * function within another counts towards the outer one, except in a class, or at the top of a module.
 */

const NESTING = new Set([
  "IfStatement",
  "ConditionalExpression",
  "SwitchStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "CatchClause",
]);

export function isFunction({ type }) {
  return type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";
}

/** The nodes directly within a node. */
function* within(node) {
  for (const [name, value] of Object.entries(node)) {
    if (name === "parent" || name === "typeAnnotation" || name === "returnType") continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string") yield child;
    }
  }
}

/** Every part of a function's complexity. */
export function complexityOf(root) {
  let total = 0;
  const visit = (node, depth, outer) => {
    if (node.type === "IfStatement") return visitIf(node, depth, false);
    let inner = depth;
    if (NESTING.has(node.type)) {
      total += 1 + depth;
      inner = depth + 1;
    } else if (isFunction(node)) inner = node === root ? 0 : depth + 1;
    else if (node.type === "LogicalExpression" && !isSameSequence(node, outer)) total += 1;
    else if ((node.type === "BreakStatement" || node.type === "ContinueStatement") && node.label) total += 1;
    for (const child of within(node)) visit(child, inner, node);
  };
  const visitIf = (node, depth, isElse) => {
    total += isElse ? 1 : 1 + depth;
    visit(node.test, depth, node);
    visit(node.consequent, depth + 1, node);
    const other = node.alternate;
    if (!other) return;
    if (other.type === "IfStatement") return visitIf(other, depth, true);
    total += 1;
    visit(other, depth + 1, node);
  };
  visit(root, 0, null);
  return total;
}

/** `a && b && c` is one sequence; `??` only chooses a default and counts as nothing. */
function isSameSequence({ operator }, outer) {
  return operator === "??" || (outer?.type === "LogicalExpression" && outer.operator === operator);
}
