/** A delegation on the wire. */
import { Type } from 'typebox';
import { plainDecimal } from '../../../src/domain/decimal.ts';
import type { Delegation } from '../../../src/domain/delegation.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { DecimalText, IdText, nullable, objectOf, Time } from '../../shapes.ts';
import { malformed } from '../../strict-json.ts';
import { walletAddress } from '../wallet-address.ts';

const Address = walletAddress('The address of the wallet on the primary chain, base58.');
const SignerWallet = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'What the remote signer calls the same wallet.' });

/** What owner and organization agree on. */
export const wishFields = {
  agentId: IdText,
  wallet: Address,
  signerWallet: SignerWallet,
  maxNotionalUsd: Type.String({
    pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$',
    maxLength: 20,
    description: 'The most that one transaction may come to at its worst price.',
  }),
  expiresAt: Type.String({ format: 'date-time', description: 'At most 90 days ahead.' }),
};

interface Wish {
  readonly agentId: string;
  readonly wallet: string;
  readonly signerWallet: string;
  readonly maxNotionalUsd: string;
  readonly expiresAt: string;
}

/** @throws InputError where the most per transaction is zero. */
export function wishOf(body: Wish) {
  if (/^[0.]+$/.test(body.maxNotionalUsd)) throw malformed('$.maxNotionalUsd', 'it is zero', 'a number above zero');
  return {
    agentId: body.agentId.toLowerCase(),
    wallet: body.wallet,
    signerWallet: body.signerWallet,
    maxNotionalUsd: plainDecimal(body.maxNotionalUsd),
    expiresAt: Date.parse(body.expiresAt),
  };
}

export const DelegationBody = Type.Object(
  {
    id: IdText,
    agentId: IdText,
    wallet: Address,
    signerWallet: SignerWallet,
    maxNotionalUsd: DecimalText,
    expiresAt: Time,
    issuedAt: Time,
    nonce: IdText,
    ownerSignature: Type.String({ description: "The owner's Ed25519 signature under the text, base64." }),
    grantedBy: Type.String(),
    grantedAt: Time,
    revokedAt: nullable('string', 'Null while it was not revoked.'),
    revokedBy: nullable('string'),
  },
  { $id: 'Delegation', description: 'The newest delegation of an agent counts; an older one never holds again.' },
);

export function delegationBody(delegation: Delegation) {
  const { id, agentId, wallet, signerWallet, maxNotionalUsd, nonce, ownerSignature, grantedBy, revokedAt, revokedBy } = delegation;
  return {
    id,
    agentId,
    wallet,
    signerWallet,
    maxNotionalUsd,
    expiresAt: isoTime(delegation.expiresAt),
    issuedAt: isoTime(delegation.issuedAt),
    nonce,
    ownerSignature,
    grantedBy,
    grantedAt: isoTime(delegation.grantedAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
    revokedBy,
  };
}

/** The one sentence for missing and foreign delegations alike. */
export const NO_DELEGATION = 'there is no delegation with this id';

export const DelegationPath = objectOf({ id: IdText });
