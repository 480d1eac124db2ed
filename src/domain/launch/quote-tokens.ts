/**
 * Tokens that a curve can be quoted in: the native coin, the dollar stablecoin, and every tokenized share or pre-IPO token of the catalog.
 */
import { CATALOG, USDC_DECIMALS, USDC_MINT } from '../catalog/catalog.ts';
import { TOKEN_PROGRAM } from '../solana/programs.ts';
import type { EpochMs } from '../values/time.ts';
import { type InstrumentKey, instrumentKey } from '../market/venue.ts';
import type { QuoteMintFacts } from './quote-mint.ts';
import type { DecimalString } from '../values/decimal.ts';

export const NATIVE_MINT = 'So11111111111111111111111111111111111111112';
const NATIVE_DECIMALS = 9;

export interface TokenDollars {
  /** US dollars per whole token. */
  readonly perToken: DecimalString;
  /** Priced instrument, or null for a dollar token. */
  readonly instrument: InstrumentKey | null;
  readonly observedAt: EpochMs;
}

export interface QuoteToken extends QuoteMintFacts {
  readonly decimals: number;
  /** UI units of one whole token, because issuers scale shares. */
  readonly multiplier: number;
  readonly kind: 'native' | 'stable' | 'tokenized_equity' | 'pre_ipo';
  /** Instrument that prices one UI unit in dollars, or null for a dollar token. */
  readonly pricedBy: InstrumentKey | null;
}

/** Returns the token of a mint in the catalog at `now`, or null if no curve is quoted in it. */
export function findQuoteToken(mint: string, now: EpochMs): QuoteToken | null {
  const plain = { mint, program: TOKEN_PROGRAM, multiplier: 1, transferFeeBps: 0 } as const;
  if (mint === NATIVE_MINT)
    return { ...plain, symbol: 'SOL', decimals: NATIVE_DECIMALS, kind: 'native', pricedBy: instrumentKey('spotexchange', 'SOLUSDT') };
  if (mint === USDC_MINT) return { ...plain, symbol: 'USDC', decimals: USDC_DECIMALS, kind: 'stable', pricedBy: null };
  const entry = CATALOG.byMint(mint);
  if (entry === undefined || entry.token === null || (entry.kind !== 'tokenized_equity' && entry.kind !== 'pre_ipo')) return null;
  const { program, decimals, transferFeeBps, multiplier, newMultiplier, newMultiplierEffectiveAt, validTo } = entry.token;
  if (validTo !== null && now >= validTo) return null;
  const scale = now >= newMultiplierEffectiveAt ? newMultiplier : multiplier;
  return { mint, symbol: entry.instrument, program, decimals, multiplier: scale, transferFeeBps, kind: entry.kind, pricedBy: entry.key };
}
