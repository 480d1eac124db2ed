// Messages at draft about where an agent can never, or not yet, trade live.
import { expect, test } from 'vitest';
import { liveLimit } from '../../../src/domain/manifest/execution-words.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';

const universe = (...keys: InstrumentKey[]) => ({ universe: keys.map((key) => ({ key, kind: 'spot' as const })) });

test('an organization without an exchange key is told which instruments wait for it, and which no order can reach', () => {
  const lacking = 'the organization has no API key at the spot exchange: sevengate exchange-keys add adds one';
  expect(liveLimit(universe('spotexchange:BTCUSDT', 'spotchain:AAPLx'), true)).toBe(
    `spotexchange:BTCUSDT cannot be traded live yet: ${lacking}`,
  );
  expect(liveLimit(universe('spotexchange:BTCUSDT'), false)).toBeNull();
  expect(liveLimit(universe('spotchain:AAPLx'), true)).toBeNull();
  expect(liveLimit(universe('evmvenue:BTC', 'spotexchange:BTCUSDT'), true)).toMatch(
    /^evmvenue:BTC cannot be traded live: .*; spotexchange:BTCUSDT cannot/,
  );
});
