/** Files of events are read completely, or refused with the problem and its place. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readEventFiles } from '../../../src/adapters/intelligence/event-files.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const NAMES = indexEntityNames(CATALOG);
const FROM = Date.UTC(2012, 0, 1);
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const item = (over: object = {}): string =>
  JSON.stringify({
    id: 'a',
    publishedAt: '2024-03-04T12:00:00Z',
    source: { name: 'Wire', family: 'wire', primary: false },
    category: 'lawsuit',
    tone: 'negative',
    symbols: ['AAPL'],
    headline: 'A court decides',
    ...over,
  });

type Submissions = { filings: { recent: Record<string, unknown[]>; files?: object[] } };
const SUBMISSIONS = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../fixtures/intelligence/submissions.json', import.meta.url)), 'utf8'),
) as Submissions;
/** Recorded filings without the row that lacks its time. */
const whole: Submissions['filings']['recent'] = Object.fromEntries(
  Object.entries(SUBMISSIONS.filings.recent).map(([name, column]) => [name, column.slice(0, 6)]),
);

test('lines of wire items were known from their publication on', () => {
  const read = readEventFiles([file('wire.ndjson', `${item()}\r\n\n${item({ id: 'b', symbols: ['TSLA'] })}\n`)], NAMES, FROM);
  expect(read).toMatchObject({ source: 'news:wire', underlyings: [] });
  expect(read.reports.map(({ id, receivedAt, entities }) => [id, receivedAt, entities[0]?.asset])).toEqual([
    ['wire:a', Date.UTC(2024, 2, 4, 12), 'AAPL'],
    ['wire:b', Date.UTC(2024, 2, 4, 12), 'TSLA'],
  ]);
});

test.each([
  ['no object', `${item()}\n[1]\n`, /line 2 is not a JSON object/],
  ['without a time', item({ publishedAt: 'soon' }), /line 1: item a: "publishedAt" is not a time/],
  ['told twice', `${item()}\n${item()}\n`, /item a appears twice/],
])('a wire item that is %s', (_, text, words) => {
  expect(() => readEventFiles([file('bad.ndjson', text)], NAMES, FROM)).toThrow(words);
});

test('submissions of a filer, with their older pages, are complete', () => {
  const page = 'CIK0000320193-submissions-001.json';
  const main = file(
    'CIK0000320193.json',
    JSON.stringify({ ...SUBMISSIONS, filings: { recent: whole, files: [{ name: page, filingTo: '2013-12-10' }] } }),
  );
  expect(() => readEventFiles([main], NAMES, FROM)).toThrow(
    /older filings are in CIK0000320193-submissions-001\.json: name those files too/,
  );
  expect(readEventFiles([main], NAMES, Date.UTC(2014, 0, 1)).reports).toHaveLength(5);
  const accessionNumber = (whole['accessionNumber'] as string[]).map((number) => number.replace('-26-', '-20-'));
  const older = file(page, JSON.stringify({ ...whole, accessionNumber }));
  const read = readEventFiles([main, older], NAMES, FROM);
  expect(read).toMatchObject({ source: 'news:filings', underlyings: ['AAPL'] });
  expect(read.reports).toHaveLength(10);
  expect(read.reports.every(({ receivedAt, publishedAt }) => receivedAt === publishedAt)).toBe(true);
  expect(() => readEventFiles([file('page.json', JSON.stringify(whole))], NAMES, FROM)).toThrow(/must keep its name/);
  expect(() => readEventFiles([main, older, file('one.ndjson', item())], NAMES, FROM)).toThrow(/of two sources/);
  expect(() => readEventFiles([file('row.json', JSON.stringify(SUBMISSIONS))], NAMES, FROM)).toThrow(/row 6 of Apple Inc\. has no/);
});
