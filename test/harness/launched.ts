/** Child processes that a test file has launched. Those that it leaves, such as after a test that ran out of time, are killed when it ends. */
import type { ChildProcess } from 'node:child_process';

const alive = new Set<ChildProcess>();

/** Remembers a process until it ends. */
export function remember(child: ChildProcess): void {
  alive.add(child);
  child.once('exit', () => alive.delete(child));
}

/** Kills the remembered processes. Returns the command lines of those that were alive. */
export function killLeft(): readonly string[] {
  const left = [...alive];
  alive.clear();
  for (const child of left) child.kill('SIGKILL');
  return left.map(({ spawnargs }) => spawnargs.join(' '));
}
