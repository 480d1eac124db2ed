// Observed state of a record: the part of the cut that its manifest reads, by the second rule; the first rule is unchanged.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import type { Cut, IndicatorValue, Observation } from '../../src/domain/market/cut.ts';
import { compileManifest } from '../../src/domain/agents/decide.ts';
import { CutHashes, observedBy } from '../../src/domain/agents/observed-state.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { SLOT, sampleManifest, sampleObservation } from '../actors/agent/sample.ts';

const AAPLX = 'spotchain:AAPLx' as InstrumentKey;
const TSLAX = 'spotchain:TSLAx' as InstrumentKey;
const { reading } = compileManifest(
  sampleManifest({
    universe: [
      { key: AAPLX, kind: 'tokenized_equity' },
      { key: TSLAX, kind: 'tokenized_equity' },
    ],
    entry: [
      { type: 'rsi_below', period: 14, value: 40, timeframe: '1h' },
      { type: 'ema_cross_up', fast: 7, slow: 77, timeframe: '15m' },
    ],
  }),
);
const READ = ['ema:77@15m', 'ema:7@15m', 'rsi:14@1h'];

const value: IndicatorValue = { value: 41.5, previous: null, barOpenTime: SLOT - 900_000 };

function observed(instrument: InstrumentKey, indicators: Observation['indicators'], mid = '268.5'): Observation {
  return { ...sampleObservation(instrument, SLOT, { mid, premiumPct: -1, rsi: 30 }), indicators };
}

function cut(...observations: readonly Observation[]): Cut {
  return { slot: SLOT, observations: new Map(observations.map((observation) => [observation.instrument, observation])) };
}

const own = Object.fromEntries(READ.map((name, i) => [name, { ...value, value: i }]));
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const foreignName = fc
  .tuple(fc.constantFrom('rsi', 'ema', 'volatility'), fc.integer({ min: 2, max: 400 }), fc.constantFrom('1m', '5m', '15m', '1h'))
  .map(([name, period, timeframe]) => `${name}:${period}@${timeframe}`)
  .filter((name) => !READ.includes(name));
const foreign = fc.dictionary(foreignName, fc.constant(value), { minKeys: 1, maxKeys: 6 });

describe('a record holds only what its manifest reads', () => {
  test('requests of others for its instruments, or for others, change neither its hash nor a byte of what it shows', () => {
    const alone = cut(observed(AAPLX, own), observed(TSLAX, own));
    const hash = new CutHashes(alone).observed(reading);
    const shown = JSON.stringify(observedBy(reading, alone));
    fc.assert(
      fc.property(foreign, foreign, fc.boolean(), (first, second, before) => {
        const mixed = (others: Observation['indicators']) => (before ? { ...others, ...own } : { ...own, ...others });
        const shared = cut(observed('spotchain:NVDAx', first), observed(TSLAX, mixed(second)), observed(AAPLX, mixed(first)));
        expect(new CutHashes(shared).observed(reading)).toBe(hash);
        expect(JSON.stringify(observedBy(reading, shared))).toBe(shown);
      }),
    );
  });

  test('the hash has a leaf per observation and a leaf per indicator, in the order of universe and names', () => {
    const leaf = (instrument: InstrumentKey): string[] => {
      const { indicators: _, ...base } = observed(instrument, {});
      return [
        sha(canonicalJson(base as never)),
        ...[...READ].sort().map((name) => {
          const { value: now, previous, barOpenTime } = own[name] as IndicatorValue;
          return sha(`sevengate-indicator-2\n${SLOT}\n${instrument}\n${name}\n${now}\n${previous}\n${barOpenTime}`);
        }),
      ];
    };
    expect(new CutHashes(cut(observed(TSLAX, own), observed(AAPLX, own))).observed(reading)).toBe(
      sha(['sevengate-observed-2', ...leaf(AAPLX), ...leaf(TSLAX)].join('\n')),
    );
  });

  test('any input that it reads changes the hash', () => {
    const hashes = [
      cut(observed(AAPLX, own), observed(TSLAX, own)),
      cut(observed(AAPLX, own, '268.6'), observed(TSLAX, own)),
      cut(observed(AAPLX, own)),
      cut(observed(TSLAX, own)),
      ...READ.flatMap((name) => {
        const { [name]: read, ...rest } = own;
        return [
          { ...own, [name]: { ...(read as IndicatorValue), value: 99 } },
          { ...own, [name]: { ...(read as IndicatorValue), previous: 99 } },
          { ...own, [name]: { ...(read as IndicatorValue), barOpenTime: null } },
          rest,
        ].map((changed) => cut(observed(AAPLX, changed), observed(TSLAX, own)));
      }),
    ].map((one) => new CutHashes(one).observed(reading));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(new CutHashes(cut()).observed(reading)).toBe('');
  });
});

describe('records of the first rule', () => {
  const shared = { ...cut(observed(AAPLX, { ...own, 'rsi:23@15m': value }), observed(TSLAX, own)), hashedBy: 1 } as const;

  test('keep their hashes, byte for byte', () => {
    const whole = [AAPLX, TSLAX].map((instrument) => sha(canonicalJson(shared.observations.get(instrument) as never)));
    expect(new CutHashes(shared).observed(reading)).toBe(sha(whole.join('')));
    expect(new CutHashes(shared).observed(reading)).toBe('3c2ccdf4b783ba85c1de8c7896125c23ca4cd4031cd0553a57146eae81ae38f1');
    const one = compileManifest(sampleManifest()).reading;
    expect(new CutHashes(shared).observed(one)).toBe(whole[0]);
  });

  test('are shown without the indicators of others', () => {
    expect(observedBy(reading, shared).map(({ indicators }) => Object.keys(indicators))).toEqual([[...READ].sort(), [...READ].sort()]);
  });

  test('and those of the second match the same stored cut, and no other', () => {
    const { hashedBy: _, ...stored } = shared;
    const hashes = new CutHashes(stored);
    expect(hashes.matches(hashes.observed(reading), reading)).toBe(true);
    expect(hashes.matches(new CutHashes(shared).observed(reading), reading)).toBe(true);
    expect(hashes.matches(sha('another'), reading)).toBe(false);
  });
});
