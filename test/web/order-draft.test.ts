// The order ticket sends what it shows: for its instrument, with its slippage limit, and once.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError, NetworkError } from '../../clients/typescript/src/index.ts';

interface Order {
  readonly [field: string]: unknown;
}
interface DraftModule {
  readonly draft: { get(): Order };
  changeDraft(change: Order): void;
  forgetDraft(): void;
  writeClosingOrder(quantity: string): void;
  toOrder(key: string, order: Order): Order | null;
}
interface PlaceModule {
  readonly instrument: { get(): string; set(key: string): void };
  choose(key: string): void;
}
/** Modules of the pages, whose types are outside of these. */
const web = (name: string): Promise<unknown> => import(new URL(`../../web/terminal/${name}`, import.meta.url).href);
const location = { hash: '', origin: 'http://127.0.0.1:1' };
vi.stubGlobal('location', location);
const { draft, changeDraft, forgetDraft, toOrder, writeClosingOrder } = (await web('panels/draft.ts')) as DraftModule;
vi.stubGlobal('document', Object.assign(new EventTarget(), { documentElement: { hasAttribute: () => false } }));
vi.stubGlobal('addEventListener', () => {});
const { signOut } = (await web('member.ts')) as { signOut(): Promise<void> };
const { instrument, choose } = (await web('place.ts')) as PlaceModule;
const { keyOnce } = (await web('kit/browser.ts')) as { keyOnce(event: object): void };
const { hadNoEffect } = (await web('api.ts')) as { hadNoEffect(error: unknown): boolean };

const BTC = 'spotexchange:BTCUSDT';
const ETH = 'spotexchange:ETHUSDT';

afterEach(() => vi.restoreAllMocks());
beforeEach(() => {
  location.hash = '';
  instrument.set(BTC);
  forgetDraft();
});

test('a market order has the slippage limit of its field, and is none while that limit is wrong', () => {
  changeDraft({ size: '250' });
  expect(toOrder(BTC, draft.get())).toEqual({ instrument: 'BTCUSDT', side: 'buy', notionalUsd: '250', maxSlippageBps: 50 });
  for (const slippageBps of ['', '0.5', '1001', '-1', '5 bps']) {
    changeDraft({ slippageBps });
    expect(toOrder(BTC, draft.get()), slippageBps).toBeNull();
  }
  changeDraft({ kind: 'limit', price: '97000' });
  expect(toOrder(BTC, draft.get())).toMatchObject({ limitPrice: '97000' });
});

test('neither a limit price nor a number of units follows to another instrument, and dollars do', () => {
  changeDraft({ kind: 'limit', price: '97000', unit: 'units', size: '5' });
  instrument.set(ETH);
  expect(draft.get()).toMatchObject({ kind: 'limit', price: '', size: '' });
  changeDraft({ unit: 'usd', size: '500' });
  instrument.set(BTC);
  expect(draft.get()).toMatchObject({ unit: 'usd', size: '500' });
});

test('an order that is written right after its instrument was chosen stays', () => {
  choose(ETH);
  changeDraft({ kind: 'limit', price: '3000', unit: 'units', size: '2' });
  // The browser tells of the new address later.
  expect([instrument.get(), location.hash]).toEqual([ETH, '#/trade/spotexchange%3AETHUSDT']);
  instrument.set(ETH);
  expect(draft.get()).toMatchObject({ price: '3000', size: '2' });
});

test('an address with a broken escape is shown as it is', () => {
  vi.spyOn(globalThis, 'encodeURIComponent').mockReturnValue('%E0%A4%A');
  choose('x');
  expect(instrument.get()).toBe('%E0%A4%A');
});

const refused = (status: number, code: string) =>
  new ApiError({ status, code, detail: '' } as ConstructorParameters<typeof ApiError>[0], null);

test('an order gets a new key only after a refusal: it may have been placed without an answer, or is being placed', () => {
  expect(hadNoEffect(refused(422, 'risk_rejected'))).toBe(true);
  expect(hadNoEffect(refused(409, 'idempotency_in_flight'))).toBe(false);
  expect(hadNoEffect(refused(503, 'unavailable'))).toBe(false);
  expect(hadNoEffect(new NetworkError('timeout', ''))).toBe(false);
});

test('a held key does not confirm a question that opens meanwhile', () => {
  const held = { repeat: true, preventDefault: vi.fn() };
  keyOnce(held);
  expect(held.preventDefault).toHaveBeenCalledOnce();
  const pressed = { repeat: false, preventDefault: vi.fn() };
  keyOnce(pressed);
  expect(pressed.preventDefault).not.toHaveBeenCalled();
});

test('the order of a member who signs out is not left to the next one', async () => {
  changeDraft({ mode: 'live', size: '5000' });
  vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }));
  await signOut();
  expect(draft.get()).toMatchObject({ mode: 'paper', size: '' });
});

test('a paper position is closed on paper, although the ticket was for live money', () => {
  changeDraft({ mode: 'live', side: 'buy', unit: 'usd', size: '5000' });
  writeClosingOrder('2');
  expect(draft.get()).toMatchObject({ mode: 'paper', side: 'sell', kind: 'market', unit: 'units', size: '2' });
});
