/** What the routes of launches ask of the rest of the service. */
import type { DecimalString } from '../../../src/domain/decimal.ts';
import type { QuoteToken } from '../../../src/domain/launch/quote-tokens.ts';
import type { EpochMs } from '../../../src/domain/time.ts';
import type { InstrumentKey } from '../../../src/domain/venue.ts';

/** What one whole quote token is worth, and who says so. */
export interface QuoteDollars {
  readonly perToken: DecimalString;
  /** Null where the token is a dollar. */
  readonly instrument: InstrumentKey | null;
  readonly observedAt: EpochMs;
}

/** What curves may be quoted in. */
export interface LaunchQuotes {
  /** Null where no curve is quoted in the mint. */
  token(mint: string): QuoteToken | null;
  /** Null where nothing live prices it now. */
  dollars(token: QuoteToken): QuoteDollars | null;
}
