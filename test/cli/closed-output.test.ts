// Commands whose output pipe is closed.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CLOSED_PIPE_CODE, watchOutput } from '../../src/cli/closed-output.ts';

const PROGRAM = fileURLToPath(new URL('../../src/boot/sevengate.mjs', import.meta.url));

test('a command ends silently when its reader has gone', async () => {
  const command = spawn(process.execPath, [PROGRAM, 'agents', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  command.stdout.destroy();
  const [said, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
  expect(said).toBe('');
  expect(code).toBe(CLOSED_PIPE_CODE);
});

test('the service continues, and any other output error is thrown', () => {
  const out = { stdout: new EventEmitter(), stderr: new EventEmitter() };
  const codes: number[] = [];
  watchOutput(out, true, (code) => codes.push(code));
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  out.stdout.emit('error', gone);
  out.stderr.emit('error', gone);
  expect(codes).toEqual([]);
  const full = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' });
  expect(() => out.stdout.emit('error', full)).toThrow('ENOSPC');
  expect(() => out.stderr.emit('error', full)).toThrow('ENOSPC');
});
