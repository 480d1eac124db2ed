/** Processor time and memory of a process and its descendants. */
import { readdirSync, readFileSync } from 'node:fs';

/** Unit of processor time in /proc/<pid>/stat, in seconds. */
const JIFFY_S = 0.01;

export interface ProcessUse {
  readonly pid: number;
  readonly command: string;
  /** Processor time so far, in seconds. */
  readonly seconds: number;
  /** Memory in bytes, with shared pages divided among their users (PSS). */
  readonly bytes: number;
}

/** Reads a process and its descendants from /proc. Linux only. Processes that end meanwhile are left out. */
export function processTree(root: number): readonly ProcessUse[] {
  const all = new Map<number, { readonly parent: number; readonly use: ProcessUse }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const pid = Number(name);
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const use = { pid, command, seconds: (Number(fields[11]) + Number(fields[12])) * JIFFY_S, bytes: 0 };
      all.set(pid, { parent: Number(fields[1]), use });
    } catch {
      // The process has ended.
    }
  }
  const isBelow = (pid: number): boolean => pid === root || (all.has(pid) && isBelow(all.get(pid)?.parent as number));
  return [...all.values()].filter(({ use }) => isBelow(use.pid)).map(({ use }) => ({ ...use, bytes: memoryOf(use.pid) }));
}

function memoryOf(pid: number): number {
  try {
    return 1_024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
