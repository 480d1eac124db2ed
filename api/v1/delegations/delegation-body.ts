/** A delegation on the wire. */
import { Type } from 'typebox';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { Delegation, TraderKind } from '../../../src/domain/identity/delegation.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { DecimalText, IdText, NullableTime, nullable, objectOf, Time } from '../../shapes.ts';
import { malformed } from '../../http/strict-json.ts';
import { walletAddress } from '../wallet-address.ts';

const Address = walletAddress('The address of the wallet on the primary chain, base58.');
const SignerWallet = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'The remote signer’s id of the same wallet.' });

/** Terms that the owner and the organization agree on. */
export const wishFields = {
  agentId: Type.Optional({ ...IdText, description: 'The agent that is to trade; either this or `takeId`.' }),
  takeId: Type.Optional({ ...IdText, description: 'The Take or basis policy that is to trade; either this or `agentId`.' }),
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
  readonly agentId?: string;
  readonly takeId?: string;
  readonly wallet: string;
  readonly signerWallet: string;
  readonly maxNotionalUsd: string;
  readonly expiresAt: string;
}

/** Returns the trader that receives the delegation. @throws InputError if both or neither are named. */
function traderOf({ agentId, takeId }: Pick<Wish, 'agentId' | 'takeId'>): { readonly trader: TraderKind; readonly agentId: string } {
  if (agentId !== undefined && takeId === undefined) return { trader: 'agent', agentId: agentId.toLowerCase() };
  if (takeId !== undefined && agentId === undefined) return { trader: 'take', agentId: takeId.toLowerCase() };
  throw malformed(
    '$',
    agentId === undefined ? 'it names neither an agent nor a Take' : 'it names an agent and a Take',
    'agentId or takeId',
  );
}

/** Reads the requested terms. @throws InputError if the maximum per transaction is zero, or not exactly one agent or Take is named. */
export function wishOf(body: Wish) {
  if (/^[0.]+$/.test(body.maxNotionalUsd)) throw malformed('$.maxNotionalUsd', 'it is zero', 'a number above zero');
  return {
    ...traderOf(body),
    wallet: body.wallet,
    signerWallet: body.signerWallet,
    maxNotionalUsd: plainDecimal(body.maxNotionalUsd),
    expiresAt: Date.parse(body.expiresAt),
  };
}

export const DelegationBody = Type.Object(
  {
    id: IdText,
    agentId: nullable('string', 'Null if it is of a Take.'),
    takeId: nullable('string', 'Null if it is of an agent.'),
    wallet: Address,
    signerWallet: SignerWallet,
    maxNotionalUsd: DecimalText,
    expiresAt: Time,
    issuedAt: Time,
    nonce: IdText,
    ownerSignature: Type.String({ description: "The owner's Ed25519 signature under the text, base64." }),
    grantedBy: Type.String(),
    grantedAt: Time,
    revokedAt: { ...NullableTime, description: 'Null while it was not revoked.' },
    revokedBy: nullable('string'),
  },
  { $id: 'Delegation', description: 'The newest delegation of an agent or a Take counts; an older one never holds again.' },
);

export function delegationBody(delegation: Delegation) {
  const { id, trader, agentId, wallet, signerWallet, maxNotionalUsd, nonce, ownerSignature, grantedBy, revokedAt, revokedBy } = delegation;
  return {
    id,
    agentId: trader === 'agent' ? agentId : null,
    takeId: trader === 'take' ? agentId : null,
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

/** Message for a delegation that does not exist or belongs to another organization. */
export const NO_DELEGATION = 'there is no delegation with this id';

export const DelegationPath = objectOf({ id: IdText });
