/**
 * Prepares checkouts, takes their signed payments, and imports licensed rules. Builds, simulates and stores the payment before it is
 * offered for signing.
 */
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';
import { canonicalHash } from '../../src/domain/values/canonical-json.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import {
  type Payment,
  paymentErrorWords,
  paymentInstructions,
  paymentObjection,
  toPayment,
} from '../../src/domain/marketplace/checkout.ts';
import { NO_LISTING } from '../../src/domain/marketplace/listing.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { fromBase64, type VerifySignature, verifySigned } from '../../src/domain/solana/verify.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { AgentCommands } from '../agent/commands.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { AgentView } from '../agent/resource.ts';
import { type LaunchChain, unlessSilent } from '../prepared-transaction/chain-client.ts';
import type { Listing } from '../listing/resource.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { type BuiltTransaction, builtTransaction, startUserTransaction } from '../prepared-transaction/built.ts';
import { transactionContext } from '../prepared-transaction/effects.ts';
import { type CapacityObstacle, capacityAnswer } from '../prepared-transaction/open-capacity.ts';
import { loadActor, type LoadActors } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { checkoutContext, checkoutRow, checkoutState } from './effects.ts';
import type { CheckoutContext, CheckoutInput } from './machine.ts';
import { type CheckoutView, type Licence, marketplaceImport } from './resource.ts';

/** Message for a checkout that does not exist. */
export const NO_CHECKOUT = 'there is no checkout with this id';

/** Store ports of the command handler. */
interface CheckoutDirectory {
  listing(orgId: string, id: string): Promise<Listing | null>;
  /** Returns the rules if the organization may read them, or null. */
  rules(orgId: string, id: string): Promise<Manifest | null>;
  licence(orgId: string, listingId: string): Promise<Licence | null>;
  /** Returns the id of another checkout of a listing that is open or whose late payment is looked for, or null. */
  openCheckout(orgId: string, listingId: string, thisId: string | null): Promise<string | null>;
  /** Returns why the database refused to start a checkout (another one is open, or the listing changed), or null for any other error. */
  startProblem(error: unknown): string | null;
}

interface CheckoutHandlerDeps {
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly load: LoadActors;
  readonly store: CheckoutDirectory;
  /** Null if no node of the primary chain is configured. Only free licences can then be issued. */
  readonly chain: Pick<LaunchChain, 'latestBlockhash' | 'simulate'> | null;
  readonly agents: Pick<AgentCommands, 'create'>;
  readonly verifySignature: VerifySignature;
  readonly epoch: (orgId: string) => Promise<number>;
  readonly exposureVersion: (orgId: string) => Promise<string>;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

/** A payment as stored and as given to the wallet. */
interface BuiltPayment extends Pick<BuiltTransaction, 'base64' | 'prepared'> {
  readonly payment: Payment;
}

const NO_NODE = 'a licence that costs something needs a node of the primary chain: set SPOTCHAIN_RPC_URL';

export function createCheckoutHandler(deps: CheckoutHandlerDeps) {
  const { store, clock } = deps;

  return {
    /** Prepares the payment of a licence. Issues the licence at once if the price is 0. */
    async begin(context: CommandContext, listingId: string, buyer: string | null): Promise<Outcome<CheckoutView>> {
      const listing = await offered(deps, context.orgId, listingId);
      if (!listing.ok) return listing;
      const isFree = Number(listing.value.priceUsd) === 0;
      if (!isFree && buyer === null) return refuse('malformed', '$.buyer: the wallet that pays is missing');
      if (buyer === listing.value.payoutWallet) return refuse('malformed', '$.buyer: the wallet that pays cannot be the payout wallet');
      const obstacle = (error: unknown) => {
        const problem = store.startProblem(error);
        return problem === null ? capacityAnswer(deps.obstacleOf(error)) : refuse('state_conflict', problem);
      };
      return placedOnVerdict(context.orgId, obstacle, async () => {
        const id = deps.newId();
        if (isFree) return begun(deps, context, id, listing.value, null);
        const made = await unlessSilent(deps.isSilence, built(deps, id, listing.value, buyer as string));
        return made.ok ? begun(deps, context, id, listing.value, made.value) : made;
      });
    },

    /** Submits the signed payment. Repeating the same bytes returns its present state. Other bytes are refused. */
    async settle(context: CommandContext, id: string, signed: string): Promise<Outcome<CheckoutView>> {
      const row = await loadActor(deps.load, 'checkout', context.orgId, id);
      if (row === null) return refuse('not_found', NO_CHECKOUT);
      const before = await answeredBefore(deps, row, signed);
      if (before !== null) return before;
      const checkout = checkoutContext(row.state);
      const found = await verified(deps, checkout, signed);
      if (!found.ok) return found;
      const isOver = checkoutState(row.state) === 'expired';
      const licence = await store.licence(context.orgId, checkout.listingId);
      if (licence !== null)
        return refuse(
          'state_conflict',
          `the organization holds licence ${licence.id} by another checkout: ${isOver ? 'if this payment has landed, only the creator can return it' : 'this payment is not sent'}`,
        );
      // Both payments could land. An expired checkout sends nothing.
      const other = isOver ? null : await store.openCheckout(context.orgId, checkout.listingId, id);
      if (other !== null) return refuse('state_conflict', `${underWay(other)}; this payment is not sent until then`);
      return submitted(deps, context, row, signed, found.value.signature);
    },

    /** Creates a draft agent from the listing's rules. Refuses with `licence_missing` without a licence. */
    async importListing(context: CommandContext, listingId: string): Promise<Outcome<AgentView>> {
      const listing = await store.listing(context.orgId, listingId);
      if (listing === null) return refuse('not_found', NO_LISTING);
      const licence = await store.licence(context.orgId, listingId);
      const rules = licence === null ? null : await store.rules(context.orgId, listingId);
      if (licence === null || rules === null)
        return refuse('licence_missing', `this needs a licence; buy one with POST /v1/marketplace/${listingId}/checkout`);
      // The database stores the rules under this hash. A manifest that differs would be another strategy.
      if (canonicalHash(rules) !== licence.manifestHash) throw new Error(`the rules of listing ${listingId} do not match its licence`);
      return deps.agents.create(context, rules, (agentId) => [
        {
          type: 'marketplace_import',
          ...marketplaceImport.record(context.orgId, {
            agentId,
            licenceId: licence.id,
            listingId,
            importedBy: context.subject,
            at: clock.now(),
          }),
        },
      ]);
    },
  };
}

/** Commands of checkouts. Each answers after its transaction has committed. Checkouts of another organization are `not_found`. */
export type CheckoutCommands = ReturnType<typeof createCheckoutHandler>;

/** Returns the listing if it can be bought now. */
async function offered(deps: CheckoutHandlerDeps, orgId: string, listingId: string): Promise<Outcome<Listing>> {
  const { store } = deps;
  const listing = await store.listing(orgId, listingId);
  if (listing === null) return refuse('not_found', NO_LISTING);
  if (listing.own) return refuse('state_conflict', 'the organization published this listing itself, and needs no licence for it');
  if (listing.state !== 'listed') return refuse('state_conflict', 'the listing is unlisted and can no longer be bought');
  const licence = await store.licence(orgId, listingId);
  if (licence !== null) return refuse('state_conflict', `the organization holds licence ${licence.id} already`);
  const open = await store.openCheckout(orgId, listingId, null);
  return open === null ? { ok: true, value: listing } : refuse('state_conflict', underWay(open));
}

/** Builds and simulates the payment. @throws if the node does not answer. */
async function built(deps: CheckoutHandlerDeps, id: string, listing: Listing, buyer: string): Promise<Outcome<BuiltPayment>> {
  if (deps.chain === null) return refuse('feature_disabled', NO_NODE);
  const payment = toPayment(id, listing.priceUsd, buyer, listing.payoutWallet);
  const at = await deps.chain.latestBlockhash('confirmed');
  const made = builtTransaction(buyer, paymentInstructions(payment), at);
  const { error, changes } = await deps.chain.simulate(made.bytes);
  if (error !== null) return refuse('payment_refused', `the chain would refuse the payment: ${paymentErrorWords(error)}`);
  const objection = paymentObjection(changes, payment);
  if (objection !== null) return refuse('payment_refused', `the payment would have the wrong effect: ${objection}`);
  return { ok: true, value: { payment, base64: made.base64, prepared: made.prepared } };
}

/** Stores the payment and begins the checkout. If the checkout does not begin, the payment expires unseen. */
async function begun(
  deps: CheckoutHandlerDeps,
  context: CommandContext,
  id: string,
  listing: Listing,
  made: BuiltPayment | null,
): Promise<Outcome<CheckoutView>> {
  const { runtime, clock } = deps;
  const { orgId, subject } = context;
  const cause = `${subject} ${context.requestId}`;
  const createdAt = clock.now();
  const transactionId = made === null ? null : deps.newId();
  if (made !== null && transactionId !== null) {
    const { payment } = made;
    const promised = { checkoutId: id, listingId: listing.id, payment };
    const epoch = await deps.epoch(orgId);
    const transaction = { purpose: 'checkout', subject: promised, wallet: payment.buyer, built: made, epoch, createdAt } as const;
    await startUserTransaction(deps, context, transactionId, transaction);
  }
  const { manifestHash, priceUsd } = listing;
  const input: CheckoutInput = {
    listingId: listing.id,
    manifestHash,
    priceUsd,
    payment: made?.payment ?? null,
    transactionId,
    licenceId: deps.newId(),
    requestedBy: subject,
    createdAt,
  };
  const answer = (state: Parameters<typeof checkoutView>[1]): CheckoutView => checkoutView(id, state, createdAt, made);
  const plan = await runtime.start('checkout', id, orgId, input, {
    cause,
    also: (begins) => [auditRow(context, 'checkout.begin', id, null, begins.state), ...answerRows(context, answer(begins.state))],
  });
  return { ok: true, value: answer(plan.state) };
}

async function shown(deps: CheckoutHandlerDeps, row: ActorRow): Promise<CheckoutView> {
  const { clock } = deps;
  const { transactionId, payment } = checkoutContext(row.state);
  const transaction = transactionId === null ? undefined : (await deps.load([transactionId])).get(transactionId);
  if (payment === null || transaction === undefined) return checkoutView(row.id, row.state, clock.now(), null);
  const { prepared, unsignedBase64 } = transactionContext(transaction.state);
  return checkoutView(row.id, row.state, clock.now(), { prepared, base64: unsignedBase64 });
}

/** Early answer if these bytes were already submitted or nothing is due; null if they should be processed. */
async function answeredBefore(deps: CheckoutHandlerDeps, row: ActorRow, signed: string): Promise<Outcome<CheckoutView> | null> {
  const { signed: known, payment } = checkoutContext(row.state);
  const state = checkoutState(row.state);
  if (payment === null) return refuse('state_conflict', 'the licence costs nothing: there is no payment to settle');
  // Reads an expired checkout's bytes again, because they may be on the chain by now.
  if (known === signed && state !== 'expired') return { ok: true, value: await shown(deps, row) };
  if (known !== null && known !== signed)
    return refuse('state_conflict', 'another signed transaction was already submitted: it cannot be signed twice');
  return null;
}

async function verified(
  deps: CheckoutHandlerDeps,
  context: CheckoutContext,
  signed: string,
): Promise<Outcome<{ readonly signature: string }>> {
  const bytes = fromBase64(signed);
  if (bytes === null) return refuse('malformed_transaction', 'the signed transaction is not base64 in its canonical encoding');
  const row = (await deps.load([context.transactionId as string])).get(context.transactionId as string) as ActorRow;
  return verifySigned(transactionContext(row.state).prepared, bytes, deps.verifySignature);
}

async function submitted(
  deps: CheckoutHandlerDeps,
  context: CommandContext,
  row: ActorRow,
  signed: string,
  signature: string,
): Promise<Outcome<CheckoutView>> {
  const { runtime, clock } = deps;
  const before = await shown(deps, row);
  const { subject } = context;
  try {
    const event = { type: 'submit', signed, signature, subject };
    const outcome = await runtime.deliver(row.id, event, {
      cause: `${subject} ${context.requestId}`,
      orgId: context.orgId,
      also: (was, plan) => [
        auditRow(context, 'checkout.settle', row.id, was.state, plan.state),
        ...answerRows(context, moved(before, row.id, plan.state, clock.now())),
      ],
    });
    if (outcome.ok) return { ok: true, value: moved(before, row.id, outcome.value.plan.state, clock.now()) };
    const now = await loadActor(deps.load, 'checkout', context.orgId, row.id);
    return (now === null ? null : await answeredBefore(deps, now, signed)) ?? outcome;
  } catch (error) {
    if (error instanceof PermitLost) return refuse('halted', 'an emergency halt came after this was prepared: start a new checkout');
    return answeredMeanwhile(error);
  }
}

/** Returns the message for a listing whose checkout is already open. */
function underWay(id: string): string {
  return `checkout ${id} of this listing is under way: settle it, or wait about two minutes until it has expired`;
}

function checkoutView(
  id: string,
  state: Parameters<typeof checkoutRow>[1],
  changedAt: number,
  made: Pick<BuiltPayment, 'base64' | 'prepared'> | null,
): CheckoutView {
  return {
    ...checkoutRow(id, state, changedAt),
    transaction: made?.base64 ?? null,
    lastValidBlockHeight: made?.prepared.lastValidBlockHeight ?? null,
    licenceId: checkoutState(state) === 'licensed' ? checkoutContext(state).licenceId : null,
  };
}

/** Returns a checkout after a step. Its payment does not change. */
function moved(before: CheckoutView, id: string, state: Parameters<typeof checkoutView>[1], changedAt: number): CheckoutView {
  const { transaction, lastValidBlockHeight } = before;
  return { ...checkoutView(id, state, changedAt, null), transaction, lastValidBlockHeight };
}
