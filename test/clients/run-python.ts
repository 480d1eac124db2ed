/** Runs the Python client with this machine's Python, if there is one. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Folder of the Python client. */
export const PYTHON_CLIENT = fileURLToPath(new URL('../../clients/python/', import.meta.url));
/** Path of a Python of this machine that can run the client, or null. */
export const PYTHON =
  ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'].find(
    (name) => spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0,
  ) ?? null;
if (PYTHON === null) console.warn('skipped the Python client: no python3 (3.10 or later) on the PATH');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Python to its end without any of our packages. */
export async function python(args: readonly string[], { input = '', home = '', document = '' } = {}): Promise<Ran> {
  const child = spawn(PYTHON as string, ['-W', 'error', ...args], {
    cwd: PYTHON_CLIENT,
    env: {
      PATH: process.env['PATH'] ?? '',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: PYTHON_CLIENT,
      ...(home === '' ? {} : { SEVENGATE_HOME: home }),
      ...(document === '' ? {} : { SEVENGATE_API_DOCUMENT: document }),
    },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
