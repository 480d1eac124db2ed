// A new sandbox fills its example market after its start: launches, and listings with the evidence that is on record.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type Service, startService } from './running-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { SANDBOX_EXAMPLES: 'true' } });
}, 120_000 * PATIENCE);
afterAll(() => service?.discard());

interface Listing {
  readonly name: string;
  readonly own: boolean;
  readonly evidence: { readonly gates: readonly { readonly kind: string }[]; readonly curve: readonly unknown[] };
}

test('the organization has launches of its own, and strategies of another organization to buy', {
  timeout: 400_000 * PATIENCE,
}, async () => {
  const listings = await waitFor(
    async () => {
      const { items } = (await service.get('/v1/marketplace')).body as { items: Listing[] };
      return items.length === 3 ? items : null;
    },
    { what: 'three listings', deadlineMs: 300_000 },
  );
  expect(listings.map(({ own }) => own)).toEqual([false, false, false]);
  const backtested = listings.filter(({ evidence }) => evidence.gates.some(({ kind }) => kind === 'backtest'));
  expect(backtested.map(({ name }) => name).toSorted()).toEqual(['Slow bitcoin', 'Tide reader']);
  for (const { evidence } of backtested) expect(evidence.curve.length).toBeGreaterThan(10);

  const launches = await waitFor(
    async () => {
      const { items } = (await service.get('/v1/launches')).body as { items: { symbol: string; state: string }[] };
      return items.some(({ state }) => state === 'graduated') ? items : null;
    },
    { what: 'a graduated launch', deadlineMs: 120_000 },
  );
  expect(launches.map(({ symbol, state }) => `${symbol} ${state}`)).toEqual(['HUNTER trading', 'TREND graduated']);
  expect(service.log().filter(({ msg }) => msg.startsWith('filling the example market'))).toEqual([]);
});
