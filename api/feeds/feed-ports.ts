/** Ports of the feeds. Boot supplies them. */
import type { AgentView } from '../../actors/agent/resource.ts';
import type { AnnouncementTail } from '../../src/adapters/store/actors/announcement-tail.ts';
import type { DecisionBatch } from '../../src/adapters/store/agents/decision-reads.ts';
import type { CandleReads } from '../../src/adapters/venues/candle-reads.ts';
import type { DecisionRecord } from '../../src/domain/agents/decision.ts';
import type { Member } from '../../src/domain/identity/member.ts';
import type { MarketState } from '../../src/domain/market/market-state.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { BookWants } from '../../streams/book-wants.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ApiPorts } from '../route.ts';
import type { MarketStateReads } from '../v1/market/state-reads.ts';
import type { InspectionPorts } from './inspected-actors.ts';

/** The newest market states (`MarketStateBus`). */
interface MarketStateSource extends MarketStateReads {
  /** Calls the listener with the changes, once per flush, each key at most once. */
  subscribe(listener: (changed: readonly MarketState[]) => void): () => void;
}

/** The newest quotes (`QuoteBus`). */
interface QuoteSource {
  snapshot(): readonly (Quote | ReferencePrice)[];
  latest(key: InstrumentKey): Quote | ReferencePrice | null;
  /** Calls the listener with the changes, once per flush, each instrument at most once. */
  subscribe(listener: (changed: readonly (Quote | ReferencePrice)[]) => void): () => void;
}

export interface FeedPorts {
  /** Requests the books that clients follow. Absent in a replay. */
  readonly bookWants?: BookWants;
  /** Time of the channels. */
  readonly clock: Clock;
  /** Clock of limits, flushes and heartbeats, if it is not the service's: a replay's time may stand still or run ahead. */
  readonly pace?: Clock;
  /** Members. Every connected subject is read again every few seconds. */
  readonly members: { find(subject: string): Promise<Pick<Member, 'orgId' | 'permissions' | 'revocations'> | null> };
  readonly announcements: Pick<AnnouncementTail, 'position' | 'subscribe' | 'read' | 'isKnown'>;
  readonly quotes: QuoteSource;
  readonly states: MarketStateSource;
  readonly candles: Pick<CandleReads, 'range'>;
  readonly rankings: Pick<ApiPorts['rankings'], 'cuts' | 'basis'>;
  /** Returns the organization's decision records of a batch, complete, in any order, and the same at any later time. */
  expandDecisions(batch: DecisionBatch, orgId: string): Promise<readonly DecisionRecord[]>;
  /** Returns the organization's agents, or only the given one. */
  agentsNow(orgId: string, agentId: string | null): Promise<readonly AgentView[]>;
  /** Null if there are no actors. The inspector's route is then not registered. */
  readonly inspection: InspectionPorts | null;
  /** Returns why this service cannot serve a valid subscription, or null if it can. */
  readonly unanswerable?: (channel: string, params: { readonly [name: string]: Json }) => string | null;
  /** Receives errors that no client caused. */
  reportDefect(error: unknown, where: string): void;
}
