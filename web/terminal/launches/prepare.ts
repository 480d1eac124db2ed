/** Prepares and submits launches. */
import { api, refresh } from '../api.ts';
import { feed } from '../market.ts';
import type { Prepared } from '../wallet/signing.tsx';

/** Remaining lifetime below which a transaction is prepared again. */
const SPARE_MS = 10_000;

/** Prepares once per request, as long as the result can still be signed. */
export function madeOnce<Wish, Made extends { readonly expiresAt: string }>(make: (wish: Wish) => Promise<Made>) {
  let before: { readonly wish: string; readonly made: Made } | null = null;
  return async (wish: Wish): Promise<Made> => {
    const written = JSON.stringify(wish);
    if (before?.wish === written && Date.parse(before.made.expiresAt) - feed.now() > SPARE_MS) return before.made;
    const made = await make(wish);
    before = { wish: written, made };
    return made;
  };
}

/** Submits the signed transactions of a curve, or the payment of the external launcher. */
export async function submitLaunch(id: string, kind: 'curve' | 'launcher', signed: readonly string[]): Promise<void> {
  await api.submitLaunch({ id, body: kind === 'curve' ? { transactions: signed } : { payment: signed[0] ?? '' } });
  refresh('launches', 'launch');
}

/** @throws Error if nothing waits for a signature. */
export async function findPrepared(id: string, kind: 'curve' | 'launcher'): Promise<Prepared> {
  const { items } = await api.listLaunchTransactions({ id });
  const waiting = items.filter(({ state }) => state === 'prepared');
  const [first] = waiting;
  if (first === undefined || waiting.length < items.length) throw new Error('These transactions have expired. Prepare the launch again.');
  return {
    unsigned: waiting.map(({ transaction }) => transaction),
    signer: first.wallet,
    handIn: (signed) => submitLaunch(id, kind, signed),
  };
}

/** Payment of a launch that the launcher declined, to submit it again. */
export async function findPaid(id: string): Promise<Prepared> {
  const { items } = await api.listLaunchTransactions({ id });
  const [paid] = items;
  if (paid === undefined) throw new Error('The payment of this launch was not found.');
  return { unsigned: [paid.transaction], signer: paid.wallet, handIn: (signed) => submitLaunch(id, 'launcher', signed) };
}
