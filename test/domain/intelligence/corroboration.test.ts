// Corroboration is a pure rule over the set of reports, tested by properties.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assess } from '../../../src/domain/intelligence/corroboration.ts';
import { canonicalUrl, likeness, nearIdentical } from '../../../src/domain/intelligence/likeness.ts';
import { readCategory, readItems, readTone } from '../../../src/domain/intelligence/report.ts';
import { SEVERITIES } from '../../../src/domain/market/market-event.ts';
import { aReport, NOW, reports, shuffled } from './reports.ts';

describe('a story', () => {
  test.each([
    ['one report of one agency', [{ family: 'a' }], 'rumor', null],
    [
      'two reports of one family in different words',
      [{ family: 'a' }, { family: 'a', headline: 'Officer quits at the firm overnight' }],
      'rumor',
      null,
    ],
    ['the same text in two families', [{ family: 'a' }, { family: 'b' }], 'rumor', null],
    [
      'nearly the same text in two families',
      [{ family: 'a' }, { family: 'b', headline: 'UPDATE The chief executive leaves the company at once' }],
      'rumor',
      null,
    ],
    [
      'one page under two addresses of it',
      [
        { family: 'a', url: 'https://x.example/1?ref=b' },
        { family: 'b', headline: 'Quite other words of it', url: 'http://www.x.example/1/' },
      ],
      'rumor',
      null,
    ],
    [
      'two families in their own words',
      [{ family: 'a' }, { family: 'b', headline: 'Officer quits at the firm overnight' }],
      'confirmed',
      'independent_families',
    ],
    ['a primary source alone', [{ family: 'sec', primary: true }], 'confirmed', 'primary_source'],
    ['a primary source whose text was out before', [{ family: 'a' }, { family: 'issuer', primary: true }], 'confirmed', 'primary_source'],
    [
      'a report that its family takes back',
      [{ family: 'a' }, { family: 'a', action: 'retraction', corrects: 'r0', headline: 'Withdrawn' }],
      'retracted',
      null,
    ],
    [
      'a report that somebody else takes back',
      [{ family: 'a' }, { family: 'b', action: 'retraction', corrects: 'r0', headline: 'Withdrawn' }],
      'rumor',
      null,
    ],
    [
      'two families of which one takes its report back',
      [
        { family: 'a' },
        { family: 'b', headline: 'Officer quits at the firm overnight' },
        { family: 'b', action: 'retraction', headline: 'We withdraw this' },
      ],
      'rumor',
      null,
    ],
  ] as const)('of %s depends on the trust in its sources', (_what, parts, state, confirmedBy) => {
    const told = parts.map((part, index) => aReport({ id: `r${index}`, publishedAt: NOW + index * 60_000, ...part }));
    expect(assess(told)).toMatchObject({ state, confirmedBy });
  });

  test('states since when it is this certain and severe', () => {
    const told = [
      aReport({ id: '1', family: 'a', severity: 'medium', publishedAt: NOW }),
      aReport({ id: '2', family: 'b', severity: 'high', publishedAt: NOW + 60_000, headline: 'Officer quits at the firm overnight' }),
      aReport({ id: '3', family: 'sec', severity: 'low', primary: true, publishedAt: NOW + 120_000, headline: 'Form 8-K was filed today' }),
    ];
    expect(assess(told.slice(0, 1))).toMatchObject({ state: 'rumor', observedAt: NOW, severity: 'medium', confirmedAt: null });
    expect(assess(told)).toMatchObject({
      confirmedAt: NOW + 60_000,
      observedAt: NOW + 60_000,
      severity: 'high',
      headline: 'Form 8-K was filed today',
    });
  });

  test('may become more severe by a report, and less only by a correction of the same family', () => {
    const grave = aReport({ id: '1', family: 'a', severity: 'critical' });
    const mild = aReport({ id: '2', family: 'b', severity: 'low', headline: 'It was not half as bad as told', publishedAt: NOW + 1 });
    expect(assess([grave, mild]).severity).toBe('critical');
    const corrected = aReport({
      id: '3',
      family: 'a',
      severity: 'low',
      action: 'correction',
      corrects: '1',
      publishedAt: NOW + 2,
      headline: 'Corrects the severity of an earlier item',
    });
    expect(assess([grave, corrected])).toMatchObject({ severity: 'low', withdrawn: ['1'] });
    expect(assess([grave, { ...corrected, family: 'c' }]).severity).toBe('critical');
  });

  test('of chatter alone does not exist', () => {
    expect(() => assess([aReport({ channel: 'social' })])).toThrow('other than social posts');
  });
});

describe('for any reports', () => {
  test('the order of arrival changes nothing', () => {
    fc.assert(
      fc.property(reports, fc.integer(), (told, seed) => {
        expect(assess(shuffled(told, seed))).toEqual(assess(told));
      }),
    );
  });

  test('chatter changes nothing, whoever it is from', () => {
    fc.assert(
      fc.property(reports, reports, (told, chatter) => {
        const posts = chatter.map((post, index) => ({ ...post, id: `post ${index}`, channel: 'social' as const, primary: true }));
        expect(assess([...posts, ...told])).toEqual(assess(told));
      }),
    );
  });

  test('a later copy confirms nothing, and withdraws nothing', () => {
    fc.assert(
      fc.property(reports, fc.nat(), fc.string(), (told, which, family) => {
        const of = told[which % told.length] as (typeof told)[number];
        const last = Math.max(...told.map(({ publishedAt }) => publishedAt));
        const copy = { ...of, id: 'copy', family, primary: false, action: 'report' as const, corrects: null, publishedAt: last + 1 };
        // A withdrawn report may be published again: then it copies nothing that counts.
        const live = assess(told).withdrawn.includes(of.id) || of.action === 'retraction';
        if (live) return;
        expect(assess([...told, copy])).toMatchObject({ state: assess(told).state, families: assess(told).families });
      }),
    );
  });

  test('the same report twice is one report', () => {
    fc.assert(
      fc.property(reports, (told) => {
        expect(assess([...told, ...told])).toEqual(assess(told));
      }),
    );
  });

  test('a primary source confirms, and severity never falls by a report', () => {
    fc.assert(
      fc.property(reports, (told) => {
        const last = Math.max(...told.map(({ publishedAt }) => publishedAt));
        const filing = aReport({
          id: 'filing',
          family: 'sec',
          primary: true,
          publishedAt: last + 1,
          severity: 'low',
          headline: 'Form 8-K was filed today',
        });
        const [before, after] = [assess(told), assess([...told, filing])];
        expect(after.state).toBe('confirmed');
        if (before.state !== 'retracted')
          expect(SEVERITIES.indexOf(after.severity)).toBeGreaterThanOrEqual(SEVERITIES.indexOf(before.severity));
      }),
    );
  });
});

describe('likeness', () => {
  test('distinguishes a text with an edited word from another text', () => {
    const text = 'Regulator opens an inquiry into the lending business of Example Corp on Tuesday';
    expect(nearIdentical(text, text.replace('Tuesday', 'tuesday.'))).toBe(true);
    expect(nearIdentical(text, `BRIEF-${text}`)).toBe(true);
    expect(nearIdentical(text, 'Authority is looking into loans of Example Corp, sources say')).toBe(false);
    expect(likeness('a b c d', 'a b c e')).toBeCloseTo(2 / 4);
    expect(nearIdentical('Short one', 'short one!')).toBe(false);
  });

  test('identifies an address by host and path', () => {
    expect(canonicalUrl('https://www.a.example/x/?utm=1#top')).toBe(canonicalUrl('http://a.example/x'));
    expect(canonicalUrl('no address')).toBe('no address');
  });
});

test.each([
  [['4.02'], 'restatement', 'critical', 'negative'],
  [['1.05', '9.01'], 'cyber_incident', 'high', 'negative'],
  [['9.01'], 'filing', 'low', 'neutral'],
  [['8.01', '1.01', '5.02'], 'executive', 'high', 'negative'],
  [['2.02', '9.01'], 'results', 'medium', 'neutral'],
  [['99.99'], 'filing', 'low', 'neutral'],
  [[], 'filing', 'low', 'neutral'],
])('a filing of items %j is worth its worst item', (items, kind, severity, direction) => {
  expect(readItems(items)).toEqual({ kind, severity, direction });
});

test('an unknown item is neither harmless nor good', () => {
  expect(readCategory('something new')).toEqual({ kind: 'wire', severity: 'medium' });
  expect(readCategory('constructor')).toEqual({ kind: 'wire', severity: 'medium' });
  expect(readTone('mixed', 'high')).toBe('negative');
  expect(readTone('mixed', 'medium')).toBe('neutral');
  expect(readTone('positive', 'critical')).toBe('positive');
});
