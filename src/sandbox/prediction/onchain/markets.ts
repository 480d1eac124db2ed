/** Markets of the on-chain counterpart: those of both providers in its format, with their books. */
import { toTicker } from '../kalshi-markets.ts';
import type { VenueState } from './venue-state.ts';
import { polymarketIds } from '../polymarket-markets.ts';
import type { SeededLevel, SeededQuestion, Venue } from '../seeded-questions.ts';

type Listing = Pick<VenueState, 'questions' | 'clock'>;

/** Returns the currently listed markets by id. */
export function marketsNow({ questions, clock }: Listing): Map<string, { readonly question: SeededQuestion; readonly venue: Venue }> {
  const found = new Map<string, { question: SeededQuestion; venue: Venue }>();
  for (const question of questions.listed('kalshi', clock.now())) found.set(toTicker(question), { question, venue: 'kalshi' });
  for (const question of questions.listed('polymarket', clock.now()))
    found.set(`POLY-${polymarketIds(question).number}`, { question, venue: 'polymarket' });
  return found;
}

/** Returns the levels that an order takes, best first: asks of the outcome for a buy, bids for a sell. Prices in thousandths. */
export function listLevels(
  { questions, clock }: Listing,
  question: SeededQuestion,
  venue: Venue,
  isYes: boolean,
  isBuy: boolean,
): readonly SeededLevel[] {
  const { bids, asks } = questions.book(question, venue, clock.now());
  if (isYes) return isBuy ? asks : bids;
  return (isBuy ? bids : asks).map(({ price, size }) => ({ price: 1_000 - price, size }));
}

/** Formats a market like the venue. */
export function marketBody(listing: Listing, marketId: string, question: SeededQuestion, venue: Venue): object {
  const { questions, clock } = listing;
  const open = clock.now() < question.resolvesAt;
  const best = (isYes: boolean, isBuy: boolean) => {
    const [level] = listLevels(listing, question, venue, isYes, isBuy);
    return open && level !== undefined ? level.price * 1_000 : null;
  };
  return {
    marketId,
    eventId: `${venue === 'kalshi' ? '' : 'POLY-'}${question.group}`,
    provider: venue,
    title: question.key,
    status: open ? 'open' : 'closed',
    result: open ? null : questions.outcome(question) ? 'yes' : 'no',
    openTime: Math.floor(question.createdAt / 1_000),
    closeTime: Math.floor(question.resolvesAt / 1_000),
    resolveAt: null,
    pricing: {
      buyYesPriceUsd: best(true, true),
      sellYesPriceUsd: best(true, false),
      buyNoPriceUsd: best(false, true),
      sellNoPriceUsd: best(false, false),
      volume: 0,
    },
  };
}

/** Returns the bids of both outcomes, ascending. */
export function orderBook({ questions, clock }: Listing, question: SeededQuestion, venue: Venue): object {
  const { bids, asks } = questions.book(question, venue, clock.now());
  const side = (levels: readonly SeededLevel[]) => [...levels].sort((a, b) => a.price - b.price);
  const yes = side(bids);
  const no = side(asks.map(({ price, size }) => ({ price: 1_000 - price, size })));
  const cents = (levels: readonly SeededLevel[]) => levels.map(({ price, size }) => [Math.floor(price / 10), size]);
  const dollars = (levels: readonly SeededLevel[]) => levels.map(({ price, size }) => [(price / 1_000).toFixed(4), size]);
  return { yes: cents(yes), no: cents(no), yes_dollars: dollars(yes), no_dollars: dollars(no) };
}
