/**
 * Checks one automated transaction before it is signed. The signer trusts nobody, least of all the database. The order must have the
 * worker's signature, the delegation its owner's, and the quotes the feed's. The message is decoded to the last instruction and compared
 * with the chain's own facts about mints and lookup tables. The signer reads the agent or Take, its autonomy, the halt, the decision and
 * the mandate itself, runs the policy and the pre-trade risk function again, counts its purchases, and compares the remote signer's result
 * with the prepared message.
 */
import type { PreTrade } from '../../actors/proposal/present-verdict.ts';
import { EXECUTES_BY_ITSELF } from '../domain/agents/agent.ts';
import { compileManifest } from '../domain/agents/decide.ts';
import { Decimal } from '../domain/values/decimal.ts';
import { delegationRefusal, delegationText, type TraderKind } from '../domain/identity/delegation.ts';
import { supersededBy } from '../domain/orders/execution.ts';
import { findMarketStep } from '../domain/market/market-step.ts';
import type { Order } from '../domain/orders/order.ts';
import { refuse } from '../domain/values/refusal.ts';
import { combineMandate } from '../domain/risk/mandate.ts';
import { signedQuoteObjection } from '../domain/orders/signed-quote.ts';
import { fromBase58 } from '../domain/solana/base58.ts';
import { type DelegatedSwap, delegatedSwapObjection } from '../domain/solana/delegated-swap.ts';
import { readTransaction } from '../domain/solana/message.ts';
import { TOKEN_PROGRAM } from '../domain/solana/programs.ts';
import { toRaw, toUi } from '../domain/solana/swap.ts';
import { hashBytes, fromBase64, type VerifySignature, verifySigned } from '../domain/solana/verify.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { type InstrumentKey, instrumentKey } from '../domain/market/venue.ts';
import { delegatedOrderText } from './delegated-orders.ts';
import { createPreTrade } from './pre-trade.ts';
import { readLegs, type TokenLegs } from './primary-chain.ts';
import type { RiskDeps } from './present-market.ts';
import type { SignerAnswer } from '../adapters/identity/signer/protocol.ts';
import type { RiskReads } from '../adapters/store/risk/risk-reads.ts';
import type { SigningLedger } from '../adapters/signing-keys/signing-ledger.ts';
import type { RemoteSigner } from '../adapters/identity/signer/remote-signer.ts';
import type { DelegatedOrder, Delegation } from '../../actors/delegation/resource.ts';
import type { SignableTransaction, SignableProposal, SigningReads } from '../adapters/store/delegations/signing-reads.ts';
import type { PrimaryChain } from '../adapters/venues/spotchain/access.ts';

export interface SigningDeps {
  readonly reads: SigningReads;
  readonly risk: RiskReads;
  readonly disabledVenues: RiskDeps['disabledVenues'];
  readonly remote: RemoteSigner;
  readonly verifySignature: VerifySignature;
  /** Verifies the worker's base64 signature over a text. */
  readonly isSignedByWorker: (text: string, signature: string) => boolean;
  /** The chain, queried by the signer itself. @throws if no node answers. */
  readonly chain: Pick<PrimaryChain['chain'], 'mintInfo' | 'lookupTable'>;
  /** Makers that may sign with a wallet. */
  readonly makers: ReadonlySet<string>;
  readonly accountOf: DelegatedSwap['accountOf'];
  readonly ledger: SigningLedger;
  readonly clock: { now(): EpochMs };
}

type Refused = Extract<SignerAnswer, { readonly outcome: 'refused' }>;

const no = (code: string, detail: string): Refused => ({ outcome: 'refused', code, detail });

/** Creates the signer. It signs by the id of a prepared transaction and the worker's signature over its order. */
export function createSigning(deps: SigningDeps): (orderId: string, signature: string) => Promise<SignerAnswer> {
  const { reads, clock, remote, ledger } = deps;

  return async (orderId, signature) => {
    const [transaction, noted] = await Promise.all([reads.transaction(orderId), reads.delegatedOrder(orderId)]);
    if (transaction === null || noted === null || transaction.orgId !== noted.orgId)
      return no('not_found', 'no transaction with this id was put before the delegated signer');
    const proposal = await reads.proposal(noted.orgId, noted.agentId, noted.proposalId);
    if (proposal === null) return no('not_found', 'the transaction belongs to no proposal of its agent or Take');
    const wrong =
      transactionRefusal(transaction, noted) ??
      forgeryRefusal(deps, transaction, noted, signature) ??
      proposalRefusal(proposal, noted) ??
      (await policyRefusal(reads, proposal, noted)) ??
      (await quoteRefusal(deps, proposal, noted)) ??
      (await riskRefusal(deps, proposal, noted)) ??
      (await messageRefusal(deps, transaction, noted));
    if (wrong !== null) return wrong;
    // Read last, so that a revocation answered before this moment counts.
    const delegation = await reads.newestDelegation(noted.orgId, noted.agentId);
    const undelegated = delegationRefused(deps, delegation, transaction, noted, proposal.trader);
    if (undelegated !== null || delegation === null) return undelegated ?? no('delegation_missing', 'there is no delegation');
    const { digest } = transaction.prepared;
    // A sale brings its dollars to the same wallet. The purchases of others must not hold it up.
    const spentUsd = noted.order.side === 'buy' ? noted.order.notionalUsd : '0';
    const counted = ledger.count({ orderId, digest, notionalUsd: spentUsd, at: clock.now() });
    if (counted !== null) return no('signer_limit_breach', counted);
    const unsigned = fromBase64(transaction.unsignedBase64) as Uint8Array;
    const answer = await remote.signTransaction(delegation.signerWallet, unsigned, digest);
    if (answer.outcome !== 'signed') return answer;
    const verified = verifySigned(transaction.prepared, answer.signed, deps.verifySignature);
    if (!verified.ok) return no(verified.refusal.code, verified.refusal.detail);
    return { outcome: 'signed', signedBase64: Buffer.from(answer.signed).toString('base64') };
  };
}

/** Refuses unless the worker submitted exactly this order with this message. */
function forgeryRefusal(
  { isSignedByWorker }: SigningDeps,
  { prepared }: SignableTransaction,
  noted: DelegatedOrder,
  signature: string,
): Refused | null {
  return isSignedByWorker(delegatedOrderText(noted, prepared.digest), signature)
    ? null
    : no('signature_invalid', 'the order is not what the worker signed');
}

/** Refuses unless the owner of the wallet delegated it, by signature, to this agent or Take and for at least this amount. */
function delegationRefused(
  { clock, verifySignature }: SigningDeps,
  delegation: Delegation | null,
  { wallet }: SignableTransaction,
  { order, delegationId, orgId, agentId }: DelegatedOrder,
  trader: TraderKind,
): Refused | null {
  const undelegated = delegationRefusal(delegation, clock.now(), { wallet, notionalUsd: order.notionalUsd });
  if (undelegated !== null) return no(undelegated.code, undelegated.detail);
  if (delegation === null || delegation.id !== delegationId)
    return no('delegation_revoked', 'the delegation that this was prepared under has been replaced by a newer one');
  const signature = fromBase64(delegation.ownerSignature);
  const key = fromBase58(delegation.wallet);
  const text = new TextEncoder().encode(delegationText(delegation));
  if (
    delegation.orgId !== orgId ||
    delegation.agentId !== agentId ||
    delegation.trader !== trader ||
    signature === null ||
    key === null ||
    !verifySignature(signature, text, key)
  )
    return no('delegation_missing', 'the delegation does not carry the signature of the wallet’s owner over its terms');
  return null;
}

/** Refuses unless the message does the swap of the order and nothing else, by the chain's own facts about mints and tables. */
async function messageRefusal(deps: SigningDeps, transaction: SignableTransaction, { order }: DelegatedOrder): Promise<Refused | null> {
  const read = readTransaction(fromBase64(transaction.unsignedBase64) ?? new Uint8Array());
  if (!read.ok) return no(read.refusal.code, read.refusal.detail);
  const legs = await readLegs(deps, order.instrument);
  if (!legs.ok) return no(legs.refusal.code, legs.refusal.detail);
  const tables = new Map<string, readonly string[]>();
  for (const { table } of read.value.lookups) {
    const found = await deps.chain.lookupTable(table);
    if (found !== null) tables.set(table, found);
  }
  const { makers, accountOf } = deps;
  const objection = delegatedSwapObjection(read.value, {
    wallet: transaction.wallet,
    ...swapBounds(order, legs.value),
    makers,
    tables,
    accountOf,
  });
  return objection === null ? null : no('route_refused', `the message is not to be signed: ${objection}`);
}

/** Returns the limits of a swap's input and output at the order's worst price, in raw units. */
function swapBounds(
  order: Order,
  { stable, token, tokenProgram }: TokenLegs,
): Pick<DelegatedSwap, 'input' | 'output' | 'mostIn' | 'leastOut'> {
  const price = new Decimal(order.limitPrice);
  const dollars = { mint: stable.mint, program: TOKEN_PROGRAM };
  const tokens = { mint: token.mint, program: tokenProgram };
  if (order.side === 'buy')
    return {
      input: dollars,
      output: tokens,
      mostIn: BigInt(toRaw(order.notionalUsd, stable)),
      leastOut: (given) => BigInt(toRaw(toUi(given.toString(), stable).div(price), token)),
    };
  // The last part of a position, below one lot, is sold with the last whole lot.
  const most = new Decimal(order.quantity).plus(findMarketStep(order.instrument).lot);
  return {
    input: tokens,
    output: dollars,
    mostIn: BigInt(toRaw(most, token)),
    leastOut: (given) => BigInt(toRaw(toUi(given.toString(), token).times(price), stable)),
  };
}

/** Refuses unless the prepared transaction is the submitted one and needs only the wallet's signature. */
function transactionRefusal(transaction: SignableTransaction, { order }: DelegatedOrder): Refused | null {
  const { state, executor, purpose, wallet, prepared, reservation, unsignedBase64 } = transaction;
  if (executor !== 'delegated') return no('not_found', 'the transaction is to be signed by a person');
  if (purpose !== 'swap') return no('feature_disabled', `delegated signers sign swaps alone, and this is for ${purpose}`);
  if (state !== 'prepared') return no('state_conflict', `the transaction is ${state}: nothing is signed twice`);
  if (
    reservation === null ||
    reservation.bookId !== order.bookId ||
    reservation.instrument !== order.instrument ||
    reservation.side !== order.side ||
    new Decimal(reservation.quantity).gt(order.quantity) ||
    new Decimal(reservation.notionalUsd).gt(order.notionalUsd)
  )
    return no('state_conflict', 'the prepared transaction is not the order that risk passed');
  const read = readTransaction(fromBase64(unsignedBase64) ?? new Uint8Array());
  if (!read.ok) return no(read.refusal.code, read.refusal.detail);
  if (hashBytes(read.value.message) !== prepared.digest) return no('state_conflict', 'the stored transaction is not the prepared message');
  const others = prepared.requiredSigners.filter((signer, index) => signer !== wallet && isUnsigned(read.value.signatures[index]));
  if (!prepared.requiredSigners.includes(wallet) || others.length > 0)
    return no('route_refused', `the message waits for signatures of ${others.join(', ') || 'others'} beside that of ${wallet}`);
  return null;
}

function isUnsigned(signature: Uint8Array | undefined): boolean {
  return signature === undefined || signature.every((byte) => byte === 0);
}

/** Refuses unless the proposal is being executed now by an agent or Take that may act autonomously. */
function proposalRefusal(proposal: SignableProposal, { order }: DelegatedOrder): Refused | null {
  const { facts } = proposal;
  if (proposal.state !== 'executing') return no('state_conflict', `the proposal is ${proposal.state}: nothing is signed for it`);
  if (!EXECUTES_BY_ITSELF.has(facts.autonomy) || !EXECUTES_BY_ITSELF.has(proposal.autonomy))
    return no('autonomy_refused', `it is at ${facts.autonomy}: only policy_auto and autonomous trade without a wallet prompt`);
  const superseded = supersededBy(
    {
      epoch: proposal.epoch,
      manifestHash: proposal.manifestHash,
      mode: 'live',
      reduceOnly: proposal.order.reduceOnly,
      byItself: true,
      flattens: proposal.decisionId === null,
    },
    facts,
  );
  if (superseded !== null) return no(superseded, `the proposal has been superseded: ${superseded}`);
  return isWithin(order, proposal.order)
    ? null
    : no('state_conflict', 'the order that was put before the signer is not that of the proposal, or more');
}

/** True if a swap's order is within the proposal's: the same trade of the same book, no larger and at no worse price. */
function isWithin(swap: Order, order: Order): boolean {
  const isSame = swap.id === order.id && swap.bookId === order.bookId && swap.instrument === order.instrument && swap.side === order.side;
  if (!isSame || order.venue !== 'spotchain' || order.mode !== 'live' || swap.mode !== 'live') return false;
  const isBuy = order.side === 'buy';
  const isNoLarger = isBuy ? !new Decimal(swap.notionalUsd).gt(order.notionalUsd) : !new Decimal(swap.quantity).gt(order.quantity);
  return isNoLarger && (isBuy ? !new Decimal(swap.limitPrice).gt(order.limitPrice) : !new Decimal(swap.limitPrice).lt(order.limitPrice));
}

/** Runs the policy again on the decision's inputs. It must give the same result. */
async function policyRefusal(reads: SigningReads, proposal: SignableProposal, { agentId, order }: DelegatedOrder): Promise<Refused | null> {
  if (proposal.decisionId === null)
    return proposal.order.reduceOnly &&
      order.side === 'sell' &&
      (proposal.facts.pausedByBreaker === true || proposal.facts.closedByHand === true)
      ? null
      : no('policy_refused', 'no decision asked for it, and neither a breaker nor anybody else closes this position');
  const compiled = compileManifest(proposal.manifest);
  const decision = await reads.decision(agentId, proposal.slot, compiled.reading);
  if (decision !== null && 'unsigned' in decision) return no('quote_unsigned', `what the decision observed: ${decision.unsigned}`);
  if (decision === null || !decision.isWhole)
    return no('policy_refused', 'the decision behind the proposal, or what it observed, is not on record as it was');
  const others = new Set<InstrumentKey>(compiled.instruments.filter((instrument) => instrument !== order.instrument));
  const verdict = compiled.decide(
    decision.cut,
    decision.book,
    proposal.facts.autonomy,
    () => ({ verdict: 'passed', rejections: [] }),
    others,
    decision.outside,
  );
  const wanted = proposal.side === 'entry' ? 'propose_entry' : 'propose_exit';
  if (
    verdict.disposition !== wanted ||
    decision.disposition !== wanted ||
    decision.instrument !== order.instrument ||
    verdict.outcome !== decision.outcome
  )
    return no('policy_refused', `the policy evaluator comes to ${verdict.disposition} on what the decision observed, and not to ${wanted}`);
  return null;
}

/** Refuses an order beyond the mandate's slippage at the newest quote signed by the feed. */
async function quoteRefusal(
  { reads, risk, clock }: SigningDeps,
  { manifest }: SignableProposal,
  { orgId, order }: DelegatedOrder,
): Promise<Refused | null> {
  const [newest, { preferences }] = await Promise.all([reads.newestCut(), risk.preferences(orgId)]);
  if (!newest.ok) return no('quote_unsigned', newest.why);
  const { maxSlippageBps } = combineMandate(manifest, preferences, null);
  const observation = newest.cut.observations.get(order.instrument) ?? null;
  const objection = signedQuoteObjection(order, observation, { now: clock.now(), maxSlippageBps });
  return objection === null ? null : no(objection.code, objection.detail);
}

/** Runs the pre-trade risk function again, on the present book and mandate and on the aged quotes. */
async function riskRefusal(
  { risk, disabledVenues, clock }: SigningDeps,
  proposal: SignableProposal,
  noted: DelegatedOrder,
): Promise<Refused | null> {
  const heard = new Map(noted.heard.map((quote) => [instrumentKey(quote.venue, quote.instrument), quote]));
  const preTrade: PreTrade = createPreTrade({
    reads: risk,
    disabledVenues,
    clock,
    bus: { latest: (key) => heard.get(key) ?? null },
    orderBooks: { read: async () => refuse('unavailable', 'the signer asks no venue') },
  });
  const verdict = await preTrade.assess(noted.orgId, {
    agentId: noted.agentId,
    order: noted.order,
    readsReference: proposal.readsReference,
    epoch: proposal.epoch,
    flattens: proposal.decisionId === null,
  });
  if (verdict.ok) return null;
  const { rejections } = verdict.risk;
  return { ...no('blocked_by_risk', `risk refuses it: ${rejections.map(({ code }) => code).join(', ')}`), rejections };
}
