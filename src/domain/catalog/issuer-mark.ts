/** Marks of pre-IPO tokens: an issuer's statement, and the view of the latest one. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

/** One statement of an issuer. Prices are per UI unit, valuations in US dollars. */
export interface IssuerMark {
  readonly symbol: string;
  readonly mint: string;
  readonly markPrice: DecimalString;
  readonly markValuation: DecimalString;
  /** Price of the token according to its issuer. Never used as one of our prices. */
  readonly tokenPrice: DecimalString | null;
  readonly impliedValuation: DecimalString | null;
  /** Existing UI units. */
  readonly supply: DecimalString | null;
  /** Time at which it was read. Issuers give no time of their own. */
  readonly receivedAt: EpochMs;
}

/** A stored change of a mark. `receivedAt` is when the new mark was first read. */
export interface MarkChange extends IssuerMark {
  readonly issuer: string;
  readonly source: string;
}

/** True if two readings have the same mark. Price and valuation are the mark. Other fields change by themselves. */
export function isSameMark(a: Pick<IssuerMark, 'mint' | 'markPrice' | 'markValuation'>, b: typeof a): boolean {
  return a.mint === b.mint && a.markPrice === b.markPrice && a.markValuation === b.markValuation;
}

/** Latest mark of a token. */
export interface IssuerMarkState {
  readonly kind: 'issuer_mark';
  readonly venue: 'reference';
  /** Symbol of the token, such as `SPACEX`. */
  readonly instrument: string;
  readonly issuer: string;
  readonly source: string;
  readonly mint: string;
  /** False if the issuer names another mint than the catalog, or none. Then no issuer backs the mark. */
  readonly mintVerified: boolean;
  readonly markPrice: DecimalString;
  readonly markValuation: DecimalString;
  readonly supply: DecimalString | null;
  /** Time at which any mark of this token was first received. The next two are of this mark: first received, and last confirmed. */
  readonly firstSeenAt: EpochMs;
  readonly changedAt: EpochMs;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
}
