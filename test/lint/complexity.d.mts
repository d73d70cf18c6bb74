export function isFunction(node: { type: string }): boolean;

/** @param root a function, as ESTree has it */
export function complexityOf(root: unknown): number;
