/**
 * Claims of the fees that wait for a launch's creator. Each claim is a prepared transaction of its own: built and simulated
 * here, signed by the creator, and followed to its finality as every other.
 */
import type { ActorRow } from '../../src/domain/actor-step.ts';
import { launchErrorWords } from '../../src/domain/launch/launch-state.ts';
import { claimInstructions } from '../../src/domain/launch/launch-transactions.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import type { Clock } from '../../streams/clock.ts';
import { answerRows, auditRow } from '../agent/command-rows.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { builtTransaction, startUserTransaction, type UserTransaction } from '../prepared-transaction/built.ts';
import { unlessSilent } from '../prepared-transaction/chain-client.ts';
import { type PreparedTransactionView, transactionView } from '../prepared-transaction/commands.ts';
import { type CapacityObstacle, capacityAnswer } from '../prepared-transaction/open-capacity.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { type LaunchClaims, NO_LAUNCH } from './commands.ts';
import { launchContext } from './effects.ts';
import { curveStanding } from './execution.ts';
import type { LaunchChain } from './launch-chain.ts';
import type { LaunchContext } from './protocol.ts';

export interface ClaimHandlerDeps {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly load: (ids: readonly string[]) => Promise<ReadonlyMap<string, ActorRow>>;
  readonly chain: LaunchChain;
  /** The organization's control epoch. */
  readonly epoch: (orgId: string) => Promise<number>;
  readonly ground: (orgId: string) => Promise<string>;
  readonly obstacleOf: (error: unknown) => CapacityObstacle;
  readonly isSilence: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}

type Claim = Pick<UserTransaction, 'subject' | 'wallet' | 'built'>;

export function createClaimHandler(deps: ClaimHandlerDeps): Pick<LaunchClaims, 'prepare'> {
  const { clock } = deps;

  return {
    prepare: (context, launchId) =>
      placedOnVerdict(
        context.orgId,
        (error) => capacityAnswer(deps.obstacleOf(error)),
        async (): Promise<Outcome<PreparedTransactionView>> => {
          const { orgId } = context;
          const row = (await deps.load([launchId])).get(launchId);
          if (row === undefined || row.orgId !== orgId || row.kind !== 'launch') return refuse('not_found', NO_LAUNCH);
          const claim = await unlessSilent(deps.isSilence, built(deps, launchId, launchContext(row.state)));
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

/** The claim of everything that waits, once the chain would carry it out. */
async function built(
  { chain, clock }: Pick<ClaimHandlerDeps, 'chain' | 'clock'>,
  id: string,
  launch: LaunchContext,
): Promise<Outcome<Claim>> {
  const standing = await curveStanding(chain, launch, clock.now());
  if (standing === null) return refuse('state_conflict', 'the launch has no pool on the chain yet');
  const [quote, base] = [standing.creatorQuoteFee, standing.creatorBaseFee];
  if (BigInt(quote) === 0n && BigInt(base) === 0n) return refuse('state_conflict', 'no fees wait for the creator');
  const { creator, config, mint, quoteMint, quoteProgram } = launch;
  const at = await chain.latestBlockhash('confirmed');
  const instructions = claimInstructions({ config, baseMint: mint, quoteMint, quoteProgram }, creator);
  const made = builtTransaction(creator, instructions, at);
  const { error } = await chain.simulate(made.bytes);
  if (error !== null) return refuse('launch_refused', `the chain would refuse the claim: ${launchErrorWords(error)}`);
  return {
    ok: true,
    value: {
      built: made,
      // What waits now; what comes in until it lands is claimed too.
      subject: { launchId: id, mint, quoteMint, quoteAmount: quote, baseAmount: base },
      wallet: creator,
    },
  };
}
