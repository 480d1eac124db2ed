/** Explains why a requested closing waits, from the holdings, the open orders and the present market. */
import { isPosition, type Position } from '../books/book.ts';
import { Decimal } from '../values/decimal.ts';
import { type Closing, findClosing, isOpenProposal } from '../orders/execution.ts';
import type { Quote } from '../market/quote.ts';
import type { EpochMs } from '../values/time.ts';
import { executablePrice } from '../market/valuation.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';
import { proposalProgress, type TrackedProposal, type Waiting } from '../values/work-progress.ts';

/** A proposal of the agent, open or ended. */
export interface ClosingProposal extends TrackedProposal {
  readonly side: 'entry' | 'exit';
  readonly reason: string | null;
  readonly createdAt: EpochMs;
}

export interface ClosingFacts {
  /** Holdings of its live book and of its version's paper book. */
  readonly held: readonly Pick<Position, 'instrument' | 'quantity'>[];
  /** Proposals, newest first. */
  readonly proposals: readonly ClosingProposal[];
  /** Newest quote of each instrument at `at`. Missing if none was received. */
  readonly quotes: ReadonlyMap<InstrumentKey, Quote>;
  readonly at: EpochMs;
}

/**
 * Explains what a closing waits for, or returns null if all of its positions are being worked on. It describes every position. The cause is
 * that of the first one. @param closings All closings of the agent. The closing of one instrument takes precedence over the closing of all.
 */
export function closingWait(closing: Closing, closings: readonly Closing[], facts: ClosingFacts): Waiting | null {
  const open = facts.proposals.filter(isUnderWay).map(({ order }) => order.instrument);
  const instruments = [...new Set([...facts.held.filter(isPosition).map(({ instrument }) => instrument), ...open])].sort();
  const own = instruments.filter((instrument) => findClosing(closings, instrument) === closing);
  if (own.length === 0) return { cause: 'queue', detail: 'a worker confirms that nothing remains to be sold' };
  const waits = own.flatMap((instrument) => findWait(instrument, closing, facts) ?? []);
  const [first] = waits;
  return first === undefined ? null : { cause: first.cause, detail: waits.map(({ detail }) => detail).join('; ') };
}

/** True if the proposal is being executed. A proposal that waits for approval is withdrawn by the pause of the closing. */
function isUnderWay({ state }: ClosingProposal): boolean {
  return isOpenProposal(state) && state !== 'pending_approval';
}

function findWait(instrument: InstrumentKey, closing: Closing, facts: ClosingFacts): Waiting | null {
  const own = facts.proposals.filter(({ order }) => order.instrument === instrument);
  const open = own.find(isUnderWay);
  if (open !== undefined) {
    const wait = proposalProgress(open, facts.at).waitingFor;
    return wait && { ...wait, detail: `the order of ${instrument} is in progress: ${wait.detail}` };
  }
  const quote = facts.quotes.get(instrument) ?? null;
  if (quote === null) return { cause: 'venue', detail: `the price of ${instrument} is not live: no quote was received` };
  const price = executablePrice(quote, splitInstrumentKey(instrument).venue as ExecutableVenue, 'sell');
  if (!price.ok) {
    const isShut = quote.quality === 'halted' || quote.flags.includes('session_closed');
    return { cause: isShut ? 'market' : 'venue', detail: `the price of ${instrument} is not live: ${price.problem}` };
  }
  const { limitPrice } = closing;
  if (limitPrice !== null && new Decimal(price.executablePrice).lt(limitPrice))
    return { cause: 'market', detail: `the market pays ${price.executablePrice} for ${instrument}, less than the limit of ${limitPrice}` };
  const last = own.find(({ side, createdAt }) => side === 'exit' && createdAt >= closing.at);
  if (last === undefined) return { cause: 'queue', detail: `a worker sells ${instrument} as soon as it has capacity and risk allows it` };
  const ended = `${last.state}${last.reason === null ? '' : ` (${last.reason})`}`;
  return { cause: 'slot', detail: `the last order to sell ${instrument} ended in state ${ended}; the next one follows within a minute` };
}
