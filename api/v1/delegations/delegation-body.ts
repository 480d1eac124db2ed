/** A delegation on the wire. */
import { Type } from 'typebox';
import { type Delegation, delegation, revocation } from '../../../actors/delegation/resource.ts';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { TraderKind } from '../../../src/domain/identity/delegation.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { malformed } from '../../http/strict-json.ts';

/** Terms that the owner and the organization agree on. */
export const wishFields = {
  agentId: Type.Optional({ ...IdText, description: 'The agent that is to trade; either this or `takeId`.' }),
  takeId: Type.Optional({ ...IdText, description: 'The Take or basis policy that is to trade; either this or `agentId`.' }),
  wallet: delegation.wire.wallet,
  signerWallet: delegation.wire.signerWallet,
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
  { ...delegation.wire, ...revocation.wire },
  { $id: 'Delegation', description: 'The newest delegation of an agent or a Take counts; an older one never holds again.' },
);

export const delegationBody = (view: Delegation) => ({ ...delegation.body(view), ...revocation.body(view) });

/** Message for a delegation that does not exist or belongs to another organization. */
export const NO_DELEGATION = 'there is no delegation with this id';

export const DelegationPath = objectOf({ id: IdText });
