// Recorded answers of the intelligence providers: every row is mapped, left out by name, or refused for a reason.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readSubmissions } from '../../../src/adapters/intelligence/filings.ts';
import { readObservations } from '../../../src/adapters/intelligence/macro-feed.ts';
import { readWireItem } from '../../../src/adapters/intelligence/newswire.ts';
import { readPosts } from '../../../src/adapters/intelligence/social-feed.ts';
import { readChains } from '../../../src/adapters/intelligence/tvl.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const names = indexEntityNames(CATALOG);
const at = (path: string): string => fileURLToPath(new URL(`../../../../shared/data/${path}`, import.meta.url));
const fixture = (name: string): never =>
  JSON.parse(readFileSync(new URL(`../../fixtures/intelligence/${name}.json`, import.meta.url), 'utf8')) as never;
const recorded = (path: string): never => JSON.parse(readFileSync(at(path), 'utf8')) as never;

/** Rows read, mapped, left out by name, and refused by reason. */
type Tally = readonly [read: number, mapped: number, left: number, refused: Readonly<Record<string, number>>];

function byReason(rejected: readonly { readonly reason: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of rejected) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function chains(body: readonly unknown[]): Tally {
  const read = readChains(body, NOW);
  return [body.length, read.chains.length, 0, byReason(read.rejected)];
}

function filings(body: { readonly filings: { readonly recent: { readonly form: readonly string[] } } }): Tally {
  const { reports, ignored, rejected } = readSubmissions(body, { names, receivedAt: NOW, since: 0, archiveUrl: 'https://archive.example' });
  // Rows are left out by their form, and then all of that form.
  for (const [form, count] of ignored) expect(count, form).toBe(body.filings.recent.form.filter((one) => one === form).length);
  console.log(`left out by form: ${JSON.stringify(Object.fromEntries(ignored))}`);
  const left = [...ignored.values()].reduce((sum, count) => sum + count, 0);
  return [body.filings.recent.form.length, reports.length, left, byReason(rejected)];
}

function observations(body: { readonly observations: readonly unknown[] }, units: 'lin' | 'pc1'): Tally {
  const read = readObservations(body, { id: 'SERIES', units }, NOW);
  return [body.observations.length, read.observations.length, 0, byReason(read.rejected)];
}

function rates(): Tally {
  const rows = readFileSync(at('tapes/macro/us_primary_credit_rate_lean.csv'), 'utf8').trim().split('\n').slice(1);
  const list = rows.map((row) => {
    const [date, value] = row.trim().split(',');
    return { realtime_start: '2023-07-27', realtime_end: '9999-12-31', date, value };
  });
  return observations({ units: 'lin', observations: list } as never, 'lin');
}

function wire(items: readonly unknown[]): Tally {
  const refused = items.filter((item) => typeof readWireItem(item, names, NOW) === 'string').length;
  return [items.length, items.length - refused, 0, refused > 0 ? { sentence: refused } : {}];
}

function posts(body: { readonly data: readonly unknown[] }): Tally {
  const read = readPosts(body, names, NOW, null);
  return [body.data.length, read.posts.length, 0, byReason(read.rejected)];
}

const DAYS: readonly { readonly name: string; readonly needs?: string; readonly tally: () => Tally; readonly expected: Tally }[] = [
  {
    name: 'chains, a recorded list',
    needs: 'fixtures/defillama/v2_chains_2022-09.json',
    tally: () => chains(recorded('fixtures/defillama/v2_chains_2022-09.json')),
    expected: [140, 140, 0, {}],
  },
  {
    name: 'chains, a made list',
    tally: () => chains(fixture('chains')),
    expected: [9, 4, 0, { bad_number: 2, missing_field: 2, unknown_shape: 1 }],
  },
  {
    name: 'filings, a recorded company',
    needs: 'fixtures/sec/submissions_TSLA.json',
    tally: () => filings(recorded('fixtures/sec/submissions_TSLA.json')),
    expected: [1001, 321, 680, {}],
  },
  { name: 'filings, a made company', tally: () => filings(fixture('submissions')), expected: [7, 5, 1, { missing_field: 1 }] },
  {
    name: 'macro series, a recorded rate in the shape of the provider',
    needs: 'tapes/macro/us_primary_credit_rate_lean.csv',
    tally: rates,
    expected: [56, 56, 0, {}],
  },
  {
    name: 'macro series, a made one',
    tally: () => observations(fixture('observations'), 'pc1'),
    expected: [6, 4, 0, { missing_field: 1, bad_number: 1 }],
  },
  {
    name: 'wire items, a made page (none is recorded)',
    tally: () => wire((fixture('wire-page') as { reports: unknown[] }).reports),
    expected: [4, 3, 0, { sentence: 1 }],
  },
  { name: 'posts, a made page (none is recorded)', tally: () => posts(fixture('posts-page')), expected: [4, 2, 0, { missing_field: 2 }] },
];

describe('without an unexplained loss read', () => {
  for (const { name, needs, tally, expected } of DAYS) {
    const absent = needs !== undefined && !existsSync(at(needs));
    test.skipIf(absent)(absent ? `${name}: the recording ${needs} is not here` : name, () => {
      const [read, mapped, left, refused] = tally();
      const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0);
      console.log(`${name}: ${read} in, ${mapped} mapped, ${left} not of interest, ${refusals} refused ${JSON.stringify(refused)}`);
      expect(mapped + left + refusals).toBe(read);
      expect([read, mapped, left, refused]).toEqual(expected);
    });
  }
});
