/** Store and venue ports of the prediction-market routes. */
import type { PredictionMarket, PredictionProvider, PredictionStatus } from '../../../src/domain/prediction/market.ts';
import type { Evidence } from '../../../src/domain/prediction/research.ts';
import type { Page, PageOf } from '../../page.ts';

/** Filter of prediction markets. An absent field does not narrow. */
export interface PredictionFilter {
  readonly provider?: PredictionProvider;
  readonly status?: PredictionStatus;
  readonly underlying?: string;
  readonly text?: string;
  readonly eventId?: string;
}

/** Prediction markets of both providers. */
export interface PredictionReads {
  /** Lists markets by their end, latest first. */
  list(filter: PredictionFilter, page: Page): Promise<PageOf<PredictionMarket>>;
  get(id: string): Promise<PredictionMarket | null>;
  /** The other provider's markets about the same underlying. */
  counterparts(market: PredictionMarket): Promise<readonly PredictionMarket[]>;
  /** Book and trades of a market, asked of its venue now; what the venue refuses is told in words. */
  evidence(market: PredictionMarket): Promise<Evidence>;
}
