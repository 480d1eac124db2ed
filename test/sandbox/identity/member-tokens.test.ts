/** Token files of the example members: renewed until stopped, also after a disk was full. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepMemberTokens } from '../../../src/sandbox/identity/member-tokens.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';

const MINUTE_MS = 60_000;

test('a renewal that cannot write leaves the process running, and is repeated', () => {
  const home = mkdtempSync(join(tmpdir(), 'member-tokens-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const clock = createVirtualClock(1_790_000_000_000);
  const errors: unknown[] = [];
  const { folder, stop } = keepMemberTokens(home, clock, (error) => errors.push(error));
  const token = (): string => readFileSync(join(folder, 'operator.token'), 'utf8');
  const first = token();
  rmSync(folder, { recursive: true });
  // Nothing can be written where a file is in the way, like on a full disk.
  writeFileSync(folder, '');
  clock.advanceTo(clock.now() + 22 * MINUTE_MS);
  expect(errors).toHaveLength(3);
  rmSync(folder);
  clock.advanceTo(clock.now() + MINUTE_MS);
  expect(errors).toHaveLength(3);
  expect(token()).not.toBe(first);
  stop();
  expect(clock.pending).toBe(0);
});
