/** Records of the intelligence sources other than streams, as one union: posts, value locked on chains, and others. */
import type { DecimalString } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { Entity } from './entities.ts';
import type { MacroObservation, MacroRelease } from './macro.ts';
import type { Report } from './report.ts';

/** Newest counts from the platform. Null if it does not report one. */
interface Engagement {
  readonly likes: number | null;
  readonly reposts: number | null;
  readonly replies: number | null;
  readonly quotes: number | null;
}

export interface SocialPost {
  /** `<platform>:<id at the platform>`. */
  readonly id: string;
  readonly platform: string;
  readonly author: string;
  readonly text: string;
  readonly url: string | null;
  readonly publishedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly engagement: Engagement;
  /** Cashtags as written, without duplicates. */
  readonly cashtags: readonly string[];
  readonly entities: readonly Entity[];
  readonly ambiguous: readonly { readonly matched: string; readonly assets: readonly string[] }[];
  readonly unmapped: readonly string[];
}

/** Value locked on one chain. The provider gives no time, so its age counts from its reception. */
export interface ChainTvl {
  readonly chain: string;
  /** Number of the chain as text, if it has one. */
  readonly chainId: string | null;
  readonly tokenSymbol: string | null;
  readonly tvlUsd: DecimalString;
  readonly receivedAt: EpochMs;
}

/** Value locked on a chain on one day. The last day of a history is incomplete. */
export interface ChainTvlDay {
  /** Null for all chains together. */
  readonly chain: string | null;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly tvlUsd: DecimalString;
}

export type IntelligenceRecord =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'chain_tvl'; readonly receivedAt: EpochMs; readonly chains: readonly ChainTvl[] }
  | { readonly kind: 'chain_tvl_days'; readonly receivedAt: EpochMs; readonly days: readonly ChainTvlDay[] }
  | { readonly kind: 'observations'; readonly receivedAt: EpochMs; readonly observations: readonly MacroObservation[] }
  | { readonly kind: 'releases'; readonly receivedAt: EpochMs; readonly releases: readonly MacroRelease[] }
  | { readonly kind: 'posts'; readonly receivedAt: EpochMs; readonly posts: readonly SocialPost[] };
