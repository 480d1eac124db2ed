// Which settings live orders lack, by who asks for them.
import { expect, test } from 'vitest';
import type { Autonomy } from '../../src/domain/agent.ts';
import { missingSetting } from '../../src/domain/risk/index.ts';
import { disabledVenuesOf } from '../../src/trading/disabled-venues.ts';

test('without a signer purchases by itself lack its key, and what is held can be sold', () => {
  const disabled = disabledVenuesOf({ spotexchange: true, primaryChain: true, signer: false, onchainPredictions: true });
  const lacks = (autonomy: Autonomy | null) =>
    (['buy', 'sell'] as const).map((side) => missingSetting(disabled(autonomy), 'spotchain', side));
  expect(lacks('policy_auto')).toEqual(['IDP_AUTHORIZATION_PRIVATE_KEY', null]);
  expect([lacks('confirm'), lacks('risk_only'), lacks(null)]).toEqual(Array(3).fill([null, null]));
});
