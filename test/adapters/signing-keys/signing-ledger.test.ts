// Ledger of what the signer signed: kept in a file across restarts, and closed if the file is unreadable.
import { appendFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSigningLedger, SIGNING_WINDOW_MS } from '../../../src/adapters/signing-keys/signing-ledger.ts';
import { newRunFolder } from '../../harness/temporary-files.ts';

const AT = Date.UTC(2026, 5, 1);
let folder: string;
let file: string;
beforeEach(() => {
  folder = newRunFolder();
  file = join(folder, 'signer', 'signed.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const signing = (orderId: string, notionalUsd: string, at = AT, digest = 'aa') => ({ orderId, notionalUsd, at, digest });

test('a window allows its amount and no cent more, across restarts', () => {
  expect(openSigningLedger(file, '500').count(signing('one', '300.5'))).toBeNull();
  const after = openSigningLedger(file, '500');
  expect(after.count(signing('two', '199.51'))).toContain('above its limit of 500');
  expect(after.count(signing('two', '199.5'))).toBeNull();
  expect(openSigningLedger(file, '500').count(signing('three', '0.01', AT + SIGNING_WINDOW_MS - 1))).toContain('above its limit');
  expect(openSigningLedger(file, '500').count(signing('three', '0.01', AT + SIGNING_WINDOW_MS))).toBeNull();
  expect(statSync(file).mode & 0o077).toBe(0);
});

test('the same message may be requested again and counts once; another one for the same order is refused', () => {
  const ledger = openSigningLedger(file, '500');
  expect([ledger.count(signing('one', '400')), ledger.count(signing('one', '400', AT + 5))]).toEqual([null, null]);
  expect(ledger.count(signing('one', '400', AT, 'bb'))).toContain('with another message');
});

test('a sale counts nothing and is above no limit, but is signed once too', () => {
  openSigningLedger(file, '500').count(signing('one', '500'));
  const lowered = openSigningLedger(file, '100');
  expect([lowered.count(signing('sale', '0')), lowered.count(signing('two', '0.01'))]).toEqual([null, expect.stringContaining('limit')]);
  expect(lowered.count(signing('sale', '0', AT, 'bb'))).toContain('with another message');
});

test('a clock set back does not empty the window', () => {
  const ledger = openSigningLedger(file, '500');
  ledger.count(signing('one', '400'));
  expect(ledger.count(signing('two', '400', AT - 5 * SIGNING_WINDOW_MS))).toContain('above its limit');
});

test.each(['{"at":1', '{}', '{"at":1,"orderId":"x","digest":"y","notionalUsd":"-1"}'])('a file with %s in it signs nothing', (line) => {
  openSigningLedger(file, '500').count(signing('one', '1'));
  appendFileSync(file, `${line}\n`);
  expect(() => openSigningLedger(file, '500')).toThrow('nothing is signed');
});
