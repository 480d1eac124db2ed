/** Everything that the feeds ask of the rest of the service. Boot supplies it. */
import type { AgentView } from '../../actors/agent/commands.ts';
import type { Permission } from '../../src/domain/agent.ts';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { DecisionRecord } from '../../src/domain/decision.ts';
import type { MarketState } from '../../src/domain/market-state.ts';
import type { Quote, ReferencePrice } from '../../src/domain/quote.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { InstrumentKey } from '../../src/domain/venue.ts';
import type { CandleReads, MarketStateReads } from '../ports.ts';

/** A subject's grants as the database holds them at this moment. */
export interface FeedMember {
  readonly orgId: string;
  readonly permissions: readonly Permission[];
}

/** A committed row that the feeds send. */
export interface AnnouncementRow {
  readonly xid: number;
  readonly seq: number;
  readonly channel: string;
  /** Null for what concerns no single organization. */
  readonly orgId: string | null;
  readonly actorId: string | null;
  readonly at: EpochMs;
  readonly body: { readonly [key: string]: Json | undefined };
}

interface Place {
  readonly xid: number;
  readonly seq: number;
}

/** The announcements of the store as one ordered stream (`createAnnouncementTail`). */
export interface AnnouncementSource {
  /** Everything up to here has been emitted. */
  position(): Place;
  subscribe(listener: (rows: readonly AnnouncementRow[], position: Place) => void): () => void;
  /** Matching rows after `after` and up to `upTo`, oldest first; everything up to the answer's position was looked at. */
  read(
    after: Place,
    upTo: Place,
    filter: { readonly channel: string; readonly orgId: string; readonly actorId: string | null; readonly shared: boolean },
  ): Promise<{ readonly rows: readonly AnnouncementRow[]; readonly position: Place }>;
  /** False for a place that the database has not reached. */
  isKnown(position: Place): Promise<boolean>;
}

/** The newest market states (`MarketStateBus`). */
export interface MarketStateSource extends MarketStateReads {
  /** Hears what changed, once per flush, each key at most once. */
  subscribe(listener: (changed: readonly MarketState[]) => void): () => void;
}

/** The newest quotes (`QuoteBus`). */
export interface QuoteSource {
  snapshot(): readonly (Quote | ReferencePrice)[];
  latest(key: InstrumentKey): Quote | ReferencePrice | null;
  /** Hears what changed, once per flush, each instrument at most once. */
  subscribe(listener: (changed: readonly (Quote | ReferencePrice)[]) => void): () => void;
}

/** What one committed batch of a shard's ticks decided, as the announcement of the batch names it. Both slots are inclusive. */
export interface DecisionBatch {
  readonly periodMs: number;
  readonly shard: number;
  readonly fromSlot: EpochMs;
  readonly slot: EpochMs;
}

export interface FeedPorts {
  readonly clock: { now(): EpochMs; deadline(at: EpochMs, call: () => void): () => void };
  /** Asked again every few seconds for every subject that is connected. */
  readonly members: { find(subject: string): Promise<FeedMember | null> };
  readonly announcements: AnnouncementSource;
  readonly quotes: QuoteSource;
  readonly states: MarketStateSource;
  readonly candles: Pick<CandleReads, 'range'>;
  /** The organization's decision records of a batch, complete and in any order; the same at any later time. */
  expandDecisions(batch: DecisionBatch, orgId: string): Promise<readonly DecisionRecord[]>;
  /** The organization's agents, or only the one that is asked for. */
  agentsNow(orgId: string, agentId: string | null): Promise<readonly AgentView[]>;
  /** Hears of what went wrong without a client's doing. */
  reportDefect(error: unknown, where: string): void;
}
