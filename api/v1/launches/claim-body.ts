/** A claim of a launch's creator or partner on the wire. */
import { type Static, Type } from 'typebox';
import type { PreparedTransactionView } from '../../../actors/prepared-transaction/resource.ts';
import { CLAIM_KINDS, type ClaimKind } from '../../../src/domain/launch/launch-transactions.ts';
import { CLAIMERS, type Claimer } from '../../../src/domain/launch/withdrawals.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { choice, IdText, nullable, objectOf, Time } from '../../shapes.ts';

export const NO_CLAIM = 'there is no claim with this id for this launch';

export const ClaimPath = objectOf({ id: IdText, claimId: IdText });

export const ClaimWishBody = Type.Object(
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

export const ClaimBody = Type.Object(
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

export function claimBody(claim: PreparedTransactionView): Static<typeof ClaimBody> {
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
