/**
 * Checks requests to the spot exchange before they are signed with an organization's key. The request must have the worker's signature. An
 * order must be the part that its proposal or a person has under way, no larger and at no worse price. It must not be superseded by a halt,
 * a pause or a lowered autonomy. Its price must be near the newest quote signed by the feed. Purchases within a day stay within a limit
 * stored beside the key.
 */
import type { MarketOrderContext } from '../../actors/market-order/machine.ts';
import { orderOfPart, partKey, currentPart } from '../../actors/proposal/parts.ts';
import type { ProposalContext } from '../../actors/proposal/protocol.ts';
import { EXECUTES_BY_ITSELF } from '../domain/agents/agent.ts';
import { canonicalHash } from '../domain/values/canonical-json.ts';
import { Decimal, type DecimalString } from '../domain/values/decimal.ts';
import { type ExchangeAsk, type ExchangeRequest, exchangeQuery, exchangeRequestText } from '../domain/orders/exchange-request.ts';
import { supersededBy } from '../domain/orders/execution.ts';
import type { Manifest } from '../domain/manifest/manifest.ts';
import type { Order } from '../domain/orders/order.ts';
import { combineMandate } from '../domain/risk/mandate.ts';
import { signedQuoteObjection } from '../domain/orders/signed-quote.ts';
import type { EpochMs } from '../domain/values/time.ts';
import type { ExchangeSignature, ExchangeSigner, SignExchangeRequest } from '../adapters/identity/signer/protocol.ts';
import type { RiskReads } from '../adapters/store/risk/risk-reads.ts';
import type { ExchangeKeys } from '../adapters/signing-keys/exchange-keys.ts';
import type { SigningLedger } from '../adapters/signing-keys/signing-ledger.ts';
import type { SignableProposal, ExchangeSigningReads } from '../adapters/store/delegations/signing-reads.ts';

/**
 * Tolerated price move since the newest signed quote, in basis points on top of the mandate's slippage. That quote is at least half a
 * minute old, and an exit must be possible in a falling market.
 */
const MOVED_BPS = 100;

export interface ExchangeSigningDeps {
  readonly reads: Pick<ExchangeSigningReads, 'proposal' | 'newestCut' | 'placedOrder'>;
  readonly risk: Pick<RiskReads, 'preferences' | 'epoch'>;
  readonly keys: ExchangeKeys;
  /** Verifies the worker's base64 signature over a text. */
  readonly isSignedByWorker: (text: string, signature: string) => boolean;
  /** Returns the purchase record of an organization, stored beside its key. */
  readonly ledgerOf: (orgId: string) => SigningLedger;
  readonly clock: { now(): EpochMs };
}

type Refused = Extract<ExchangeSignature, { readonly outcome: 'refused' }>;
const no = (code: string, detail: string): Refused => ({ outcome: 'refused', code, detail });

/** Creates the signer of account requests. @param signature The worker's, over `exchangeRequestText`. */
export function createExchangeSigning(deps: ExchangeSigningDeps) {
  return async (request: ExchangeRequest, signature: string): Promise<ExchangeSignature> => {
    const { orgId, ask, timestamp } = request;
    if (!deps.isSignedByWorker(exchangeRequestText(request), signature))
      return no('signature_invalid', 'the request is not what the worker signed');
    const key = deps.keys.of(orgId);
    if (key === null) return no('exchange_key_missing', `organization ${orgId} has no key at the spot exchange`);
    const wrong = ask.kind === 'order' ? await orderRefusal(deps, orgId, ask) : null;
    if (wrong !== null) return wrong;
    if (ask.kind === 'order' && ask.order.side === 'buy') {
      const { order } = ask;
      const counted = { orderId: `${ask.key}@${timestamp}`, digest: canonicalHash(request), notionalUsd: order.notionalUsd };
      const above = deps.ledgerOf(orgId).count({ ...counted, at: deps.clock.now() });
      if (above !== null) return no('signing_limit_breach', above);
    }
    // The signature covers neither the method of a websocket request nor the socket.
    if (ask.kind === 'user_stream' && key.opensSessions)
      return no('stream_refused', 'a signature of an Ed25519 key for the stream would also open a session that orders without signatures');
    const query = exchangeQuery(request, key.apiKey);
    return { outcome: 'signed', apiKey: key.apiKey, query: `${query}&signature=${key.sign(query)}` };
  };
}

async function orderRefusal(
  deps: ExchangeSigningDeps,
  orgId: string,
  ask: Extract<ExchangeAsk, { readonly kind: 'order' }>,
): Promise<Refused | null> {
  const [id = ''] = ask.key.split(':');
  const placed = await deps.reads.placedOrder(orgId, id);
  if (placed === null) return no('not_found', 'the organization has no order with this id');
  if (placed.state !== 'executing') return no('state_conflict', `the order is ${placed.state}: nothing is signed for it`);
  const notThePart = partRefusal(placed.context, id, ask);
  if (notThePart !== null) return notThePart;
  if (placed.kind === 'market_order')
    return (await haltRefusal(deps, orgId, placed.context)) ?? (await quoteRefusal(deps, orgId, ask.order, null));
  const proposal = await deps.reads.proposal(orgId, placed.context.agentId, id);
  if (proposal === null) return no('not_found', 'the order belongs to no proposal of its agent or Take');
  return supersededRefusal(placed.context, proposal) ?? (await quoteRefusal(deps, orgId, ask.order, proposal.manifest));
}

/** Returns a signer whose requests have the worker's own signature. */
export function signedByWorker(deps: {
  readonly signer: ExchangeSigner;
  /** Returns a base64 Ed25519 signature over the UTF-8 text. */
  readonly signAsWorker: (text: string) => string;
}): SignExchangeRequest {
  return (request) => deps.signer.signRequest(request, deps.signAsWorker(exchangeRequestText(request)));
}

/** Refuses an order that is not the part under way, is larger or has a worse price. */
function partRefusal(
  context: Pick<ProposalContext, 'order' | 'execution' | 'part' | 'resting'>,
  id: string,
  { key, order, restAt }: Extract<ExchangeAsk, { readonly kind: 'order' }>,
): Refused | null {
  const placed = orderOfPart(context);
  const isSame =
    key === partKey(id, currentPart(context)) &&
    order.venue === 'spotexchange' &&
    placed.mode === 'live' &&
    (['id', 'venue', 'mode', 'bookId', 'instrument', 'side'] as const).every((field) => order[field] === placed[field]);
  if (!isSame) return no('state_conflict', 'the order is not the part that is under way');
  // An order that rests at the near side for a while never takes. A manual order rests at its own limit.
  if (restAt !== null && restAt.postOnly !== (context.resting?.postOnly ?? true))
    return no('state_conflict', 'the order rests in another way than it was placed with');
  const isWorse = (price: DecimalString): boolean =>
    order.side === 'buy' ? new Decimal(price).gt(placed.limitPrice) : new Decimal(price).lt(placed.limitPrice);
  if (new Decimal(order.quantity).gt(placed.quantity) || isWorse(order.limitPrice) || (restAt !== null && isWorse(restAt.price)))
    return no('state_conflict', 'the order is larger, or at a worse price, than the part that is under way');
  return null;
}

function supersededRefusal(context: ProposalContext, { facts }: SignableProposal): Refused | null {
  const superseded = supersededBy(
    {
      epoch: context.epoch,
      manifestHash: context.manifestHash,
      mode: 'live',
      reduceOnly: context.order.reduceOnly,
      byItself: EXECUTES_BY_ITSELF.has(context.autonomy),
      flattens: context.decisionId === null,
    },
    facts,
  );
  return superseded === null ? null : no(superseded, `the order has been superseded: ${superseded}`);
}

async function haltRefusal({ risk }: ExchangeSigningDeps, orgId: string, { epoch }: MarketOrderContext): Promise<Refused | null> {
  return (await risk.epoch(orgId)) === epoch ? null : no('halted', 'the order has been superseded: halted');
}

/** Refuses an order outside the mandate around the newest quote signed by the feed. */
async function quoteRefusal(
  { reads, risk, clock }: ExchangeSigningDeps,
  orgId: string,
  order: Order,
  manifest: Manifest | null,
): Promise<Refused | null> {
  const [newest, { preferences }] = await Promise.all([reads.newestCut(), risk.preferences(orgId)]);
  if (!newest.ok) return no('quote_unsigned', newest.why);
  const { maxSlippageBps } = combineMandate(manifest, preferences, null);
  const observation = newest.cut.observations.get(order.instrument) ?? null;
  const objection = signedQuoteObjection(order, observation, { now: clock.now(), maxSlippageBps: maxSlippageBps + MOVED_BPS });
  return objection === null ? null : no(objection.code, objection.detail);
}
