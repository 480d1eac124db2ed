/** Ports of the agent-token routes: chain, listings and quotes. */
import type { CreatorLook, DepthLook, PriceLook, TokenLook } from '../../../src/domain/agent-market/analysis.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';

export type MarketLook = Pick<TokenLook, 'at' | 'holders'> & {
  readonly creator: CreatorLook | null;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
};

export interface AgentMarketPorts {
  /** Reads what is known of a token now; unanswered parts are null. A token that was just read is answered from the cache. */
  look(entry: CatalogEntry): Promise<MarketLook>;
  /** Market makers that quote against the aggregator's takers. Their balances are pool liquidity. */
  readonly makers: ReadonlySet<string>;
}
