/**
 * Linux: `proc_pid_stat(5)`. The kernel adds a process's time to its parent when the parent waits for it. It loses the
 * time of a process that outlives its parent, and a killed browser or runtime leaves many. So each process is read
 * while it lives.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Per second, for every Linux program: sysconf(3), _SC_CLK_TCK. */
const TICKS = 100;

/**
 * @typedef {object} Seen one process
 * @property {number} parent
 * @property {string} start tells it from another one with its number
 * @property {number} own ticks
 * @property {number} reaped ticks of the processes that it has waited for
 */

/** @returns {Map<number, Seen>} all processes */
function processes() {
  const seen = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/u.test(name)) continue;
    try {
      // The program's name, in parentheses, may contain anything.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /su, "")
        .split(" ");
      const [user, system, reapedUser, reapedSystem] = fields.slice(11, 15).map(Number);
      const times = { own: user + system, reaped: reapedUser + reapedSystem };
      seen.set(Number(name), { parent: Number(fields[1]), start: fields[19], ...times });
    } catch {
      // It has just ended.
    }
  }
  return seen;
}

export class DescendantCpu {
  /** @type {Map<number, Seen>} this process and its descendants, as they were last seen */
  #known = new Map();
  /** Ticks that nobody waited for. */
  #lost = 0;
  /** Ticks until now. */
  #before;

  constructor() {
    this.look();
    this.#before = this.#ticks;
  }

  /** Looks at all processes. Call it every second. */
  look() {
    const all = processes();
    const now = new Map();
    const self = all.get(process.pid);
    if (self !== undefined) now.set(process.pid, self);
    const isKnown = (id, one) => this.#known.get(id)?.start === one.start || now.has(one.parent);
    for (let before = -1; before !== now.size;) {
      before = now.size;
      for (const [id, one] of all) if (!now.has(id) && isKnown(id, one)) now.set(id, one);
    }
    this.#noteLost(now);
    this.#known = now;
  }

  /** A process that ended since the last look is counted by the process that waited for it, or is lost. */
  #noteLost(now) {
    const isAlive = (id) => now.get(id)?.start === this.#known.get(id)?.start;
    const owed = new Map();
    for (const [id, { own, reaped, parent }] of this.#known) {
      if (isAlive(id)) continue;
      let heir = parent;
      while (this.#known.has(heir) && !isAlive(heir)) heir = this.#known.get(heir).parent;
      owed.set(heir, (owed.get(heir) ?? 0) + own + reaped);
    }
    for (const [heir, ticks] of owed) {
      const paid = (now.get(heir)?.reaped ?? 0) - (this.#known.get(heir)?.reaped ?? 0);
      this.#lost += Math.max(0, ticks - paid);
    }
  }

  /** @returns {number} seconds since this was made */
  get seconds() {
    this.look();
    return (this.#ticks - this.#before) / TICKS;
  }

  get #ticks() {
    let ticks = this.#lost;
    for (const [id, { own, reaped }] of this.#known) ticks += (id === process.pid ? 0 : own) + reaped;
    return ticks;
  }
}
