// Texts, drafts and readings of the terminal without a page: a venue, a prediction order, the text of a delegation.
import { expect, test } from 'vitest';
import { type DelegationTerms, delegationText } from '../../src/domain/identity/delegation.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { toOrderBody, FIRST, findProblem } from '../../web/terminal/trade/prediction-draft.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';

interface VenueWords {
  venueState(venue: object, now: number, isReceived: boolean): { tone: string; word: string; lacks: readonly string[] };
}
// Its texts come from a module of the pages, which is outside these types.
const words = new URL('../../web/terminal/operate/venue-words.ts', import.meta.url).href;
const { venueState } = (await import(words)) as VenueWords;
const agreement = new URL('../../web/terminal/agents/agreement.ts', import.meta.url).href;
const alike = new URL('../../web/terminal/panels/alike.ts', import.meta.url).href;
const { repeated } = (await import(alike)) as { repeated(alerts: readonly object[]): readonly object[] };
const { agreementInWords } = (await import(agreement)) as { agreementInWords(runs: readonly object[]): string };

const NOW = Date.parse('2026-03-02T14:31:00.000Z');
const venue = {
  hearing: 'live',
  detail: '',
  degradedSince: null,
  providers: [{ provider: 'binance', connected: true, epoch: 1, lastMessageAt: null, detail: '' }],
  gaps: 0,
  unknownFields: [],
} as const;

test('a venue is live only while the page receives the service', () => {
  expect(venueState(venue, NOW, true)).toEqual({ tone: 'live', word: 'Live', lacks: [] });
  const unknown = venueState(venue, NOW, false);
  expect(unknown).toMatchObject({ tone: 'none', word: 'Unknown' });
  expect(unknown.lacks).toHaveLength(1);
});

test('a venue’s deficiencies are sentences, with the duration of a degradation', () => {
  const off = [{ provider: 'jupiter', connected: false, epoch: null, lastMessageAt: null, detail: 'refused' }];
  const degradedSince = '2026-03-02T14:26:00.000Z';
  expect(venueState({ ...venue, hearing: 'feed_down', detail: 'no connection', degradedSince, providers: off }, NOW, true)).toEqual({
    tone: 'halted',
    word: 'Off',
    lacks: ['no connection', 'Degraded for 5 min.', 'jupiter is not connected: refused.'],
  });
  expect(venueState({ ...venue, providers: off }, NOW, true)).toMatchObject({ tone: 'delayed', word: 'Live on a fallback' });
  expect(venueState({ ...venue, unknownFields: [{ source: 'binance', field: 'zz', count: 3 }] }, NOW, true).lacks).toEqual([
    'Sends fields that are not read: zz.',
  ]);
});

test.each([
  [{}, 'size'],
  [{ size: '0' }, 'size'],
  [{ size: '-5' }, 'size'],
  [{ size: '25', price: '1.2' }, 'price'],
  [{ size: '25', price: '0.000' }, 'price'],
  [{ size: '25', price: '0.42' }, null],
  [{ size: '25', slippageBps: '1001' }, 'slippageBps'],
])('an order on a prediction market with %j lacks %j', (some, problem) => {
  expect(findProblem({ ...FIRST, ...some })).toBe(problem);
});

test('its body is in dollars or in contracts, and has a limit only if one is given', () => {
  const order = { ...FIRST, size: '25' };
  const body = { marketId: 'pm-1', outcome: 'yes', side: 'buy', maxSlippageBps: 100 };
  expect(toOrderBody('pm-1', order)).toEqual({ ...body, notionalUsd: '25' });
  expect(toOrderBody('pm-1', { ...order, unit: 'contracts', price: '0.42' })).toEqual({ ...body, quantity: '25', limitPrice: '0.42' });
  expect(() => toOrderBody('pm-1', FIRST)).toThrow('Enter a size');
});

test.each<[string, readonly object[]]>([
  ['not asked yet', [{ evaluation: 'backtest', endedAt: '2026-03-01T00:00:00Z', summary: {} }]],
  ['waits for answers', [{ evaluation: 'agreement', endedAt: null, summary: null }]],
  ['98.50 % of 200 slots with a trade', [asked({ agreementPct: 98.5, trades: 200 }), asked({ agreementPct: 100, trades: 3 })]],
  ['no answer', [asked(null)]],
  ['waits for answers; before: no trade then or now', [{ ...asked(null), endedAt: null }, asked({ agreementPct: null, trades: 0 })]],
])('outside code that was asked again: %s', (said, runs) => {
  expect(agreementInWords(runs)).toBe(said);
});

function asked(summary: object | null): object {
  return { evaluation: 'agreement', endedAt: '2026-03-02T00:00:00Z', summary };
}

test('repeated alerts are one, with their number, the first and the last', () => {
  const alert = (at: string, what: string, detail: string) => ({ at, what, agentId: 'a', venues: ['spotexchange'], detail, data: { at } });
  const [newest, filled, middle, oldest, other] = [
    alert('14:05', 'data_degraded', 'BTCUSDT'),
    alert('14:04', 'order_filled', 'BTCUSDT'),
    alert('14:03', 'data_degraded', 'BTCUSDT'),
    alert('14:02', 'data_degraded', 'BTCUSDT'),
    alert('14:01', 'data_degraded', 'ETHUSDT'),
  ];
  expect(repeated([newest, filled, middle, oldest, other] as object[])).toEqual([
    { key: expect.any(String), last: newest, first: oldest, count: 3 },
    { key: expect.any(String), last: filled, first: filled, count: 1 },
    { key: expect.any(String), last: other, first: other, count: 1 },
  ]);
  expect(repeated([])).toEqual([]);
});

interface DelegationWords {
  delegationDifferences(text: string, wish: object, trader: object): readonly string[];
}
const reading = new URL('../../web/terminal/wallet/delegation-text.ts', import.meta.url).href;
const { delegationDifferences } = (await import(reading)) as DelegationWords;

test.each(['agent', 'take'] as const)('the service’s delegation text to an %s matches the page’s request', (trader) => {
  const [id, wallet] = ['018f3c5e-0000-7000-8000-0000000000aa', keyOf(91).publicKey.toBase58()];
  const terms = { trader, orgId: id, agentId: id, wallet, signerWallet: 'session-9', maxNotionalUsd: '250.5', nonce: 'n', issuedAt: NOW };
  const text = delegationText({ ...terms, expiresAt: NOW + 1_000 } as DelegationTerms & { readonly nonce: string });
  const wish = { wallet, signerWallet: 'session-9', maxNotionalUsd: '250.50', expiresAt: isoTime(NOW + 1_000) };
  const asker = trader === 'agent' ? { agentId: id } : { takeId: id };
  expect(delegationDifferences(text, wish, asker)).toEqual([]);
  for (const [term, other] of Object.entries({
    wallet: 'elsewhere',
    signerWallet: 'session-8',
    maxNotionalUsd: '9250.5',
    expiresAt: '2027',
  }))
    expect(delegationDifferences(text, { ...wish, [term]: other }, asker)).toHaveLength(1);
  expect(delegationDifferences(text, wish, trader === 'agent' ? { takeId: id } : { agentId: id })).toHaveLength(1);
});
