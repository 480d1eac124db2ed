// The terminal acts on what it names and shows.
import { expect, test, vi } from 'vitest';

const web = (name: string): Promise<unknown> => import(new URL(`../../web/terminal/${name}`, import.meta.url).href);
vi.stubGlobal('location', { hash: '', origin: 'http://127.0.0.1:1' });
vi.stubGlobal('document', Object.assign(new EventTarget(), { documentElement: { hasAttribute: () => false } }));
vi.stubGlobal('addEventListener', () => {});
const { resumeHalted } = (await web('halt.tsx')) as { resumeHalted(): Promise<void> };
const { moneyText, priceShown, ratioText } = (await web('kit/numbers.tsx')) as {
  moneyText(usd: string): string;
  priceShown(price: string): string;
  ratioText(value: number): string;
};
const { objectionToCheckout } = (await web('market/checkout.ts')) as {
  objectionToCheckout(shown: object, checkout: object): string | null;
};

test('a licence is paid at the price and to the wallet that were shown', () => {
  const shown = { priceUsd: '49.00', payoutWallet: 'A' };
  expect(objectionToCheckout(shown, { priceUsd: '49', payoutWallet: 'A' })).toBeNull();
  expect(objectionToCheckout(shown, { priceUsd: '490', payoutWallet: 'A' })).toContain('490 USDC');
  expect(objectionToCheckout(shown, { priceUsd: '49', payoutWallet: 'B' })).toContain('to B');
});

test('all agents that a halt paused are resumed, also those beyond the first page', async () => {
  const resumed: string[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    const { pathname, searchParams } = new URL(address);
    const [, id] = /^\/v1\/agents\/(\w+)\/resume$/.exec(pathname) ?? [];
    if (id !== undefined) resumed.push(id);
    const first = { items: [{ id: 'a', pauseCause: 'emergency_halt' }], nextCursor: 'more' };
    const rest = { items: ['operator', 'emergency_halt'].map((pauseCause, place) => ({ id: `b${place}`, pauseCause })), nextCursor: null };
    return Response.json(id !== undefined ? {} : searchParams.get('cursor') === null ? first : rest);
  });
  await resumeHalted();
  expect(resumed).toEqual(['a', 'b1']);
});

test('an amount that rounds to zero has no sign', () => {
  expect([moneyText('-0.001'), moneyText('-0.006'), ratioText(-0.001), priceShown('-0')]).toEqual(['$0.00', '-$0.01', '0.00', '0']);
});
