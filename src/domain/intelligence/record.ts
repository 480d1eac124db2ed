/** Records of the intelligence sources other than streams, as one union. */
import type { EpochMs } from '../values/time.ts';
import type { ChainTvl, ChainTvlDay } from './chain-tvl.ts';
import type { MacroObservation, MacroRelease } from './macro.ts';
import type { Report } from './report.ts';
import type { SocialPost } from './social.ts';

export type IntelligenceRecord =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'chain_tvl'; readonly receivedAt: EpochMs; readonly chains: readonly ChainTvl[] }
  | { readonly kind: 'chain_tvl_days'; readonly receivedAt: EpochMs; readonly days: readonly ChainTvlDay[] }
  | { readonly kind: 'observations'; readonly receivedAt: EpochMs; readonly observations: readonly MacroObservation[] }
  | { readonly kind: 'releases'; readonly receivedAt: EpochMs; readonly releases: readonly MacroRelease[] }
  | { readonly kind: 'posts'; readonly receivedAt: EpochMs; readonly posts: readonly SocialPost[] };
