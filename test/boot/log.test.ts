// Log of a service on a full disk: lines are lost, the process survives, and the log reports the number of lost lines.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { lossyLines } from '../../src/adapters/log/log.ts';

const full = (): never => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
};

test('lines that find no space are lost and counted; those after them are written', () => {
  let space = true;
  let written = '';
  const lines = lossyLines(
    2,
    () => '2026-03-02T14:31:00Z',
    (bytes) => (space ? ((written += bytes.toString()), bytes.length) : full()),
  );
  lines.write('one\n');
  space = false;
  lines.write('two\n');
  lines.write('three\n');
  space = true;
  lines.write('four\n');
  const [first, told, last] = written.split('\n');
  expect([first, last]).toEqual(['one', 'four']);
  expect(JSON.parse(told as string)).toMatchObject({ level: 40, lost: 2, msg: 'lines of the log were lost' });
});

test('a line that the reader accepts in parts and late is written completely', () => {
  let written = '';
  let asked = 0;
  const lines = lossyLines(
    2,
    () => '2026-03-02T14:31:00Z',
    (bytes) => {
      if (++asked % 2 === 1) throw Object.assign(new Error('later'), { code: 'EAGAIN' });
      written += bytes.subarray(0, 3).toString();
      return Math.min(3, bytes.length);
    },
  );
  lines.write('a long line\n');
  expect(written).toBe('a long line\n');
});

test.skipIf(!existsSync('/dev/full'))('a process whose log lies on a full disk goes on', () => {
  const log = fileURLToPath(new URL('../../src/adapters/log/log.ts', import.meta.url));
  const program = `
    const { openSync } = await import('node:fs');
    const { createLog } = await import(${JSON.stringify(log)});
    const log = createLog('info', openSync('/dev/full', 'w'));
    for (let line = 0; line < 100; line++) log.info({ line }, 'on its way');
    setTimeout(() => console.log('still here'), 50);`;
  const { stdout, status } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { encoding: 'utf8' });
  expect({ stdout: stdout.trim(), status }).toEqual({ stdout: 'still here', status: 0 });
});
