/**
 * Claims of the fees that wait for a launch's creator. Each claim is a prepared transaction of its own: built and simulated
 * here, signed by the creator, and followed to its finality as every other.
 */
import type { ActorRow } from '../../src/domain/actor-step.ts';
import { launchErrorWords } from '../../src/domain/launch/launch-state.ts';
import { claimInstructions } from '../../src/domain/launch/launch-transactions.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { compileMessage, wireTransaction } from '../../src/domain/solana/compile-message.ts';
import { readMessage } from '../../src/domain/solana/message.ts';
import { preparedMessageOf } from '../../src/domain/solana/verify.ts';
import type { Clock } from '../../streams/clock.ts';
import { answerRows, auditRow } from '../agent/command-rows.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { unlessSilent } from '../prepared-transaction/chain-client.ts';
import { type PreparedTransactionView, transactionView } from '../prepared-transaction/commands.ts';
import { type CapacityObstacle, capacityAnswer, capacityRow } from '../prepared-transaction/open-capacity.ts';
import type { PreparedTransactionInput } from '../prepared-transaction/protocol.ts';
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

type Claim = Pick<PreparedTransactionInput, 'prepared' | 'unsignedBase64' | 'subject' | 'wallet'>;

export function createClaimHandler(deps: ClaimHandlerDeps): Pick<LaunchClaims, 'prepare'> {
  const { clock, runtime } = deps;

  return {
    prepare: (context, launchId) =>
      placedOnVerdict(
        context.orgId,
        (error) => capacityAnswer(deps.obstacleOf(error)),
        async (): Promise<Outcome<PreparedTransactionView>> => {
          const { orgId, subject, requestId } = context;
          const row = (await deps.load([launchId])).get(launchId);
          if (row === undefined || row.orgId !== orgId || row.kind !== 'launch') return refuse('not_found', NO_LAUNCH);
          const claim = await unlessSilent(deps.isSilence, built(deps, launchId, launchContext(row.state)));
          if (!claim.ok) return claim;
          const id = deps.newId();
          const ground = await deps.ground(orgId);
          const createdAt = clock.now();
          const input: PreparedTransactionInput = {
            ...claim.value,
            purpose: 'launch_claim',
            lookups: [],
            reservation: null,
            executor: 'user',
            preparedBy: subject,
            epoch: await deps.epoch(orgId),
            createdAt,
          };
          const plan = await runtime.start('prepared_transaction', id, orgId, input as never, {
            cause: `${subject} ${requestId}`,
            also: (begins) => [
              capacityRow(orgId, '', ground),
              auditRow(context, 'launch.claim', launchId, null, begins.state),
              ...answerRows(context, transactionView(id, begins.state, createdAt)),
            ],
          });
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
  const message = compileMessage(creator, at.blockhash, instructions);
  const read = readMessage(message);
  if (!read.ok) throw new Error(`a claim was compiled into no message: ${read.refusal.detail}`);
  const bytes = wireTransaction(message, [null]);
  const { error } = await chain.simulate(bytes);
  if (error !== null) return refuse('launch_refused', `the chain would refuse the claim: ${launchErrorWords(error)}`);
  const transaction = { ...read.value, message, signatures: [new Uint8Array(64)] };
  return {
    ok: true,
    value: {
      prepared: preparedMessageOf(transaction, at.lastValidBlockHeight),
      unsignedBase64: Buffer.from(bytes).toString('base64'),
      // What waits now; what comes in until it lands is claimed too.
      subject: { launchId: id, mint, quoteMint, quoteAmount: quote, baseAmount: base },
      wallet: creator,
    },
  };
}
