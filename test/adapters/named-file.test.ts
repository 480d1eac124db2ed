// Files named by people: a failure to read or write is described in one sentence, without system jargon.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBars } from '../../src/adapters/candle-files/read-bars.ts';
import { readCatalogFile } from '../../src/adapters/catalog-file.ts';
import { readArchive } from '../../src/adapters/intelligence/import-events.ts';
import { readHistoryFile } from '../../src/adapters/store/catalog/history-files.ts';
import { importTape } from '../../src/adapters/tape/import/import-tape.ts';
import { openTape } from '../../src/adapters/tape/tape-reader.ts';
import { manifestFromFile } from '../../src/cli/backtest/manifest-file.ts';
import { readNamedFile, writeNamedFile } from '../../src/adapters/named-file.ts';

test('a file is read and written completely; a missing one and a folder are reported in words', () => {
  const folder = mkdtempSync(join(tmpdir(), 'named-file-'));
  try {
    writeFileSync(join(folder, 'there'), 'text');
    expect(readNamedFile(join(folder, 'there'))).toBe('text');
    expect(() => readNamedFile(join(folder, 'missing'))).toThrow(`${join(folder, 'missing')} cannot be read: there is no such file`);
    expect(() => readNamedFile(folder)).toThrow(`${folder} cannot be read: it is a folder`);
    const below = join(folder, 'there', 'below');
    expect(() => readNamedFile(below)).toThrow(`${below} cannot be read: a part of its path is no folder`);
    writeNamedFile(join(folder, 'there'), 'other');
    expect(readNamedFile(join(folder, 'there'))).toBe('other');
    const lost = join(folder, 'nowhere', 'page.html');
    expect(() => writeNamedFile(lost, 'text')).toThrow(`${lost} cannot be written: its folder does not exist`);
    expect(() => writeNamedFile(folder, 'text')).toThrow(`${folder} cannot be written: it is a folder`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every reader of a file named at a terminal reports a missing one by name', async () => {
  const missing = join(tmpdir(), 'sevengate-nowhere', 'file');
  const readers: Readonly<Record<string, () => unknown>> = {
    catalog: () => readCatalogFile(missing, () => ({}) as never, []),
    events: () => readArchive([missing], 0, 1, 'all'),
    facts: () => readHistoryFile(missing, 'pool_liquidity', 'AAPLx'),
    manifest: () => manifestFromFile(missing),
    tape: () => openTape(missing),
    recording: () =>
      importTape({ from: missing, to: `${missing}.tape`, venue: 'spotexchange', instrument: null, timeframe: null, date: null }),
    bars: () => readBars(missing, 60_000, 1),
  };
  for (const [name, read] of Object.entries(readers)) {
    const said = await Promise.resolve()
      .then(read)
      .then(
        () => '',
        (error: unknown) => (error as Error).message,
      );
    expect([name, said]).toEqual([name, expect.stringContaining(missing)]);
    expect([name, said]).toEqual([name, expect.stringContaining('there is no such file')]);
    expect([name, said]).toEqual([name, expect.not.stringContaining('ENOENT')]);
  }
});
