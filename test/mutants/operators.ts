/** The operators: in which ways a piece of code is made wrong. */
import { partOf, type SyntaxNode } from "./syntax.ts";

/** What a node becomes: the text in its place, and how a person reads that. */
export interface Change {
  becomes: string;
  /** If it differs from `becomes`. */
  reads?: string;
}

const BINARY: ReadonlyMap<string, readonly string[]> = new Map([
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["===", ["!=="]],
  ["!==", ["==="]],
  ["+", ["-"]],
  ["-", ["+"]],
  ["*", ["/"]],
  ["/", ["*"]],
  ["%", ["*"]],
]);

const ASSIGNMENTS: ReadonlyMap<string, string> = new Map([
  ["+=", "-="],
  ["-=", "+="],
  ["*=", "/="],
  ["??=", "="],
]);

const METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["floor", "ceil"],
  ["ceil", "floor"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
]);

/** Methods that give a changed copy. Without the call, the original is used. */
const COPIES: ReadonlySet<string> = new Set([
  "filter",
  "slice",
  "toLowerCase",
  "toReversed",
  "toSorted",
  "toUpperCase",
  "trim",
]);

/** Texts for people. */
const TEXT_MEMBERS: ReadonlySet<unknown> = new Set([
  "description",
  "detail",
  "duty",
  "fix",
  "harm",
  "message",
  "responseText",
  "summary",
  "title",
]);

export interface Place {
  source: string;
  parent: SyntaxNode | null;
  /** The member of the parent. */
  member: string;
  /** Within the arguments of a log line or an exception. */
  isLogged: boolean;
}

export function changesOf(node: SyntaxNode, place: Place): Change[] {
  const text = (part: SyntaxNode): string => place.source.slice(part.start, part.end);
  switch (node.type) {
    case "BinaryExpression":
      return binaryChanges(node, place);
    case "LogicalExpression":
      return [...conditionChanges(place), ...["left", "right"].map((side) => ({ becomes: text(partOf(node, side)) }))];
    case "UnaryExpression":
      if (node["operator"] !== "!" && node["operator"] !== "-") return [];
      return [...conditionChanges(place), { becomes: text(partOf(node, "argument")) }];
    case "Literal":
      return literalChanges(node, place);
    case "ArrayExpression":
      return isEmpty(node["elements"]) ? [] : [{ becomes: "[]" }];
    case "ObjectExpression":
      return isEmpty(node["properties"]) || place.isLogged ? [] : [{ becomes: "{}" }];
    case "Property":
    case "SpreadElement":
      return memberChanges(node, place);
    case "ExpressionStatement":
      return isRemovable(node, place) ? [{ becomes: "{}", reads: "removed" }] : [];
    case "AssignmentExpression": {
      const otherwise = ASSIGNMENTS.get(String(node["operator"]));
      if (otherwise === undefined) return [];
      return [
        { becomes: `${text(partOf(node, "left"))} ${otherwise} ${text(partOf(node, "right"))}`, reads: otherwise },
      ];
    }
    case "UpdateExpression":
      return [{ becomes: text(node).replace(/\+\+|--/u, (sign) => (sign === "++" ? "--" : "++")) }];
    case "CallExpression":
      return [...conditionChanges(place), ...callChanges(node, place)];
    case "MemberExpression":
      return [...conditionChanges(place), ...optionalChanges(node, "object", place)];
    default:
      return conditionChanges(place);
  }
}

function isEmpty(list: unknown): boolean {
  return (list as unknown[]).length === 0;
}

/** The condition of a branch is always or never met: an early return that is missing, a branch that is always taken. */
function conditionChanges({ parent, member }: Place): Change[] {
  if (parent === null || member !== "test") return [];
  switch (parent.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return [{ becomes: "true" }, { becomes: "false" }];
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return [{ becomes: "false" }];
    case "SwitchCase":
      return [{ becomes: "(NaN as never)", reads: "never" }];
    default:
      return [];
  }
}

function binaryChanges(node: SyntaxNode, place: Place): Change[] {
  const { source } = place;
  const [left, right] = [partOf(node, "left"), partOf(node, "right")];
  const operator = String(node["operator"]);
  const conditions = conditionChanges(place);
  if (operator === "+" && (isText(left) || isText(right))) return [];
  // Where the condition is negated, each of its cases is the same as one of always and never.
  if (conditions.length > 0 && operator.endsWith("==")) return conditions;
  // The operands' own parentheses are not part of their nodes.
  const between = source.slice(left.end, right.start);
  const others = (BINARY.get(operator) ?? []).map((other) => ({
    becomes:
      source.slice(node.start, left.end) + between.replace(operator, other) + source.slice(right.start, node.end),
    reads: other,
  }));
  return [...conditions, ...others];
}

function isText(node: SyntaxNode): boolean {
  if (node.type === "TemplateLiteral") return true;
  if (node.type === "BinaryExpression") return isText(partOf(node, "left")) || isText(partOf(node, "right"));
  return node.type === "Literal" && typeof node["value"] === "string";
}

function literalChanges(node: SyntaxNode, place: Place): Change[] {
  const { parent, member, isLogged } = place;
  const { value } = node;
  if (isLogged || (member === "test" && parent?.type === "SwitchCase")) return conditionChanges(place);
  if (typeof value === "boolean") return [{ becomes: String(!value) }];
  if (typeof value === "number") return isOfElement(node, place) ? [] : [{ becomes: String(value + 1) }];
  // Sentences and SQL have spaces. A comparison with another text is the same as its negation.
  if (typeof value !== "string" || value.includes(" ") || parent?.type === "BinaryExpression") return [];
  if (value !== "") return [{ becomes: '""' }];
  // A default of nothing: mostly for the types, where a value is always there.
  const isDefault =
    parent?.type === "AssignmentPattern" || (parent?.type === "LogicalExpression" && member === "right");
  return isDefault ? [] : [{ becomes: '"?"' }];
}

/** The default of an element, as in `list[index] ?? 0`: for the types, where the element is always there. */
function isOfElement(node: SyntaxNode, { parent, member }: Place): boolean {
  if (node["value"] !== 0 || parent?.type !== "LogicalExpression" || member !== "right") return false;
  const left = partOf(parent, "left");
  return left.type === "MemberExpression" && left["computed"] === true;
}

/** A member is left out of an object. */
function memberChanges(node: SyntaxNode, { parent, isLogged }: Place): Change[] {
  if (parent?.type !== "ObjectExpression" || isLogged) return [];
  if (node.type === "Property" && (node["kind"] !== "init" || node["method"] === true || isNamedText(node))) return [];
  return [{ becomes: "...{}", reads: "left out" }];
}

/** @param node a member of an object */
export function isNamedText(node: SyntaxNode): boolean {
  return node.type === "Property" && TEXT_MEMBERS.has(partOf(node, "key")["name"]);
}

function isRemovable(node: SyntaxNode, place: Place): boolean {
  const expression = partOf(node, "expression");
  if (expression.type !== "CallExpression") return node["directive"] == null;
  // The lane's own `log` is an effect, which is a decision.
  const isOutput = isLogLine(expression, place.source) && !place.source.startsWith("log(draft", expression.start);
  return partOf(expression, "callee").type !== "Super" && !isOutput;
}

export function isLogLine(call: SyntaxNode, source: string): boolean {
  return call.type === "CallExpression" && /^log(?:Error)?\(/u.test(source.slice(call.start, call.start + 9));
}

function callChanges(node: SyntaxNode, place: Place): Change[] {
  const { source } = place;
  const callee = partOf(node, "callee");
  const optional = optionalChanges(node, "callee", place);
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return optional;
  const property = partOf(callee, "property");
  const name = String(property["name"]);
  const object = partOf(callee, "object");
  if (COPIES.has(name)) return [...optional, { becomes: source.slice(object.start, object.end), reads: `no ${name}` }];
  const other = METHODS.get(name);
  if (other === undefined) return optional;
  const becomes = source.slice(node.start, property.start) + other + source.slice(property.end, node.end);
  return [...optional, { becomes, reads: other }];
}

/** `?.` becomes `.`. */
function optionalChanges(node: SyntaxNode, member: string, { source }: Place): Change[] {
  if (node["optional"] !== true) return [];
  const { end } = partOf(node, member);
  const rest = source
    .slice(end, node.end)
    // The object's own parentheses are not part of its node.
    .replace(
      /^([\s)]*)\?\.(?=([[(])?)/u,
      (_, before: string, bracket?: string) => before.trim() + (bracket ? "" : "."),
    );
  return [{ becomes: source.slice(node.start, end) + rest, reads: "." }];
}
