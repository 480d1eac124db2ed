/** Ports of the feeds: all that they ask of the rest of the service. Boot supplies them. */
import type { AgentView } from '../../actors/agent/resource.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { DecisionRecord } from '../../src/domain/agents/decision.ts';
import type { MarketState } from '../../src/domain/market/market-state.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { BookWants } from '../../streams/book-wants.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Member } from '../access.ts';
import type { CandleReads } from '../v1/candles/ports.ts';
import type { RankingPorts } from '../v1/rankings/ports.ts';
import type { MarketStateReads } from '../v1/venues/ports.ts';
import type { InspectionPorts } from './inspector.ts';

/** A committed row that the feeds send. */
export interface AnnouncementRow extends AnnouncementPosition {
  readonly channel: string;
  /** Null for what concerns no single organization. */
  readonly orgId: string | null;
  readonly actorId: string | null;
  readonly at: EpochMs;
  readonly body: { readonly [key: string]: Json | undefined };
}

/** A place in the order of announcements: after every row up to and including (xid, seq). */
export interface AnnouncementPosition {
  readonly xid: number;
  readonly seq: number;
}

/** Filter of the announcements to read next. */
export interface AnnouncementFilter {
  readonly channel: string;
  readonly orgId: string;
  /** Limits to this actor; null for all. */
  readonly actorId: string | null;
  /** True to include rows that concern no single organization. */
  readonly shared: boolean;
}

/** Rows in order, and the place up to which everything was looked at, matching or not. */
export interface AnnouncementPage {
  readonly rows: readonly AnnouncementRow[];
  readonly position: AnnouncementPosition;
}

/** The announcements of the store as one ordered stream (`createAnnouncementTail`). */
export interface AnnouncementSource {
  /** Position up to which everything was emitted. */
  position(): AnnouncementPosition;
  /** Receives every row committed from now on, in order, and after each batch how far it goes. The listener must not throw. */
  subscribe(listener: (rows: readonly AnnouncementRow[], position: AnnouncementPosition) => void): () => void;
  /**
   * Reads matching rows after `after` and up to `upTo`, oldest first. One page looks at a bounded number of rows, so it may
   * be empty long before the end: go on from its position until that has reached `upTo`.
   */
  read(after: AnnouncementPosition, upTo: AnnouncementPosition, filter: AnnouncementFilter): Promise<AnnouncementPage>;
  /** False for a place that this database has not reached (a cursor of another one, or an invented one), and for one whose following rows are forgotten. */
  isKnown(position: AnnouncementPosition): Promise<boolean>;
}

/** The newest market states (`MarketStateBus`). */
export interface MarketStateSource extends MarketStateReads {
  /** Receives what changed, once per flush, each key at most once. */
  subscribe(listener: (changed: readonly MarketState[]) => void): () => void;
}

/** The newest quotes (`QuoteBus`). */
export interface QuoteSource {
  snapshot(): readonly (Quote | ReferencePrice)[];
  latest(key: InstrumentKey): Quote | ReferencePrice | null;
  /** Receives what changed, once per flush, each instrument at most once. */
  subscribe(listener: (changed: readonly (Quote | ReferencePrice)[]) => void): () => void;
}

/** Decisions of one committed batch of a shard's ticks, as the batch's announcement names it. Both slots are inclusive. */
export interface DecisionBatch {
  readonly periodMs: number;
  readonly shard: number;
  readonly fromSlot: EpochMs;
  readonly slot: EpochMs;
}

export interface FeedPorts {
  /** Has books passed on that are followed; absent in a replay. */
  readonly bookWants?: BookWants;
  /** The time that the channels speak of. */
  readonly clock: Clock;
  /** Clock of limits, flushes and heartbeats, if it is not the service's: a replay's time may stand still or run ahead. */
  readonly pace?: Clock;
  /** Members, read again every few seconds for every subject that is connected. */
  readonly members: { find(subject: string): Promise<Pick<Member, 'orgId' | 'permissions' | 'revocations'> | null> };
  readonly announcements: AnnouncementSource;
  readonly quotes: QuoteSource;
  readonly states: MarketStateSource;
  readonly candles: Pick<CandleReads, 'range'>;
  readonly rankings: Pick<RankingPorts, 'cuts' | 'basis'>;
  /** The organization's decision records of a batch, complete and in any order; the same at any later time. */
  expandDecisions(batch: DecisionBatch, orgId: string): Promise<readonly DecisionRecord[]>;
  /** The organization's agents, or only the one that is asked for. */
  agentsNow(orgId: string, agentId: string | null): Promise<readonly AgentView[]>;
  /** Null if there are no actors: the inspector's address is then left to others. */
  readonly inspection: InspectionPorts | null;
  /** Returns why this service cannot serve a valid subscription, or null if it can. */
  readonly unanswerable?: (channel: string, params: { readonly [name: string]: Json }) => string | null;
  /** Receives errors that no client caused. */
  reportDefect(error: unknown, where: string): void;
}
