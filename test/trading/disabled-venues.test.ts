// Missing settings of live orders, by who asks.
import { expect, test } from 'vitest';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { EXCHANGE_KEY, missingSetting } from '../../src/domain/risk/index.ts';
import { createDisabledVenues } from '../../src/trading/disabled-venues.ts';

const hasKey = (orgId: string) => orgId === 'ours';

test('without a signer automatic purchases lack its key, and positions can be sold', () => {
  const disabled = createDisabledVenues({
    spotexchange: { enabled: true, hasKey },
    primaryChain: true,
    signer: false,
    onchainPredictions: true,
  });
  const lacks = (autonomy: Autonomy | null) =>
    (['buy', 'sell'] as const).map((side) => missingSetting(disabled(autonomy, 'ours'), 'spotchain', side));
  expect(lacks('policy_auto')).toEqual(['IDP_AUTHORIZATION_PRIVATE_KEY', null]);
  expect([lacks('confirm'), lacks('risk_only'), lacks(null)]).toEqual(Array(3).fill([null, null]));
});

test('an organization without a key cannot trade on the exchange, and a disabled venue is named first', () => {
  const parts = { primaryChain: true, signer: true, onchainPredictions: true };
  const on = createDisabledVenues({ ...parts, spotexchange: { enabled: true, hasKey } });
  expect([on(null, 'ours').spotexchange, on(null, 'theirs').spotexchange, on('confirm', 'theirs').spotexchange]).toEqual([
    undefined,
    EXCHANGE_KEY,
    EXCHANGE_KEY,
  ]);
  // Recommendations are not executed.
  expect(on('suggest', 'theirs')).toEqual({});
  const off = createDisabledVenues({ ...parts, spotexchange: { enabled: false, hasKey } });
  expect(off(null, 'theirs').spotexchange).toBe('SVC_LIVE_SPOTEXCHANGE_ENABLED');
});
