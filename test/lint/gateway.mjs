/** Rules of this project that oxlint does not have (https://oxc.rs/docs/guide/usage/linter/js-plugins.html). */

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

export default { meta: { name: "gateway" }, rules: { "no-assertion-in-finally": noAssertionInFinally } };
