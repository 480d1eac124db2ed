// Naive ledger: every single raw unit of every token is in a queue with its cost.
import type { WalletEvent } from '../../../src/domain/leaderboard/fifo-ledger.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';

/** Returns the cost of each sale in order, or null if a unit's cost was unknown or missing. */
export function naiveSales(events: readonly WalletEvent[]): readonly (bigint | null)[] {
  const queues = new Map<string, (bigint | null)[]>();
  const queueOf = (mint: string): (bigint | null)[] => queues.get(mint) ?? [];
  const sales: (bigint | null)[] = [];
  for (const event of events) {
    if (event.kind === 'moved') {
      for (const { mint, change } of event.changes) {
        const held = Math.max(0, queueOf(mint).length + Number(change));
        queues.set(
          mint,
          Array.from({ length: held }, () => null),
        );
      }
      continue;
    }
    const count = Number(event.quantity);
    const queue = queueOf(event.mint);
    if (event.kind === 'buy') {
      // Each unit costs the increase of the purchase's running total.
      const total = (units: number): bigint => (BigInt(event.usd) * BigInt(units)) / BigInt(count);
      for (let unit = 0; unit < count; unit++) queue.push(total(unit + 1) - total(unit));
      queues.set(event.mint, queue);
      continue;
    }
    let cost: bigint | null = 0n;
    for (let unit = 0; unit < count; unit++) {
      const one = queue.shift();
      cost = one === undefined || one === null || cost === null ? null : cost + one;
    }
    sales.push(cost);
  }
  return sales;
}

/** Returns a random history of a few tokens with small quantities and odd dollars, mostly buys and sells. */
export function randomHistory(seed: number): readonly WalletEvent[] {
  const random = seededRandom(seed);
  const whole = (most: number): number => 1 + Math.floor(random() * most);
  const mints = ['A', 'B', 'C'].slice(0, whole(3));
  const mint = (): string => mints[Math.floor(random() * mints.length)] as string;
  return Array.from({ length: 4 + whole(24) }, (): WalletEvent => {
    const dice = random();
    if (dice < 0.45) return { kind: 'buy', mint: mint(), quantity: String(whole(20)), usd: String(whole(1_000_000)) };
    if (dice < 0.9) return { kind: 'sell', mint: mint(), quantity: String(whole(12)), usd: String(whole(1_000_000)) };
    const changes = [mint(), ...(random() < 0.3 ? [mint()] : [])];
    return {
      kind: 'moved',
      changes: [...new Set(changes)].map((one) => ({ mint: one, change: String((random() < 0.5 ? -1 : 1) * whole(15)) })),
    };
  });
}

/** Returns seeds from `first` on for which ledger and naive form differ. */
export function differing(first: number, count: number, salesOf: (events: readonly WalletEvent[]) => readonly (bigint | null)[]) {
  const found: { readonly seed: number; readonly is: readonly (bigint | null)[]; readonly should: readonly (bigint | null)[] }[] = [];
  let sales = 0;
  let matched = 0;
  for (let seed = first; seed < first + count; seed++) {
    const events = randomHistory(seed);
    const [is, should] = [salesOf(events), naiveSales(events)];
    sales += should.length;
    matched += should.filter((cost) => cost !== null).length;
    if (is.length !== should.length || is.some((cost, place) => cost !== should[place])) found.push({ seed, is, should });
  }
  return { found, sales, matched };
}
