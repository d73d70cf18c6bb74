import { useState } from "preact/hooks";

/**
 * What a form for filters contains: the filters that the page's address names, until its user changes them. Another
 * address, such as after Back, replaces them.
 */
export function useWanted<Values extends Record<string, string>>(
  named: Values,
): [wanted: Values, change: (changes: Partial<Values>) => void] {
  const key = JSON.stringify(named);
  const [state, setState] = useState({ key, wanted: named });
  const wanted = state.key === key ? state.wanted : named;
  return [wanted, (changes) => setState({ key, wanted: { ...wanted, ...changes } })];
}
