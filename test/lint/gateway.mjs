/** Rules of this project that oxlint does not have (https://oxc.rs/docs/guide/usage/linter/js-plugins.html). */

import { complexityOf, isFunction } from "./complexity.mjs";

/** Names with which a test asserts. */
const ASSERTIONS = new Set(["expect", "assert"]);

/** Whether a call is `expect(…)`, or a method of what it returns. */
function isAssertion({ callee }) {
  const named = callee.type === "MemberExpression" ? callee.object : callee;
  return named.type === "Identifier" && ASSERTIONS.has(named.name);
}

/** Whether a node is within a `finally`, without a function in between that runs at another time. */
function isInFinally(node) {
  for (let inner = node, outer = node.parent; outer; inner = outer, outer = outer.parent) {
    if (outer.type === "TryStatement" && outer.finalizer === inner) return true;
    if (outer.type.includes("Function")) return false;
  }
  return false;
}

const noAssertionInFinally = {
  meta: { type: "problem" },
  create: (context) => ({
    CallExpression(node) {
      if (!isAssertion(node) || !isInFinally(node)) return;
      const message =
        "An assertion in `finally` hides the error that led there. Assert before it, and only clean up here.";
      context.report({ node, message });
    },
  }),
};

/** Whether a function is a part of another one, whose complexity includes it. */
function isPart(node) {
  for (let outer = node.parent; outer; outer = outer.parent) {
    if (outer.type === "ClassBody") return false;
    if (isFunction(outer)) return true;
  }
  return false;
}

/** Its option is the highest cognitive complexity of a function. */
const cognitiveComplexity = {
  meta: { type: "suggestion", schema: [{ type: "integer" }] },
  create: (context) => {
    const check = (node) => {
      if (isPart(node)) return;
      const [most] = context.options;
      const complexity = complexityOf(node);
      if (complexity <= most) return;
      const message = `This function has a cognitive complexity of ${complexity}; at most ${most} is allowed. Split it by meaning.`;
      context.report({ node, message });
    };
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check };
  },
};

/** Whether a node is `Date.now()`, possibly plus or minus something. */
function isWallClock(node) {
  if (node.type === "BinaryExpression") return isWallClock(node.left) || isWallClock(node.right);
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  const { object, property } = node.callee;
  return object.type === "Identifier" && object.name === "Date" && property.name === "now";
}

const SPANS = new Set(["-", "<", "<=", ">", ">="]);

/** A wall clock is set, by a person or by NTP: what it measures becomes wrong by hours. */
const noWallClockSpan = {
  meta: { type: "problem" },
  create: (context) => ({
    BinaryExpression(node) {
      if (!SPANS.has(node.operator) || (!isWallClock(node.left) && !isWallClock(node.right))) return;
      const message =
        "Measure a span with `performance.now()`: a wall clock can be set meanwhile. To compare stored or transmitted " +
        "times with the present, name it first: `const now = Date.now()`.";
      context.report({ node, message });
    },
  }),
};

export default {
  meta: { name: "gateway" },
  rules: {
    "cognitive-complexity": cognitiveComplexity,
    "no-assertion-in-finally": noAssertionInFinally,
    "no-wall-clock-span": noWallClockSpan,
  },
};
