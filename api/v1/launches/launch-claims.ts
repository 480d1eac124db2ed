/** Claims of the fees of a launch by its creator or its partner. */
import { type Static, Type } from 'typebox';
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { PreparedTransactionView } from '../../../actors/prepared-transaction/resource.ts';
import { CLAIM_KINDS, type ClaimKind } from '../../../src/domain/launch/launch-transactions.ts';
import { CLAIMERS, type Claimer } from '../../../src/domain/launch/withdrawals.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, isUuid } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, IdText, nullable, objectSchema, Time } from '../../shapes.ts';
import { SignedTransaction, TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { LaunchPath } from './launch-body.ts';

const NO_CLAIM = 'there is no claim with this id for this launch';

const ClaimPath = objectSchema({ id: IdText, claimId: IdText });

const ClaimWishBody = Type.Object(
  {
    kind: Type.Optional(
      choice(
        CLAIM_KINDS,
        'Default `fees`. `surplus`: what came in above the threshold. `migration_fee`: the part of it. `unlocked`: what the locker has unlocked, which is the creator’s alone.',
      ),
    ),
    as: Type.Optional(choice(CLAIMERS, 'Party whose wallet signs the claim and receives the fees. Default: `creator`.')),
  },
  { additionalProperties: false },
);

const ClaimBody = Type.Object(
  {
    id: IdText,
    launchId: IdText,
    state: choice(PREPARED_TRANSACTION_STATES),
    reason: nullable('string'),
    detail: nullable('string'),
    kind: choice(CLAIM_KINDS),
    as: choice(CLAIMERS),
    wallet: Type.String({ description: 'Wallet that signs the claim and receives the fees.' }),
    mint: Type.String(),
    quoteMint: Type.String(),
    quoteAmount: Type.String({
      description: 'Fees waiting when it was prepared, in raw units of the quote. Fees since then are claimed too.',
    }),
    baseAmount: Type.String({ description: 'The same of the token itself.' }),
    transaction: Type.String({ description: 'The unsigned claim, base64.' }),
    lastValidBlockHeight: Type.Integer(),
    signature: nullable('string'),
    preparedBy: Type.String(),
    submittedBy: nullable('string'),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'LaunchClaim' },
);

function claimBody(claim: PreparedTransactionView): Static<typeof ClaimBody> {
  const { id, state, reason, detail, wallet, subject, message, unsigned, signature, preparedBy, submittedBy } = claim;
  const of = (name: string): string => String(subject[name]);
  return {
    id,
    launchId: of('launchId'),
    state,
    reason,
    detail,
    // Claims of older versions were always creator's fees.
    kind: (subject['kind'] ?? 'fees') as ClaimKind,
    as: (subject['as'] ?? 'creator') as Claimer,
    wallet,
    mint: of('mint'),
    quoteMint: of('quoteMint'),
    quoteAmount: of('quoteAmount'),
    baseAmount: of('baseAmount'),
    transaction: unsigned,
    lastValidBlockHeight: message.lastValidBlockHeight,
    signature,
    preparedBy,
    submittedBy,
    createdAt: isoTime(claim.createdAt),
    changedAt: isoTime(claim.changedAt),
  };
}

export const prepareLaunchClaim = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/claims',
  name: 'prepareLaunchClaim',
  tag: 'launches',
  summary: 'Prepares a claim of accrued fees for the creator or the partner',
  description:
    'Everything of one kind that has accrued is claimed; only the wallet of the creator or of the partner is paid, and it has to sign. The claim is simulated and stored before this answers.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: LaunchPath, body: ClaimWishBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 201: { description: 'The claim and its transaction.', schema: ClaimBody } },
  refusals: ['launch_refused', 'not_found', 'halted', 'state_conflict', 'feature_disabled', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
      const { kind = 'fees', as = 'creator' } = request.body ?? {};
      return carryOut(request, reply, {
        status: 201,
        answer: claimBody,
        run: (context) => ports.launches.claims.prepare(context, id, { kind, as }),
      });
    };
  },
});

export const submitLaunchClaim = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/claims/:claimId/submit',
  name: 'submitLaunchClaim',
  tag: 'launches',
  summary: 'Submits a signed claim of a launch',
  description:
    'The signed bytes are compared with the prepared ones, sent once and followed to finality. Submitting the same bytes again answers the present state.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: { params: ClaimPath, body: SignedTransaction },
  answers: { 202: { description: 'The claim, submitted.', schema: ClaimBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const { id, claimId } = request.params;
      const claim = isUuid(claimId) ? await ports.launches.claims.find(requireMember(request).orgId, claimId) : null;
      if (claim === null || claim.subject['launchId'] !== id) return sendProblem(reply, 'not_found', NO_CLAIM);
      return carryOut(request, reply, {
        status: 202,
        answer: claimBody,
        run: (context) => ports.launches.claims.submit(context, claimId, request.body.signedTransaction),
      });
    };
  },
});

export const getLaunchClaim = defineRoute({
  method: 'GET',
  url: '/v1/launches/:id/claims/:claimId',
  name: 'getLaunchClaim',
  tag: 'launches',
  summary: 'One claim of accrued fees of a launch',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ClaimPath },
  answers: { 200: { description: 'The claim.', schema: ClaimBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { id, claimId } = request.params;
    const claim = isUuid(claimId) ? await ports.launches.claims.find(requireMember(request).orgId, claimId) : null;
    return claim === null || claim.subject['launchId'] !== id ? sendProblem(reply, 'not_found', NO_CLAIM) : claimBody(claim);
  },
});
