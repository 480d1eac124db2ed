/** Runs tests that the service exported from an actor's past, as a user who downloaded them would. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs each source as a file with vitest in a child process, without the suite's setup. Returns the names of those that passed, and
 * the output.
 */
export async function runExported(
  sources: Readonly<Record<string, string>>,
): Promise<{ readonly passed: readonly string[]; readonly output: string }> {
  mkdirSync(join(ROOT, 'test/exported'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'test/exported/run-'));
  // The folder is one level deeper than a user's would be.
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
