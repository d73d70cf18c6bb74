/** Which histories are played: the environment of a run on Node, bindings of the same names in workerd. */

interface Selection {
  seed: number;
  first: number;
  histories: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `prefix`: of the variables `…_HISTORIES` and `…_FIRST`; MODEL_SEED is for all, a number or `random`. */
export function selection(environment: Environment, prefix: "MODEL" | "OBJECT_MODEL"): Selection {
  const { MODEL_SEED: seed } = environment;
  return {
    seed: seed === "random" ? Math.floor(Math.random() * 1_000_000_000) : number(seed, 1),
    first: number(environment[`${prefix}_FIRST`], 0),
    histories: number(environment[`${prefix}_HISTORIES`]),
  };
}

/** How the very same history is played again, and no other. */
export function command(prefix: "MODEL" | "OBJECT_MODEL", seed: number, history: number): string {
  const other = prefix === "MODEL" ? "OBJECT_MODEL" : "MODEL";
  return `MODEL_SEED=${seed} ${prefix}_FIRST=${history} ${prefix}_HISTORIES=1 ${other}_HISTORIES=0 npm run model`;
}

function number(text: string | undefined, otherwise?: number): number {
  if ((text === undefined || text === "") && otherwise !== undefined) return otherwise;
  if (text === undefined || !/^[0-9]{1,9}$/u.test(text))
    throw new Error(`${text} is no number of histories, and no seed`);
  return Number(text);
}

/** The seed of the n-th history of a run: neighbouring runs share no histories. */
export function historySeed(seed: number, history: number): number {
  return Math.imul(seed, 0x85ebca6b) ^ Math.imul(history + 1, 0xc2b2ae35);
}
