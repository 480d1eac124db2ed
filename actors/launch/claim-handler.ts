/**
 * Claims of a launch's creator and partner: fees, surplus, migration fee and unlocked tokens. Each claim is a prepared transaction. It is
 * built and simulated here, signed by the payee, and followed until it is final.
 */
import { lockerOwner, type PoolKeys, readPoolConfig, readVirtualPool } from '../../src/domain/launch/curve/program.ts';
import { launchErrorWords } from '../../src/domain/launch/launch-state.ts';
import { claimInstructions, type ClaimKind } from '../../src/domain/launch/launch-transactions.ts';
import { type LaunchAccounts, waitingFor } from '../../src/domain/launch/waiting-claims.ts';
import { readEscrow, type Claimer } from '../../src/domain/launch/withdrawals.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { builtTransaction, startUserTransaction, type UserTransaction } from '../prepared-transaction/built.ts';
import { unlessSilent, type LaunchChain } from '../prepared-transaction/chain-client.ts';
import { transactionView } from '../prepared-transaction/effects.ts';
import type { PreparedTransactionView } from '../prepared-transaction/resource.ts';
import { type CapacityObstacle, capacityAnswer } from '../prepared-transaction/open-capacity.ts';
import { loadActor, type LoadActors } from '../runtime/actor-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { NO_LAUNCH } from './commands.ts';
import { launchContext } from './effects.ts';
import type { LaunchContext } from './machine.ts';

/** A claim of a launch's proceeds, and its payee. */
export interface ClaimWish {
  readonly kind: ClaimKind;
  readonly as: Claimer;
}

/** Claims of a launch's creator and partner. */
export interface LaunchClaims {
  /** Builds, simulates and stores the claim of the whole claimable amount of its kind. */
  prepare(context: CommandContext, launchId: string, wish: ClaimWish): Promise<Outcome<PreparedTransactionView>>;
  /** Submits the signed bytes of a claim. Repeating the same bytes returns its present state. */
  submit(context: CommandContext, claimId: string, signed: string): Promise<Outcome<PreparedTransactionView>>;
  /** Returns null if the organization has no such claim. */
  find(orgId: string, claimId: string): Promise<PreparedTransactionView | null>;
}

interface ClaimHandlerDeps {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly load: LoadActors;
  readonly chain: LaunchChain;
  readonly epoch: (orgId: string) => Promise<number>;
  readonly exposureVersion: (orgId: string) => Promise<string>;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

type Claim = Pick<UserTransaction, 'subject' | 'wallet' | 'built'>;

export function createClaimHandler(deps: ClaimHandlerDeps): Pick<LaunchClaims, 'prepare'> {
  const { clock } = deps;

  return {
    prepare: (context, launchId, wish) =>
      placedOnVerdict(
        context.orgId,
        (error) => capacityAnswer(deps.obstacleOf(error)),
        async (): Promise<Outcome<PreparedTransactionView>> => {
          const { orgId } = context;
          const row = await loadActor(deps.load, 'launch', orgId, launchId);
          if (row === null) return refuse('not_found', NO_LAUNCH);
          const claim = await unlessSilent(deps.isSilence, built(deps, launchId, launchContext(row.state), wish));
          if (!claim.ok) return claim;
          const id = deps.newId();
          const createdAt = clock.now();
          const transaction = { ...claim.value, purpose: 'launch_claim', epoch: await deps.epoch(orgId), createdAt } as const;
          const plan = await startUserTransaction(deps, context, id, transaction, ({ state }) => [
            auditRow(context, 'launch.claim', launchId, null, state),
            ...answerRows(context, transactionView(id, state, createdAt)),
          ]);
          return { ok: true, value: transactionView(id, plan.state, createdAt) };
        },
      ),
  };
}

/** Reads the accounts that hold the claimable amounts. Null before the pool is on the chain. */
async function readAccounts(chain: LaunchChain, launch: LaunchContext): Promise<LaunchAccounts | null> {
  const keys = toPoolKeys(launch);
  const { accounts } = await chain.accounts([launch.pool, launch.config, lockerOwner(keys)]);
  const [pool, config, escrow] = accounts;
  const found = pool == null ? null : readVirtualPool(pool.data);
  const terms = config == null ? null : readPoolConfig(config.data);
  if (found === null || terms === null) return null;
  return { pool: found, config: terms, escrow: escrow == null ? null : readEscrow(escrow.data) };
}

const toPoolKeys = ({ config, mint, quoteMint, quoteProgram }: LaunchContext): PoolKeys => ({
  config,
  baseMint: mint,
  quoteMint,
  quoteProgram,
});

/** Builds and simulates the claim of the whole claimable amount of its kind. */
async function built(
  { chain, clock }: Pick<ClaimHandlerDeps, 'chain' | 'clock'>,
  id: string,
  launch: LaunchContext,
  { kind, as }: ClaimWish,
): Promise<Outcome<Claim>> {
  const accounts = await readAccounts(chain, launch);
  if (accounts === null) return refuse('state_conflict', 'the launch has no pool on the chain yet');
  const waiting = waitingFor(accounts, kind, as, BigInt(Math.floor(clock.now() / 1_000)));
  if (!waiting.ok) return waiting;
  const { creator, partner, mint, quoteMint } = launch;
  const claimer = as === 'creator' ? creator : partner;
  const at = await chain.latestBlockhash('confirmed');
  const made = builtTransaction(claimer, claimInstructions(toPoolKeys(launch), { kind, as, claimer }), at);
  const { error } = await chain.simulate(made.bytes);
  if (error !== null) return refuse('launch_refused', `the chain would refuse the claim: ${launchErrorWords(error)}`);
  const { quote, base } = waiting.value;
  return {
    ok: true,
    value: {
      built: made,
      // Claims the present amount. Fees that arrive before the claim lands are claimed too.
      subject: { launchId: id, kind, as, mint, quoteMint, quoteAmount: quote.toString(), baseAmount: base.toString() },
      wallet: claimer,
    },
  };
}
