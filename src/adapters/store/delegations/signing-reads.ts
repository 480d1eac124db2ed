/** Reads of the delegated signer before a signature: the transaction, its proposal, the facts of its permit and the trader's decision. */

import type { DelegatedOrder } from '../../../../actors/delegation/resource.ts';
import type { MarketOrderContext } from '../../../../actors/market-order/machine.ts';
import type { ProposalContext } from '../../../../actors/proposal/protocol.ts';
import type { Autonomy, Disposition, Stage } from '../../../domain/agents/agent.ts';
import { type AgentBook, EMPTY_BOOK } from '../../../domain/agents/decision.ts';
import { CutHashes, type Reading } from '../../../domain/agents/observed-state.ts';
import type { TraderKind } from '../../../domain/identity/delegation.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { Cut } from '../../../domain/market/cut.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { PermitFacts, ProposalState } from '../../../domain/orders/execution.ts';
import type { Order } from '../../../domain/orders/order.ts';
import type { OutsideProposal } from '../../../domain/outside/outside-proposal.ts';
import type { PreparedMessage } from '../../../domain/solana/verify.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import { readOutsideProposals } from '../agents/outside-store.ts';
import type { Sql } from '../database.ts';
import { feedCutAt, newestFeedCut } from '../trail/feed-cut.ts';
import { createDelegationReads, readDelegatedOrder } from './delegation-store.ts';

/** State of a prepared transaction's actor. */
export interface SignableTransaction {
  readonly orgId: string;
  readonly state: string;
  readonly purpose: string;
  readonly executor: string;
  readonly wallet: string;
  readonly prepared: PreparedMessage;
  readonly unsignedBase64: string;
  readonly reservation: {
    readonly bookId: string;
    readonly instrument: InstrumentKey;
    readonly side: 'buy' | 'sell';
    readonly quantity: string;
    readonly notionalUsd: string;
  } | null;
}

/** A trade proposal, with the facts that permit its execution. */
export interface SignableProposal {
  /** Kind of its owner. */
  readonly trader: TraderKind;
  readonly state: ProposalState;
  readonly autonomy: Autonomy;
  readonly side: 'entry' | 'exit';
  readonly slot: EpochMs;
  readonly manifestHash: string;
  readonly epoch: number;
  readonly order: Order;
  readonly readsReference: boolean;
  /** Null if a kill switch closes a position. */
  readonly decisionId: string | null;
  readonly facts: PermitFacts;
  readonly manifest: Manifest;
}

/** Basis of a decision as recorded in the trail. */
interface DecisionFacts {
  readonly disposition: Disposition;
  readonly instrument: InstrumentKey | null;
  readonly outcome: string;
  readonly book: AgentBook;
  /** Outside proposal of the slot, or null. */
  readonly outside: OutsideProposal | null;
  /** Cut as the feed signed it. */
  readonly cut: Cut;
  /** True if its observations are those that the decision committed to. */
  readonly isWhole: boolean;
}

/** State of an order's actor. */
type PlacedOrder = { readonly state: string } & (
  | { readonly kind: 'proposal'; readonly context: ProposalContext }
  | { readonly kind: 'market_order'; readonly context: MarketOrderContext }
);

/** @param feedKeys public keys of the feed; only cuts signed by one of them count */
export function createSigningReads(sql: Sql, feedKeys: () => readonly TrustedKey[]) {
  return {
    /** Returns the newest cut, or why it is not signed by the feed. */
    newestCut: (): Promise<{ readonly ok: true; readonly cut: Cut } | { readonly ok: false; readonly why: string }> =>
      newestFeedCut(sql, feedKeys()),
    /** Returns the order submitted to the signer under this id, or null. */
    delegatedOrder: (id: string): Promise<DelegatedOrder | null> => readDelegatedOrder(sql, id),
    /** Returns the newest delegation of an agent or Take, in any state, or null. */
    newestDelegation: createDelegationReads(sql).newest,

    /** Returns null if there is no prepared transaction with this id. */
    async transaction(id: string): Promise<SignableTransaction | null> {
      const [row] = await sql<{ org_id: string; state: string; context: Omit<SignableTransaction, 'orgId' | 'state'> }[]>`
        select org_id, snapshot->>'value' as state, snapshot->'context' as context from actors where id = ${id} and kind = 'prepared_transaction'`;
      return row === undefined ? null : { ...row.context, orgId: row.org_id, state: row.state };
    },

    /** Returns null if the organization has no such proposal of this agent or Take. */
    async proposal(orgId: string, agentId: string, id: string): Promise<SignableProposal | null> {
      const [row] = await sql<
        {
          state: ProposalState;
          proposed_at: Autonomy;
          side: 'entry' | 'exit';
          slot: number;
          hash: string;
          proposal_epoch: number;
          order_body: Order;
          reads_reference: boolean;
          decision_id: string | null;
          epoch: number;
          manifest_hash: string;
          trader: TraderKind;
          paused: boolean;
          paused_by_breaker: boolean;
          closed_by_hand: boolean;
          stage: Stage;
          autonomy: Autonomy;
          canonical: string;
        }[]
      >`
        select p.state, p.autonomy as proposed_at, p.side, p.slot, p.manifest_hash as hash, p.epoch as proposal_epoch, p.order_body, p.reads_reference, p.decision_id,
          c.epoch, a.kind as trader, a.manifest_hash, a.paused, a.paused_by_breaker, a.closed_by_hand, a.stage, a.autonomy, m.canonical
        from proposals p join traders a on a.id = p.agent_id and a.org_id = p.org_id join control c on c.org_id = p.org_id
        join manifests m on m.agent_id = a.id and m.version = a.manifest_version
        where p.id = ${id} and p.org_id = ${orgId} and p.agent_id = ${agentId}`;
      if (row === undefined) return null;
      return {
        trader: row.trader,
        state: row.state,
        autonomy: row.proposed_at,
        side: row.side,
        slot: row.slot,
        manifestHash: row.hash,
        epoch: row.proposal_epoch,
        order: row.order_body,
        readsReference: row.reads_reference,
        decisionId: row.decision_id,
        facts: {
          epoch: row.epoch,
          manifestHash: row.manifest_hash,
          paused: row.paused,
          pausedByBreaker: row.paused_by_breaker,
          closedByHand: row.closed_by_hand,
          stage: row.stage,
          autonomy: row.autonomy,
        },
        manifest: JSON.parse(row.canonical) as Manifest,
      };
    },

    /** Returns null if it decided nothing in that slot. `unsigned` says why the slot's cut is not the feed's. */
    async decision(agentId: string, slot: EpochMs, reading: Reading): Promise<DecisionFacts | { readonly unsigned: string } | null> {
      const [[row], signed, proposals] = await Promise.all([
        sql<{ disposition: Disposition; instrument: InstrumentKey | null; outcome: string; book: string | null; observed_hash: string }[]>`
          select disposition, instrument, outcome, book, encode(observed_hash, 'hex') as observed_hash from decisions where agent_id = ${agentId} and slot = ${slot}`,
        feedCutAt(sql, slot, feedKeys()),
        readOutsideProposals(sql, [agentId], slot),
      ]);
      if (row === undefined) return null;
      if (!signed.ok) return { unsigned: signed.why };
      const { cut } = signed;
      return {
        disposition: row.disposition,
        instrument: row.instrument,
        outcome: row.outcome,
        book: row.book === null ? EMPTY_BOOK : (JSON.parse(row.book) as AgentBook),
        outside: proposals.get(agentId) ?? null,
        cut,
        isWhole: new CutHashes(cut).matches(row.observed_hash, reading),
      };
    },
  };
}

/** Reads of the delegated signer before it signs. */
export type SigningReads = ReturnType<typeof createSigningReads>;

/** Creates the reads for prepared transactions and for orders on the spot exchange. */
export function createExchangeSigningReads(sql: Sql, feedKeys: () => readonly TrustedKey[]) {
  return {
    ...createSigningReads(sql, feedKeys),
    /** Returns the proposal or manual order with this id, or null if the organization has none. */
    async placedOrder(orgId: string, id: string): Promise<PlacedOrder | null> {
      const [row] = await sql<PlacedOrder[]>`
        select kind, snapshot->>'value' as state, snapshot->'context' as context from actors
        where id = ${id} and org_id = ${orgId} and kind in ('proposal', 'market_order')`;
      return row ?? null;
    },
  };
}

export type ExchangeSigningReads = ReturnType<typeof createExchangeSigningReads>;
