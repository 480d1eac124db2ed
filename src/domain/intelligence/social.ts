/** Posts of social platforms, mapped to the catalog and kept apart from sources that confirm. */
import type { EpochMs } from '../values/time.ts';
import type { Entity } from './entities.ts';

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
