// The public status is a function of three axes: nothing unseen is a failure, and nothing final is revoked.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ARRIVAL_STATES,
  ATTENTIONS,
  attentionWords,
  FIRST_AXES,
  isEnded,
  NO_ARRIVAL,
  PROVIDER_STATES,
  type Sighting,
  SOURCE_STATES,
  seen,
  judgeTransferStatus,
  type TransferAxes,
} from '../../../src/domain/bridge/axes.ts';

const TERMS = { minimumOut: '90', amountIn: '100' };
const AT = 1_800_000_000_000;

function axes(change: {
  provider?: Partial<TransferAxes['provider']>;
  source?: Partial<TransferAxes['source']>;
  destination?: Partial<TransferAxes['destination']>;
  refund?: Partial<TransferAxes['refund']>;
}): TransferAxes {
  return {
    provider: { ...FIRST_AXES.provider, ...change.provider },
    source: { ...FIRST_AXES.source, ...change.source },
    destination: { ...NO_ARRIVAL, ...change.destination },
    refund: { ...NO_ARRIVAL, ...change.refund },
  };
}
const FULL = { state: 'final', hash: 'h', amount: '95' } as const;
const OLD = { state: 'foreign', hash: 'h', amount: '95', objection: 'older' } as const;
const USED = { state: 'foreign', hash: 'h', amount: '95', objection: 'settled_another' } as const;
const BACK = { state: 'final', hash: 'r', amount: '100' } as const;

describe('the state', () => {
  test.each([
    ['nothing is seen', axes({}), 'submitted', []],
    ['a node has forgotten it', axes({ source: { state: 'reorged' } }), 'submitted', ['source_reorged']],
    ['it is in a block', axes({ source: { state: 'included' } }), 'source_confirmed', []],
    ['its block is final, and the provider has not seen it', axes({ source: { state: 'final' } }), 'source_final', []],
    ['the provider waits for attestation', axes({ source: { state: 'final' }, provider: { state: 'attesting' } }), 'filling', []],
    ['the provider is fast', axes({ source: { state: 'included' }, provider: { state: 'filling' } }), 'filling', []],
    [
      'the provider says paid, and no chain shows it',
      axes({ source: { state: 'final' }, provider: { state: 'filled' } }),
      'filling',
      ['provider_ahead_of_destination'],
    ],
    ['the payment is in a block', axes({ source: { state: 'final' }, destination: { state: 'included' } }), 'filling', []],
    ['the payment is final', axes({ source: { state: 'final' }, destination: FULL }), 'completed', []],
    ['the payment is final and the source was never seen', axes({ destination: FULL }), 'completed', []],
    [
      'the provider is silent while the chain is final',
      axes({ source: { state: 'final' }, provider: { silentSince: AT } }),
      'source_final',
      ['provider_silent'],
    ],
    ['the provider fails', axes({ source: { state: 'final' }, provider: { state: 'failing' } }), 'refunding', ['fill_failed']],
    [
      'the provider has refunded, and no chain shows it',
      axes({ source: { state: 'final' }, provider: { state: 'refunded' } }),
      'refunding',
      [],
    ],
    ['the refund fails', axes({ source: { state: 'final' }, provider: { state: 'refund_failed' } }), 'refunding', ['refund_failed']],
    ['the refund is final', axes({ source: { state: 'final' }, refund: BACK }), 'refunded', []],
    ['the refund is short', axes({ source: { state: 'final' }, refund: { ...BACK, amount: '99' } }), 'refunded', ['refunded_short']],
    [
      'a part has arrived and the provider is done',
      axes({ source: { state: 'final' }, provider: { state: 'filled' }, destination: { ...FULL, amount: '40' } }),
      'unknown',
      ['partial_fill'],
    ],
    [
      'a part has arrived and the rest was paid back',
      axes({
        source: { state: 'final' },
        provider: { state: 'failing' },
        destination: { ...FULL, amount: '40' },
        refund: { ...BACK, amount: '60' },
      }),
      'refunded',
      ['fill_failed', 'partial_fill', 'filled_and_refunded'],
    ],
    [
      'hardly anything was paid back',
      axes({ source: { state: 'final' }, provider: { state: 'refunded' }, refund: { ...BACK, amount: '1' } }),
      'refunding',
      ['refunded_short'],
    ],
    [
      'the named payment is older than the quote',
      axes({ source: { state: 'final' }, provider: { state: 'filled' }, destination: OLD }),
      'unknown',
      ['fill_older_than_quote'],
    ],
    [
      'the named payment has settled another transfer',
      axes({ source: { state: 'final' }, provider: { state: 'filled' }, destination: USED }),
      'unknown',
      ['fill_of_another_transfer'],
    ],
    [
      'the named refund is older than the quote',
      axes({ source: { state: 'final' }, provider: { state: 'refunded' }, refund: OLD }),
      'unknown',
      ['refund_older_than_quote'],
    ],
    [
      'the named refund has settled another transfer',
      axes({ source: { state: 'final' }, provider: { state: 'refunded' }, refund: USED }),
      'unknown',
      ['refund_of_another_transfer'],
    ],
    [
      'a payment of another transfer is named for what never left',
      axes({ source: { state: 'expired' }, provider: { state: 'filled' }, destination: USED }),
      'unknown',
      ['source_expired', 'provider_contradicts_source', 'fill_of_another_transfer'],
    ],
    [
      'a part has arrived and more may come',
      axes({ source: { state: 'final' }, provider: { state: 'pending' }, destination: { ...FULL, amount: '40' } }),
      'filling',
      ['partial_fill'],
    ],
    ['both came', axes({ source: { state: 'final' }, destination: FULL, refund: BACK }), 'completed', ['filled_and_refunded']],
    ['the source failed for good', axes({ source: { state: 'failed' } }), 'failed', ['source_failed']],
    ['the source can never land', axes({ source: { state: 'expired' } }), 'failed', ['source_expired']],
    ['another transaction stands under the hash', axes({ source: { state: 'other' } }), 'failed', ['other_transaction']],
    [
      'the provider pays for what never happened',
      axes({ source: { state: 'expired' }, provider: { state: 'filled' } }),
      'unknown',
      ['source_expired', 'provider_ahead_of_destination', 'provider_contradicts_source'],
    ],
    [
      'the provider acts on what the chain does not show',
      axes({ provider: { state: 'filling' } }),
      'unknown',
      ['provider_ahead_of_source'],
    ],
    [
      'the named payment failed',
      axes({ source: { state: 'final' }, provider: { state: 'filled' }, destination: { state: 'failed' } }),
      'filling',
      ['fill_failed_on_chain'],
    ],
    [
      'the attestation is delayed',
      axes({ source: { state: 'included' }, provider: { state: 'attesting', reason: 'insufficient_fee' } }),
      'source_confirmed',
      ['attestation_delayed'],
    ],
  ] as const)('where %s', (_, given, state, attentions) => {
    expect(judgeTransferStatus(given, TERMS)).toEqual({ state, attentions });
  });

  test('every state that needs attention has its sentence', () => {
    expect(new Set(ATTENTIONS.map(attentionWords)).size).toBe(ATTENTIONS.length);
  });
});

const arrival = fc.record({
  state: fc.constantFrom(...ARRIVAL_STATES),
  hash: fc.constant('h'),
  amount: fc.option(fc.integer({ min: 0, max: 120 }).map(String)),
  objection: fc.constant(null),
});
const sighting: fc.Arbitrary<Sighting> = fc.record({
  at: fc.integer({ min: AT, max: AT + 1e9 }),
  provider: fc.option(
    fc.record({
      state: fc.constantFrom(...PROVIDER_STATES),
      said: fc.option(fc.constant('word')),
      reason: fc.option(fc.constant('why')),
      fillHash: fc.option(fc.constant('f')),
      refundHash: fc.option(fc.constant('r')),
    }),
  ),
  source: fc.option(
    fc.record({
      state: fc.constantFrom(...SOURCE_STATES.filter((state) => state !== 'reorged')),
      confirmations: fc.integer({ min: 0, max: 99 }),
      detail: fc.constant(null),
    }),
  ),
  destination: fc.option(arrival),
  refund: fc.option(arrival),
});

test('over any observations final states stay, and an end without money on a chain was proven', () => {
  fc.assert(
    fc.property(fc.array(sighting, { maxLength: 30 }), (looks) => {
      let now = FIRST_AXES;
      for (const look of looks) {
        const next = seen(now, look);
        for (const part of ['destination', 'refund'] as const) {
          if (now[part].state !== 'final') continue;
          expect(next[part].state).toBe('final');
          if (Number(next[part].amount) <= Number(now[part].amount)) expect(next[part]).toEqual(now[part]);
        }
        if (now.source.state === 'final') expect(next.source).toEqual(now.source);
        if (now.provider.fillHash !== null && look.provider?.fillHash == null) expect(next.provider.fillHash).toBe(now.provider.fillHash);
        expect(next.provider.silentSince === null).toBe(look.provider !== null);
        now = next;
        const { state } = judgeTransferStatus(now, TERMS);
        if (state === 'failed') expect(['failed', 'expired', 'other']).toContain(now.source.state);
        const [there, back] = [now.destination, now.refund].map(({ state: word, amount }) => (word === 'final' ? Number(amount) : 0));
        if (state === 'completed') expect(there).toBeGreaterThanOrEqual(90);
        if (state === 'refunded') expect((there ?? 0) + (back ?? 0)).toBeGreaterThanOrEqual(90);
        if (now.destination.state === 'final' && Number(now.destination.amount) >= 90) expect(state).toBe('completed');
        if (isEnded(state)) expect(['completed', 'refunded', 'failed']).toContain(state);
      }
    }),
    { seed: 15, numRuns: 500 },
  );
});

test('a transaction dropped from a block is reorganized until it is in a block again', () => {
  const look = (state: 'unseen' | 'included' | 'final', at: number): Sighting => ({
    at,
    provider: null,
    source: { state, confirmations: 1, detail: null },
    destination: null,
    refund: null,
  });
  const included = seen(FIRST_AXES, look('included', AT));
  const gone = seen(included, look('unseen', AT + 1));
  expect(gone.source.state).toBe('reorged');
  expect(seen(gone, look('unseen', AT + 2)).source.state).toBe('reorged');
  const again = seen(gone, look('final', AT + 3));
  expect(again.source).toMatchObject({ state: 'final', includedAt: AT });
});
