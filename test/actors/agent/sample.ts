// Manifests and cuts for the tests of agents: small, seeded, with every quality a cut may have.
import type { Cut, Observation } from '../../../src/domain/market/cut.ts';
import type { Manifest, ManifestCondition } from '../../../src/domain/manifest/manifest.ts';
import type { Quality } from '../../../src/domain/market/quote.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';

export const SLOT = 1_790_000_040_000 - (1_790_000_040_000 % 60_000);

export function sampleManifest(changes: Partial<Manifest> = {}): Manifest {
  return {
    schemaVersion: '1',
    name: 'discount hunter',
    description: '',
    universe: [{ key: 'spotchain:AAPLx', kind: 'tokenized_equity' }],
    timeframe: '1h',
    entry: [
      { type: 'premium_below', pct: -1 },
      { type: 'rsi_below', period: 14, value: 40, timeframe: '1h' },
    ],
    exit: [{ type: 'premium_above', pct: 0.5 }],
    maxCapitalUsd: '10000',
    maxTradeNotionalUsd: '1000',
    maxLeverage: '1',
    stopLossPct: 5,
    takeProfitPct: 10,
    maxDailyDrawdownPct: 3,
    maxOpenPositions: 2,
    killSwitchAction: 'cancel_all_and_halt',
    algorithm: 'taker_immediate',
    urgency: 'medium',
    maxSlippageBps: 50,
    ...changes,
  };
}

export function sampleObservation(
  instrument: InstrumentKey,
  slot: number,
  numbers: { mid: string; premiumPct: number | null; rsi: number | null; quality?: Quality },
): Observation {
  const quality = numbers.quality ?? 'live';
  return {
    slot,
    instrument,
    session: 'REGULAR',
    quote: {
      bid: numbers.mid,
      ask: numbers.mid,
      mid: numbers.mid,
      source: 'test',
      observedAt: slot - 500,
      receivedAt: slot - 400,
      ageMs: 500,
      quality,
      flags: [],
    },
    reference: {
      instrument: 'AAPL',
      referencePrice: '270',
      confidence: '0.05',
      feedUpdatedAt: slot - 1_000,
      receivedAt: slot - 900,
      ageMs: 1_000,
      quality: 'live',
      flags: [],
    },
    premiumPct: numbers.premiumPct,
    gapToMarkPct: null,
    basisPct: null,
    hourlyFunding: null,
    markPrice: null,
    liquidityUsd: '900000',
    indicators: { 'rsi:14@1h': { value: numbers.rsi, previous: numbers.rsi, barOpenTime: slot - 3_600_000 } },
    events: [],
  };
}

export function sampleCut(slot: number, numbers: { premiumPct: number | null; rsi: number | null; quality?: Quality }): Cut {
  return {
    slot,
    observations: new Map([['spotchain:AAPLx' as InstrumentKey, sampleObservation('spotchain:AAPLx', slot, { mid: '268.5', ...numbers })]]),
  };
}

export const condition = (type: string, fields: Record<string, number | string | boolean> = {}): ManifestCondition => ({ type, ...fields });
