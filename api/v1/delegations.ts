/** Delegations: the owner of a wallet lets an agent or a Take trade from it. */
import { Type } from 'typebox';
import type { DelegationCommands } from '../../actors/delegation/commands.ts';
import { type Delegation, delegation, revocation } from '../../actors/delegation/resource.ts';
import type { DelegationStore } from '../../src/adapters/store/delegations/delegation-store.ts';
import type { TraderKind } from '../../src/domain/identity/delegation.ts';
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { malformed } from '../http/strict-json.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { TO_STOP } from '../permission.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { EmptyBody, IdText, objectSchema, pageFields, pageSchema, Time } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly delegations: {
      readonly reads: Pick<DelegationStore, 'list'>;
      readonly commands: DelegationCommands;
    };
  }
}

/** Terms that the owner and the organization agree on. */
const wishFields = {
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
function readTrader({ agentId, takeId }: Pick<Wish, 'agentId' | 'takeId'>): { readonly trader: TraderKind; readonly agentId: string } {
  if (agentId !== undefined && takeId === undefined) return { trader: 'agent', agentId: agentId.toLowerCase() };
  if (takeId !== undefined && agentId === undefined) return { trader: 'take', agentId: takeId.toLowerCase() };
  throw malformed(
    '$',
    agentId === undefined ? 'it names neither an agent nor a Take' : 'it names an agent and a Take',
    'agentId or takeId',
  );
}

/** Reads the requested terms. @throws InputError if the maximum per transaction is zero, or not exactly one agent or Take is named. */
function readWish(body: Wish) {
  if (/^[0.]+$/.test(body.maxNotionalUsd)) throw malformed('$.maxNotionalUsd', 'it is zero', 'a number above zero');
  return {
    ...readTrader(body),
    wallet: body.wallet,
    signerWallet: body.signerWallet,
    maxNotionalUsd: plainDecimal(body.maxNotionalUsd),
    expiresAt: Date.parse(body.expiresAt),
  };
}

const DelegationBody = Type.Object(
  { ...delegation.wire, ...revocation.wire },
  { $id: 'Delegation', description: 'The newest delegation of an agent or a Take counts; an older one never holds again.' },
);

const delegationBody = (view: Delegation) => ({ ...delegation.body(view), ...revocation.body(view) });

/** Message for a delegation that does not exist or belongs to another organization. */
const NO_DELEGATION = 'there is no delegation with this id';

const DelegationPath = objectSchema({ id: IdText });

const ChallengeBody = Type.Object(
  {
    text: Type.String({ description: 'To be signed as it is, as UTF-8, by the wallet (Ed25519).' }),
    issuedAt: Time,
    nonce: IdText,
  },
  { $id: 'DelegationChallenge' },
);

const challengeDelegation = defineRoute({
  method: 'POST',
  url: '/v1/delegations/challenge',
  name: 'challengeDelegation',
  tag: 'delegations',
  summary: 'Text that the owner signs to delegate a wallet',
  description:
    'Nothing is kept. Send the same fields with `issuedAt`, `nonce` and the signature to `POST /v1/delegations` within ten minutes.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: objectSchema(wishFields) },
  answers: { 200: { description: 'The text.', schema: ChallengeBody } },
  refusals: ['not_found'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = readWish(request.body);
      return carryOut(request, reply, {
        status: 200,
        answer: ({ text, terms }) => ({ text, issuedAt: isoTime(terms.issuedAt), nonce: terms.nonce }),
        run: (context) => ports.delegations.commands.challenge(context, wish),
      });
    };
  },
});

const grantDelegation = defineRoute({
  method: 'POST',
  url: '/v1/delegations',
  name: 'grantDelegation',
  tag: 'delegations',
  summary: 'Delegates a wallet to an agent or a Take',
  description:
    "Requires both the caller's permission and the owner's signature of the text from `POST /v1/delegations/challenge`. Replaces an earlier delegation to the same agent or Take. The service can sign only after the owner has added it as a session signer at the remote signer and the operator has enabled delegated signing.",
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      ...wishFields,
      issuedAt: Type.String({ format: 'date-time', description: 'As the challenge said.' }),
      nonce: IdText,
      signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$', description: '64 bytes, base64.' }),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The delegation.', schema: DelegationBody } },
  refusals: ['not_found', 'state_conflict', 'signature_invalid', 'challenge_expired'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { issuedAt, nonce, signature } = request.body;
      const terms = { ...readWish(request.body), issuedAt: Date.parse(issuedAt), nonce: nonce.toLowerCase() };
      return carryOut(request, reply, {
        status: 201,
        answer: delegationBody,
        run: (context) => ports.delegations.commands.grant(context, terms, signature),
      });
    };
  },
});

const listDelegations = defineRoute({
  method: 'GET',
  url: '/v1/delegations',
  name: 'listDelegations',
  tag: 'delegations',
  summary: 'Delegations of wallets to agents and Takes, newest first',
  description: 'The newest delegation of an agent or a Take counts, unless it was revoked or has expired.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ ...pageFields, agentId: Type.Optional(IdText), takeId: Type.Optional(IdText) }) },
  answers: { 200: { description: 'A page of delegations.', schema: pageSchema(DelegationBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'delegations', POSITIONS.number);
    const { agentId, takeId } = request.query;
    if (agentId !== undefined && takeId !== undefined) throw malformed('$.takeId', 'it requires agentId', 'agentId, takeId, or neither');
    const trader = agentId ?? takeId ?? null;
    return pageBody(await ports.delegations.reads.list(requireMember(request).orgId, trader, page), 'delegations', delegationBody);
  },
});

const revokeDelegation = defineRoute({
  method: 'POST',
  url: '/v1/delegations/:id/revoke',
  name: 'revokeDelegation',
  tag: 'delegations',
  summary: 'Revokes a delegation',
  description: 'After the answer nothing is signed under the delegation. Transactions that were broadcast before may still land.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: DelegationPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The delegation, revoked.', schema: DelegationBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_DELEGATION);
      return carryOut(request, reply, {
        status: 200,
        answer: delegationBody,
        run: (context) => ports.delegations.commands.revoke(context, id),
      });
    };
  },
});

export const delegationRoutes: RouteGroup = {
  tag: {
    name: 'delegations',
    position: 180,
    description:
      'Permission for an agent or a Take to trade from a wallet without a signature per trade. Request the text, have the owner sign it, and send it back with the same fields. A delegation has a limit per transaction and an expiry. Revoking it takes effect at once.',
  },
  routes: [challengeDelegation, grantDelegation, listDelegations, revokeDelegation],
};
