/** Reports for tests: a fixed one, and arbitrary ones by fast-check. */
import fc from 'fast-check';
import { EVENT_KINDS, REPORT_ACTIONS, type Report } from '../../../src/domain/intelligence/report.ts';
import { SEVERITIES } from '../../../src/domain/market/market-event.ts';

export const NOW = Date.UTC(2026, 10, 19, 15, 30);

export function aReport(over: Partial<Report> = {}): Report {
  return {
    id: 'r0',
    channel: 'wire',
    source: 'An agency',
    family: 'a',
    primary: false,
    publishedAt: NOW,
    receivedAt: NOW + 1_000,
    kind: 'executive',
    severity: 'high',
    direction: 'negative',
    entities: [{ asset: 'AAPL', by: 'ticker', matched: 'AAPL' }],
    unmapped: [],
    headline: 'The chief executive leaves the company at once',
    url: null,
    storyKey: null,
    action: 'report',
    corrects: null,
    ...over,
  };
}

const HEADLINES = [
  'The chief executive leaves the company at once',
  'Officer quits at the firm overnight',
  'Authority is looking into loans of the bank, sources say',
  'BRIEF The chief executive leaves the company at once',
  'Nothing of it is true says a spokesman',
];

const report: fc.Arbitrary<Omit<Report, 'id'>> = fc.record({
  channel: fc.constant('wire' as const),
  source: fc.constant('An agency'),
  family: fc.constantFrom('a', 'b', 'c', 'd'),
  primary: fc.oneof({ arbitrary: fc.constant(false), weight: 5 }, { arbitrary: fc.constant(true), weight: 1 }),
  publishedAt: fc.integer({ min: NOW - 4 * 86_400_000, max: NOW }),
  receivedAt: fc.constant(NOW),
  kind: fc.constantFrom(...EVENT_KINDS),
  severity: fc.constantFrom(...SEVERITIES),
  direction: fc.constantFrom('negative' as const, 'neutral' as const, 'positive' as const),
  entities: fc.constantFrom<Report['entities']>(
    [{ asset: 'AAPL', by: 'ticker', matched: 'AAPL' }],
    [{ asset: 'BTC', by: 'name', matched: 'Bitcoin' }],
    [],
  ),
  unmapped: fc.constant([]),
  headline: fc.constantFrom(...HEADLINES),
  url: fc.constantFrom(null, null, 'https://a.example/1', 'https://www.a.example/1?x=2'),
  storyKey: fc.constantFrom(null, null, 'k1', 'k2'),
  action: fc.oneof({ arbitrary: fc.constant('report' as const), weight: 6 }, { arbitrary: fc.constantFrom(...REPORT_ACTIONS), weight: 1 }),
  corrects: fc.constantFrom(null, 'r0', 'r1', 'r2'),
});

/** 1 to 9 reports with distinct ids. */
export const reports: fc.Arbitrary<Report[]> = fc
  .array(report, { minLength: 1, maxLength: 9 })
  .map((list) => list.map((one, index) => ({ ...one, id: `r${index}`, corrects: one.action === 'report' ? null : one.corrects })));

export function shuffled<Item>(list: readonly Item[], seed: number): Item[] {
  const keyed = list.map((item, index) => ({ item, key: Math.sin(seed + index * 7.13) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
