/** Process that owns embedded servers, so that tests can kill it. Prints what it started, and stops cleanly on SIGINT. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./child-process.mjs', import.meta.url));

export interface Owned {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly sharedWith: number | null;
}

/** Starts `test/harness/<kind>-owner.ts` with a state folder and reads its output. */
export async function startOwner(kind: 'postgres' | 'redis', home: string, options: SpawnOptions = {}) {
  const program = fileURLToPath(new URL(`./${kind}-owner.ts`, import.meta.url));
  const child = spawn(process.execPath, [CHILD, program, home], {
    detached: true,
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = [child.stdout, child.stderr];
  if (!out || !err) throw new Error('no pipes');
  let complaints = '';
  err.on('data', (part: Buffer) => (complaints += part.toString()));
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines = createInterface({ input: out })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error(`the owner ended: ${complaints}`);
  const group = -(child.pid as number);
  return {
    owned: JSON.parse(first.value as string) as Owned,
    pid: child.pid as number,
    exit,
    nextLine: async () => (await lines.next()).value as string | undefined,
    /** Presses Ctrl-C as in a terminal: the whole foreground group receives SIGINT. */
    pressCtrlC: () => process.kill(group, 'SIGINT'),
    kill: async () => {
      process.kill(group, 'SIGKILL');
      await exit;
    },
  };
}
