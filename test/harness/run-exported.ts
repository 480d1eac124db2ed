/** Runs tests that the service exported of an actor's past, as whoever downloaded them does. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs each source as a file in a child process with vitest, without the suite's setup. Answers the names of those that passed and
 * what was printed.
 */
export async function runExported(
  sources: Readonly<Record<string, string>>,
): Promise<{ readonly passed: readonly string[]; readonly output: string }> {
  mkdirSync(join(ROOT, 'test/exported'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'test/exported/run-'));
  // One folder deeper than where a person puts it.
  for (const [name, text] of Object.entries(sources))
    writeFileSync(join(folder, `${name}.test.ts`), text.replaceAll(`'../../`, `'../../../`));
  const script = `const { startVitest } = await import('vitest/node');
    const vitest = await startVitest('test', [], { config: false, watch: false, isolate: false, maxWorkers: 1, root: ${JSON.stringify(ROOT)}, include: [${JSON.stringify(`${folder}/*.test.ts`)}], reporters: ['verbose'] });
    await vitest.close();
    process.exitCode = 0;
    for (const file of vitest.state.getTestModules()) console.log((file.ok() ? 'passed ' : 'failed ') + file.moduleId.split('/').at(-1));`;
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
    return { passed: [...stdout.matchAll(/^passed (.*)\.test\.ts$/gm)].map(([, name]) => name as string).sort(), output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
