/**
 * Child processes that a test file has launched. Those that it leaves, such as after a test that ran out of time, are killed when it ends,
 * or at the end of an interrupted run: see servers.ts.
 */
import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newRunFolder } from './temporary-files.ts';

const alive = new Set<ChildProcess>();

/** Remembers a process until it ends. */
export function remember(child: ChildProcess): void {
  alive.add(child);
  const noted = newRunFolder();
  writeFileSync(join(noted, 'launched.pid'), String(child.pid));
  child.once('exit', () => {
    alive.delete(child);
    rmSync(noted, { recursive: true, force: true });
  });
}

/** Kills the remembered processes. Returns the command lines of those that were alive. */
export function killLeft(): readonly string[] {
  const left = [...alive];
  alive.clear();
  for (const child of left) child.kill('SIGKILL');
  return left.map(({ spawnargs }) => spawnargs.join(' '));
}
