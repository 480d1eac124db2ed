/** Marks of pre-IPO tokens: an issuer's statement, and the form in which the latest one is shown. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

/** One reading of an issuer's word. Prices are per UI unit, valuations in US dollars. */
export interface IssuerMark {
  readonly symbol: string;
  readonly mint: string;
  readonly markPrice: DecimalString;
  readonly markValuation: DecimalString;
  /** Price of the token by its issuer. Never used for prices of ours. */
  readonly tokenPrice: DecimalString | null;
  readonly impliedValuation: DecimalString | null;
  /** UI units in existence. */
  readonly supply: DecimalString | null;
  /** Time at which it was read: the issuers give no time of their own. */
  readonly receivedAt: EpochMs;
}

/** A change of a mark as it is remembered. `receivedAt` is when the new mark was first read. */
export interface MarkChange extends IssuerMark {
  readonly issuer: string;
  readonly source: string;
}

/** True if two readings are the same mark. Price and valuation are the mark; everything else changes by itself. */
export function isSameMark(a: Pick<IssuerMark, 'mint' | 'markPrice' | 'markValuation'>, b: typeof a): boolean {
  return a.mint === b.mint && a.markPrice === b.markPrice && a.markValuation === b.markValuation;
}

/** The latest mark of one token. */
export interface IssuerMarkState {
  readonly kind: 'issuer_mark';
  readonly venue: 'reference';
  /** The token's symbol, e.g. `SPACEX`. */
  readonly instrument: string;
  readonly issuer: string;
  readonly source: string;
  readonly mint: string;
  /** False if the issuer now names another mint than the catalog, or none: then no issuer stands behind the mark. */
  readonly mintVerified: boolean;
  readonly markPrice: DecimalString;
  readonly markValuation: DecimalString;
  readonly supply: DecimalString | null;
  /** Time at which any mark of this token was first received, when this one was, and when the issuer last said it. */
  readonly firstSeenAt: EpochMs;
  readonly changedAt: EpochMs;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
}
