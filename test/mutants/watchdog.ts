/**
 * Ends this process if a mutant keeps it busy without end: promises that follow each other let no timer fire, and no test be
 * given up. By the processor's time and not by the clock: a busy machine keeps a process waiting, too.
 */
import { Worker } from "node:worker_threads";

/** Seconds of the processor without a turn of the event loop. No turn of a test takes nearly as long. */
const BUSY = 15;

/** Milliseconds. */
const LOOK = 500;

const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
setInterval(() => Atomics.add(turns, 0, 1), LOOK).unref();

const watch = `
  const { workerData: turns } = require("node:worker_threads");
  let seen = -1, from = 0;
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const [turn, now] = [Atomics.load(turns, 0), (user + system) / 1e6];
    if (turn === seen && now - from > ${BUSY}) process.kill(process.pid, "SIGKILL");
    if (turn !== seen) [seen, from] = [turn, now];
  }, ${LOOK});
`;
new Worker(watch, { eval: true, workerData: turns, execArgv: [] }).unref();
