/**
 * Orders on the primary chain that need no prompt: the proposal's order becomes a prepared swap of the delegated wallet, and the signer
 * process has it signed. Only the chain decides the result.
 */
import { createTransactionSubmission } from '../../actors/prepared-transaction/submission.ts';
import type { SubmitInfo } from '../../actors/proposal/execution-client.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { ActorRecord } from '../domain/agents/actor-step.ts';
import { canonicalJson } from '../domain/values/canonical-json.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import { type DelegationRefusal, delegationRefusal } from '../domain/identity/delegation.ts';
import type { VenueAnswer } from '../domain/orders/execution.ts';
import type { Order } from '../domain/orders/order.ts';
import type { Quote, ReferencePrice } from '../domain/market/quote.ts';
import type { VerifySignature } from '../domain/solana/verify.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { actingFor, type ProposalSwaps, toPermit, rejected } from './proposal-swaps.ts';
import type { LatestQuotes } from './live-marks.ts';
import type { SignerClient } from '../adapters/identity/signer/protocol.ts';
import type { RiskReads } from '../adapters/store/risk/risk-reads.ts';
import type { ProposalFacts } from '../adapters/store/orders/proposal-facts.ts';
import type { DelegatedOrder, Delegation } from '../../actors/delegation/resource.ts';
import type { DelegatedOrderStore } from '../adapters/store/delegations/delegation-store.ts';

/** Returns the text of an order that the worker signs for the signer: the order, its quotes, and the message. */
export function delegatedOrderText(order: DelegatedOrder, digest: string): string {
  return `sevengate delegated order 1\n${digest}\n${canonicalJson(order)}\n`;
}

export interface DelegatedOrderDeps {
  readonly swaps: Pick<ProposalSwaps, 'prepare'>;
  readonly store: DelegatedOrderStore;
  readonly reads: Pick<RiskReads, 'otherBooks'>;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly signer: SignerClient;
  /** Signs as the worker. Returns a base64 Ed25519 signature over the UTF-8 text. */
  readonly signAsWorker: (text: string) => string;
  readonly bus: LatestQuotes;
  readonly verifySignature: VerifySignature;
  readonly clock: { now(): EpochMs };
}

export function createDelegatedOrders(deps: DelegatedOrderDeps) {
  const { store, reads, clock, bus, swaps } = deps;

  /** Returns the quotes for the signer's risk check: of the order's instrument and of all holdings of the organization. */
  async function heard(orgId: string, instrument: InstrumentKey): Promise<(Quote | ReferencePrice)[]> {
    const { assets } = await reads.otherBooks(orgId, 'live', '');
    const traded = [instrument, ...assets.map((asset) => asset.instrument)];
    const wanted = new Set(traded.flatMap((one) => [one, CATALOG.byKey(one)?.benchmark ?? one]));
    return [...wanted].flatMap((key) => bus.latest(key) ?? []);
  }

  async function covered(order: Order, { orgId, agentId }: ProposalFacts) {
    const delegation = await store.newest(orgId, agentId);
    const refusal = delegationRefusal(delegation, clock.now(), { wallet: delegation?.wallet ?? '', notionalUsd: order.notionalUsd });
    return { delegation, refusal };
  }

  return {
    /** Returns why the agent's newest delegation does not cover the order, or null if it does. */
    refusal: async (order: Order, facts: ProposalFacts): Promise<{ readonly code: DelegationRefusal; readonly detail: string } | null> =>
      (await covered(order, facts)).refusal,

    /** Prepares the order, has it signed and submits it. */
    async submit(order: Order<'spotchain'>, info: SubmitInfo<'spotchain'>, facts: ProposalFacts): Promise<VenueAnswer> {
      const { delegation, refusal } = await covered(order, facts);
      if (refusal !== null || delegation === null) return rejected(refusal?.code ?? 'delegation_missing', refusal?.detail ?? '');
      const prepared = await swaps.prepare(order, info, facts, { wallet: delegation.wallet, executor: 'delegated' });
      if (!prepared.ok) return rejected(prepared.refusal.code, prepared.refusal.detail);
      const { id, digest } = prepared.value;
      const noted: DelegatedOrder = {
        orderId: id,
        orgId: facts.orgId,
        agentId: facts.agentId,
        proposalId: info.key,
        delegationId: delegation.id,
        order: prepared.value.order,
        heard: await heard(facts.orgId, order.instrument),
        preparedAt: clock.now(),
      };
      await store.note(noted);
      const answer = await deps.signer.sign(id, deps.signAsWorker(delegatedOrderText(noted, digest)));
      if (answer.outcome === 'unavailable') return rejected('signer_unavailable', answer.detail);
      if (answer.outcome === 'refused') return rejected(answer.code, answer.detail);
      // Needs no lease of the proposal: the step that takes the bytes checks the same conditions, and their broadcast has its own lease.
      return taken(deps, { id, signedBase64: answer.signedBase64, info, facts, delegation });
    },
  };
}

export type DelegatedOrders = ReturnType<typeof createDelegatedOrders>;

/** Submits signed bytes in a step that a halt, a pause, a changed manifest, a lowered autonomy or a revocation prevents. */
async function taken(
  { runtime, store, verifySignature, clock }: DelegatedOrderDeps,
  {
    id,
    signedBase64,
    info,
    facts,
    delegation,
  }: {
    readonly id: string;
    readonly signedBase64: string;
    readonly info: SubmitInfo<'spotchain'>;
    readonly facts: ProposalFacts;
    readonly delegation: Delegation;
  },
): Promise<VenueAnswer> {
  const required: readonly ActorRecord[] = [toPermit(facts, true), { type: 'delegation_check', delegationId: delegation.id }];
  const submission = createTransactionSubmission({
    runtime,
    load: store.load,
    verifySignature,
    // The signer has just run risk on the same quotes.
    mayLeave: { swap: async () => ({ ok: true, value: required }) },
    clock,
  });
  try {
    const submitted = await submission.submit(actingFor(facts, info), 'swap', id, signedBase64);
    if (!submitted.ok) return rejected(submitted.refusal.code, submitted.refusal.detail);
    return { outcome: 'unknown', detail: 'signed and on its way to the chain', underWay: true };
  } catch (error) {
    if (store.isDelegationLost(error)) return rejected('delegation_revoked', 'the delegation was revoked while it was signed');
    throw error;
  }
}
