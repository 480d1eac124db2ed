/** What the routes of agent tokens ask of the chain, the listings and the quotes. */
import type { CreatorLook, DepthLook, PriceLook, TokenLook } from '../../../src/domain/agent-market/analysis.ts';
import type { CatalogEntry } from '../../../src/domain/catalog.ts';

export type MarketLook = Pick<TokenLook, 'at' | 'holders'> & {
  readonly creator: CreatorLook | null;
  readonly depth: DepthLook | null;
  readonly price: PriceLook | null;
};

export interface AgentMarketPorts {
  /** What is known of a token now; what nobody answers is null. A token that was just looked at is not looked at again. */
  look(entry: CatalogEntry): Promise<MarketLook>;
  /** Those who quote against takers of the aggregator: what they hold is a pool's. */
  readonly makers: ReadonlySet<string>;
}
