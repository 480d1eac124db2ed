/**
 * Handles quotes and submissions of bridge transfers. Asks every provider, and checks each transaction before it is offered for signing and
 * again before it is sent.
 */
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { ActorRow } from '../../src/domain/agents/actor-step.ts';
import { type BridgePreference, compareOffers, costUsd, type Declined } from '../../src/domain/bridge/comparison.ts';
import { evmDifferences } from '../../src/domain/bridge/evm-fields.ts';
import {
  BRIDGE_CHAINS,
  type BridgeProviderName,
  type BridgeWish,
  pairObjection,
  toBaseUnits,
  toUsd,
} from '../../src/domain/bridge/quote.ts';
import { sourceCallObjection } from '../../src/domain/bridge/source-call.ts';
import {
  type ChainHeads,
  MOST_BEHIND_MS,
  type PlannedOffer,
  type QuotedTransaction,
  type SourcePlan,
} from '../../src/domain/bridge/transfer.ts';
import { PermitLost } from '../../src/domain/orders/execution.ts';
import { base58, fromBase58, isAddress } from '../../src/domain/solana/base58.ts';
import { listSigners, readMessage, readTransaction } from '../../src/domain/solana/message.ts';
import { depositObjection } from '../../src/domain/solana/prediction-deposit.ts';
import { routeObjection } from '../../src/domain/solana/swap.ts';
import { fromBase64, toPreparedMessage, type VerifySignature, verifySigned } from '../../src/domain/solana/verify.ts';
import type { Spending } from '../../src/domain/take/live-capital.ts';
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { spendingRows } from '../manual-order/manual-order.ts';
import { type LoadActors, loadActor } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { transferContext, transferState, transferView } from './effects.ts';
import type { BridgeSubmission, BridgeTransferInput } from './machine.ts';
import type { BridgeQuoting } from './ports.ts';
import type { BridgeTransfer } from './resource.ts';

/** Message for a transfer that does not exist or belongs to another organization. */
export const NO_TRANSFER = 'there is no bridge transfer with this id';

interface BridgeQuoteWish {
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly amount: string;
  readonly sender: string;
  readonly recipient: string;
  readonly preference: BridgePreference;
  /** Provider to use, or null for any. */
  readonly provider: BridgeProviderName | null;
}

/** The signed transaction, or the hash of one that the wallet sent itself. */
type BridgeSubmitted = { readonly signedTransaction: string } | { readonly hash: string };

/** Commands of bridge transfers. Each answers after its transaction has committed. Transfers of another organization are `not_found`. */
export interface BridgeCommands {
  /** Asks every provider, takes the best offer and stores it with its unsigned transaction. Changes nothing on any chain. */
  quote(context: CommandContext, wish: BridgeQuoteWish): Promise<Outcome<BridgeTransfer>>;
  /** Submits the signed transaction or its hash. Repeating the same submission returns the transfer's present state. */
  submit(context: CommandContext, id: string, submitted: BridgeSubmitted): Promise<Outcome<BridgeTransfer>>;
}

/** Maximum open quotes per organization. */
const MOST_QUOTES = 50;

interface BridgeHandlerDeps {
  readonly runtime: Pick<Runtime, 'start' | 'deliver'>;
  readonly load: LoadActors;
  readonly outside: BridgeQuoting;
  readonly transfers: {
    /** Number of the organization's quotes that are neither submitted nor expired. */
    openQuotes(orgId: string): Promise<number>;
    epoch(orgId: string): Promise<number>;
  };
  /** True for the error of a submission whose source transaction already belongs to another transfer. */
  readonly isTaken: (error: unknown) => boolean;
  readonly verifySignature: VerifySignature;
  /** Checksums an EVM address (EIP-55). Refuses with `malformed` if it is not an address. */
  readonly evmAddress: (text: string) => Outcome<string>;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

export function createBridgeHandler(deps: BridgeHandlerDeps): BridgeCommands {
  return {
    quote: (context, wish) => quote(deps, context, wish),
    submit: (context, id, submitted) => submit(deps, context, id, submitted),
  };
}

function checkedWish(deps: BridgeHandlerDeps, wish: BridgeQuoteWish): Outcome<{ readonly wish: BridgeWish; readonly amountIn: string }> {
  const objection = pairObjection(wish.from, wish.to, wish.token);
  if (objection !== null) return refuse('malformed', objection);
  const amountIn = toBaseUnits(wish.amount);
  if (!amountIn.ok) return amountIn;
  const outward = wish.from === 'spotchain';
  const [onSolana, onEvm] = outward ? (['sender', 'recipient'] as const) : (['recipient', 'sender'] as const);
  if (!isAddress(wish[onSolana])) return refuse('malformed', `$.${onSolana}: an address of the primary chain is 32 bytes in base58`);
  const evm = deps.evmAddress(wish[onEvm]);
  if (!evm.ok) return refuse('malformed', `$.${onEvm}: ${evm.refusal.detail}`);
  const checked = {
    from: wish.from,
    to: wish.to,
    token: wish.token,
    amount: wish.amount,
    sender: wish.sender,
    recipient: wish.recipient,
    [onEvm]: evm.value,
  };
  return { ok: true, value: { wish: checked as BridgeWish, amountIn: amountIn.value } };
}

/** Asks every provider for an offer and checks its transaction. Names providers that decline. */
async function offersFor(deps: BridgeHandlerDeps, wish: BridgeWish, amountIn: string, only: BridgeProviderName | null) {
  const { outside } = deps;
  const asked = outside.providers.filter(({ name }) => only === null || name === only);
  const answers = await Promise.all(
    asked.map(async (provider) => {
      const offer = await provider.offer(wish, amountIn);
      if (!offer.ok) return { provider: provider.name, outcome: offer };
      return { provider: provider.name, outcome: await outside.unlessSilent(quoteSource(deps, wish, offer.value)) };
    }),
  );
  const offers: { readonly offer: PlannedOffer; readonly source: QuotedTransaction }[] = [];
  const declined: (Declined & { readonly outcome: Extract<Outcome<never>, { ok: false }> })[] = [];
  for (const { provider, outcome } of answers) {
    if (outcome.ok) offers.push(outcome.value);
    else declined.push({ provider, reason: outcome.refusal.detail, outcome });
  }
  return { offers, declined };
}

async function quoteSource(
  deps: BridgeHandlerDeps,
  wish: BridgeWish,
  offer: PlannedOffer,
): Promise<Outcome<{ readonly offer: PlannedOffer; readonly source: QuotedTransaction }>> {
  const source =
    offer.plan.kind === 'evm' ? await evmSource(deps, wish, offer, offer.plan) : await solanaSource(deps, wish, offer, offer.plan);
  return source.ok ? { ok: true, value: { offer, source: source.value } } : source;
}

/** Checks the source call by simulating it on the chain. If an approval comes first, only the balance can be checked. */
async function evmSource(
  deps: BridgeHandlerDeps,
  wish: BridgeWish,
  offer: PlannedOffer,
  { transaction, approval }: SourcePlan & { kind: 'evm' },
): Promise<Outcome<QuotedTransaction>> {
  const { outside } = deps;
  const held = await outside.evm.balance(wish.sender);
  if (held < BigInt(offer.amountIn))
    return refuse('route_refused', `the sender holds ${held} base units, and ${offer.amountIn} are to be sent`);
  const objection = approval === null ? await outside.evm.simulate(transaction) : null;
  if (objection !== null) return refuse('route_refused', `the chain would reject it: ${objection}`);
  return { ok: true, value: { ...transaction, approval } };
}

/** Builds the transaction on a fresh blockhash, decodes it and simulates it, like a swap. */
async function solanaSource(
  deps: BridgeHandlerDeps,
  wish: BridgeWish,
  offer: PlannedOffer,
  plan: SourcePlan & { kind: 'solana' },
): Promise<Outcome<QuotedTransaction>> {
  const { outside } = deps;
  const { blockhash, lastValidBlockHeight } = await outside.solana.latestBlockhash('confirmed');
  const bytes = plan.build(blockhash);
  const read = readTransaction(bytes);
  if (!read.ok) return refuse('route_refused', `the source transaction cannot be read: ${read.refusal.detail}`);
  const rules = { programs: new Set(plan.programs), makers: new Set(plan.signers), tables: new Map() };
  const objection = routeObjection(read.value, { wallet: wish.sender }, rules) ?? sourceCallObjection(read.value, plan.call);
  if (objection !== null) return refuse('route_refused', `the source transaction must not be signed: ${objection}`);
  if (listSigners(read.value)[0] !== wish.sender) return refuse('route_refused', 'the source transaction is not paid by the sender');
  const simulation = await outside.solana.simulate(bytes);
  if (simulation.error !== null)
    return refuse('route_refused', `the chain would reject it: ${simulation.error}; does the sender hold the amount and the fees?`);
  const promise = { wallet: wish.sender, mint: outside.mint, depositRaw: offer.amountIn, escrowAccount: plan.escrowAccount };
  const broken = depositObjection(simulation.changes, promise);
  if (broken !== null) return refuse('route_refused', `the source transaction differs from the request: ${broken}`);
  const unsignedBase64 = Buffer.from(bytes).toString('base64');
  return {
    ok: true,
    value: { kind: 'solana', unsignedBase64, prepared: toPreparedMessage(read.value, lastValidBlockHeight), ...promise, call: plan.call },
  };
}

async function quote(deps: BridgeHandlerDeps, context: CommandContext, asked: BridgeQuoteWish): Promise<Outcome<BridgeTransfer>> {
  const { runtime, outside, clock } = deps;
  const checked = checkedWish(deps, asked);
  if (!checked.ok) return checked;
  if ((await deps.transfers.openQuotes(context.orgId)) >= MOST_QUOTES)
    return refuse('too_many_prepared', `${MOST_QUOTES} quotes are open; unsigned quotes expire in a few minutes`);
  const { wish, amountIn } = checked.value;
  const { offers, declined } = await offersFor(deps, wish, amountIn, asked.provider);
  const made = compareOffers(
    offers.map(({ offer }) => offer),
    declined,
    asked.preference,
  );
  if (made === null) return combineRefusals(declined);
  const heads = await outside.unlessSilent(headsNow(outside, clock.now()));
  if (!heads.ok) return heads;
  const source = offers.find(({ offer }) => offer === made.chosen)?.source as QuotedTransaction;
  const input = { ...(await toInput(deps, context, wish, made.chosen, source, made.others, made.explanation)), heads: heads.value };
  const id = deps.newId();
  try {
    const plan = await runtime.start('bridge_transfer', id, context.orgId, input, {
      cause: `${context.subject} ${context.requestId}`,
      also: (begins) => [
        ...spendingRows(context.orgId, toSpending(id, input), input.createdAt),
        auditRow(context, 'bridge.quote', id, null, begins.state),
        ...answerRows(context, transferView(id, begins.state, input.createdAt)),
      ],
    });
    return { ok: true, value: transferView(id, plan.state, input.createdAt) };
  } catch (error) {
    return answeredMeanwhile(error);
  }
}

/** Returns the US dollars that a transfer binds in its wallet on the primary chain. It binds nothing on the other chain. */
function toSpending(id: string, { wish, amountIn }: Pick<BridgeTransferInput, 'wish' | 'amountIn'>): Spending {
  return { id, venue: 'spotchain', wallet: wish.sender, usd: wish.from === 'spotchain' ? toUsd(amountIn) : '0' };
}

async function toInput(
  deps: BridgeHandlerDeps,
  { orgId, subject }: CommandContext,
  wish: BridgeWish,
  { plan: _, ...offer }: PlannedOffer,
  source: QuotedTransaction,
  others: readonly PlannedOffer[],
  explanation: string,
): Promise<Omit<BridgeTransferInput, 'heads'>> {
  const { clock } = deps;
  const alternatives = others.map((other) => {
    const { provider, kind, minimumOut, fees, estimatedSeconds } = other;
    return { provider, kind, minimumOut, fees, estimatedSeconds, costUsd: plainDecimal(costUsd(other)) };
  });
  const epoch = await deps.transfers.epoch(orgId);
  return { ...offer, wish, source, explanation, alternatives, quotedBy: subject, epoch, createdAt: clock.now() };
}

/** Returns the early answer if something was submitted before, or null. */
function submittedBefore(deps: BridgeHandlerDeps, row: ActorRow, { hash }: Pick<BridgeSubmission, 'hash'>): Outcome<BridgeTransfer> | null {
  const { clock } = deps;
  const known = transferContext(row.state).hash;
  const state = transferState(row.state);
  if (known === hash) return { ok: true, value: transferView(row.id, row.state, clock.now()) };
  if (known !== null) return refuse('state_conflict', `another transaction was already submitted as ${known}: nothing is sent twice`);
  return state === 'quoted' ? null : refuse('state_conflict', `the quote is ${state}: ask for a new one`);
}

/** Compares a submission with its quote before anything is written. */
async function checkedSubmission(
  deps: BridgeHandlerDeps,
  source: QuotedTransaction,
  submitted: BridgeSubmitted,
  subject: string,
): Promise<Outcome<BridgeSubmission>> {
  const { outside, clock } = deps;
  const rest = { subject, at: clock.now() };
  if (source.kind === 'solana') {
    if ('hash' in submitted) {
      const signature = fromBase58(submitted.hash);
      const message = fromBase64(source.prepared.messageBase64) as Uint8Array;
      const objection = callObjection(source);
      if (objection !== null) return objection;
      if (signature?.length !== 64) return refuse('malformed', '$.hash: a transaction of the primary chain is 64 bytes in base58');
      // The first signature must be the sender's, over the quoted message. Otherwise it belongs to another transaction.
      if (!deps.verifySignature(signature, message, fromBase58(source.wallet) as Uint8Array))
        return refuse('signature_invalid', `${submitted.hash} is not a signature of ${source.wallet} over the quoted transaction`);
      return { ok: true, value: { ...rest, signed: null, hash: base58(signature), nonce: null } };
    }
    const bytes = fromBase64(submitted.signedTransaction);
    if (bytes === null) return refuse('malformed_transaction', 'the signed transaction is not base64 in its canonical encoding');
    const verified = verifySigned(source.prepared, bytes, deps.verifySignature);
    if (!verified.ok) return verified;
    const objection = callObjection(source);
    if (objection !== null) return objection;
    return { ok: true, value: { ...rest, signed: submitted.signedTransaction, hash: verified.value.signature, nonce: null } };
  }
  if ('hash' in submitted) {
    if (!/^0x[0-9a-f]{64}$/.test(submitted.hash))
      return refuse('malformed', '$.hash: a transaction of the EVM chain is 0x and 64 hexadecimal digits in lower case');
    return { ok: true, value: { ...rest, signed: null, hash: submitted.hash, nonce: null } };
  }
  const read = await outside.readSignedEvm(submitted.signedTransaction);
  if (!read.ok) return read;
  const differs = evmDifferences(source, read.value);
  if (differs.length > 0) return refuse('signed_bytes_differ', `the signed transaction is not the quoted one: ${differs.join('; ')}`);
  return { ok: true, value: { ...rest, signed: submitted.signedTransaction, hash: read.value.hash, nonce: read.value.nonce } };
}

async function submit(
  deps: BridgeHandlerDeps,
  context: CommandContext,
  id: string,
  submitted: BridgeSubmitted,
): Promise<Outcome<BridgeTransfer>> {
  const { runtime, clock } = deps;
  const row = await loadActor(deps.load, 'bridge_transfer', context.orgId, id);
  if (row === null) return refuse('not_found', NO_TRANSFER);
  const submission = await checkedSubmission(deps, transferContext(row.state).source, submitted, context.subject);
  if (!submission.ok) return submission;
  const before = submittedBefore(deps, row, submission.value);
  if (before !== null) return before;
  try {
    const outcome = await runtime.deliver(
      id,
      { type: 'submit', ...submission.value },
      {
        cause: `${context.subject} ${context.requestId}`,
        orgId: context.orgId,
        also: (was, plan) => [
          // A transaction that the owner sent itself has already left, and counts.
          ...(submission.value.signed === null
            ? []
            : spendingRows(context.orgId, toSpending(id, transferContext(was.state)), submission.value.at)),
          auditRow(context, 'bridge.submission', id, was.state, plan.state),
          ...answerRows(context, transferView(id, plan.state, clock.now())),
        ],
      },
    );
    if (outcome.ok) return { ok: true, value: transferView(id, outcome.value.plan.state, clock.now()) };
    // Another request was faster, so its transaction counts.
    const now = await loadActor(deps.load, 'bridge_transfer', context.orgId, id);
    return (now === null ? null : submittedBefore(deps, now, submission.value)) ?? outcome;
  } catch (error) {
    if (deps.isTaken(error))
      return refuse('state_conflict', `the transaction ${submission.value.hash} belongs to another transfer already`);
    if (error instanceof PermitLost)
      return refuse('halted', 'an emergency halt came after this was quoted: it is no longer sent; ask for a new quote');
    return answeredMeanwhile(error);
  }
}

/**
 * Returns the heads of both chains before a wallet can have signed. Refuses if a node lags, because it would take old payments for new
 * ones.
 */
async function headsNow(outside: Pick<BridgeQuoting, 'heads'>, now: number): Promise<Outcome<ChainHeads>> {
  const heads = await outside.heads();
  for (const chain of BRIDGE_CHAINS) {
    const { at } = heads[chain];
    if (at !== null && now - at > MOST_BEHIND_MS)
      return refuse('unavailable', `the node of ${chain} is behind: its newest block is of ${isoTime(at)}`);
  }
  return { ok: true, value: heads };
}

/** Checks the stored message once more before it moves money: it must be the quoted call, field by field. */
function callObjection({ prepared, call }: QuotedTransaction & { readonly kind: 'solana' }): Outcome<never> | null {
  const read = readMessage(fromBase64(prepared.messageBase64) ?? new Uint8Array());
  if (!read.ok) return read;
  const words = sourceCallObjection(read.value, call);
  return words === null ? null : refuse('signed_bytes_differ', `the signed transaction is not the requested one: ${words}`);
}

/** Combines the refusals of all providers. A refusal outranks a provider's silence. */
function combineRefusals(
  declined: readonly { readonly provider: string; readonly outcome: Extract<Outcome<never>, { ok: false }> }[],
): Outcome<never> {
  const words = declined.map(({ provider, outcome }) => `${provider}: ${outcome.refusal.detail}`).join('; ');
  if (declined.length === 0) return refuse('unavailable', 'no bridge provider is set up');
  const isSilence = declined.every(({ outcome }) => outcome.refusal.code === 'unavailable');
  return refuse(isSilence ? 'unavailable' : 'route_refused', `no provider offers this transfer: ${words}`);
}
