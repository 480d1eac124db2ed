/** Wallets that their owners have proved to the organization, and wallets of the sandbox. */
import { type Static, Type } from 'typebox';
import { type LinkedWalletCommands, NO_WALLET } from '../../actors/linked-wallet/commands.ts';
import { type LinkedWallet, linkedWallet } from '../../actors/linked-wallet/resource.ts';
import type { LinkedWalletStore } from '../../src/adapters/store/callers/linked-wallet-store.ts';
import {
  chainOfAddress,
  LONGEST_LABEL,
  WALLET_CHALLENGE_MS,
  type WalletChain,
  type WalletTypedData,
} from '../../src/domain/identity/linked-wallet.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { SHOWN_PATTERN } from '../../src/domain/values/shown-text.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem } from '../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../route.ts';
import { AnyJson, choice, EmptyBody, IdText, nullable, objectSchema, pageFields, pageSchema, shownText, Time } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    /** Wallets whose owners have proved them to the organization, newest first. */
    readonly linkedWallets: {
      readonly reads: Pick<LinkedWalletStore, 'list' | 'named'>;
      readonly commands: LinkedWalletCommands;
    };
    readonly sandboxWallets: SandboxWalletPort;
  }
}

export const AddressText = Type.String({
  minLength: 32,
  maxLength: 44,
  description: 'Address on the primary chain (base58) or on the EVM chain (0x and 40 hexadecimal digits).',
});

const WalletPath = objectSchema({ id: IdText });

const LinkedWalletBody = Type.Object(linkedWallet.wire, { $id: 'LinkedWallet' });

const linkedWalletBody = (wallet: LinkedWallet): Static<typeof LinkedWalletBody> => linkedWallet.body(wallet);

/**
 * Returns the address on a chain that a text means: itself if it is an address of either chain, else that of the chain's linked wallet with
 * this label or id. Refuses with `malformed` if there is no such wallet, or more than one.
 */
export async function addressNamed(
  { linkedWallets }: Pick<ApiPorts, 'linkedWallets'>,
  orgId: string,
  text: string,
  chain: WalletChain,
  path: string,
): Promise<Outcome<string>> {
  if (chainOfAddress(text) !== null || text.startsWith('0x')) return { ok: true, value: text };
  const called = JSON.stringify(text.slice(0, 64));
  const linked = (await linkedWallets.reads.named(orgId, [text])).filter((wallet) => wallet.chain === chain);
  const [only] = linked;
  if (only === undefined) return refuse('malformed', `${path}: ${called} is not an address, and no linked wallet of ${chain} is called so`);
  if (linked.length > 1)
    return refuse('malformed', `${path}: ${linked.length} linked wallets of ${chain} are called ${called}: give an id`);
  return { ok: true, value: only.address };
}

const WalletChallengeBody = Type.Object(
  {
    address: Type.String(),
    text: Type.String({
      description:
        'To be signed as it is: as a personal message (EIP-191) by a wallet of the EVM chain, as UTF-8 (Ed25519) by one of the primary chain.',
    }),
    typedData: Type.Unsafe<WalletTypedData | null>({
      anyOf: [
        Type.Object({
          domain: Type.Object({ name: Type.String(), version: Type.String(), chainId: Type.Integer() }),
          types: Type.Record(Type.String(), Type.Array(Type.Object({ name: Type.String(), type: Type.String() }))),
          primaryType: choice(['WalletProof']),
          message: Type.Record(Type.String(), Type.String()),
        }),
        { type: 'null' },
      ],
      description:
        'The same fields as typed data (EIP-712), which a wallet of the EVM chain may sign in the place of the text: `eth_signTypedData_v4`. Null for the primary chain.',
    }),
    expiresAt: Time,
  },
  { $id: 'WalletChallenge' },
);

const challengeWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets/challenge',
  name: 'challengeWallet',
  tag: 'wallets',
  summary: 'Text that the owner signs to link a wallet',
  description:
    'The newest text of an address is valid for ten minutes; earlier texts are not. Signing it moves no money and grants no permission.',
  permission: 'agent:read',
  cost: 'write',
  schema: { body: objectSchema({ address: AddressText }) },
  answers: { 200: { description: 'The text.', schema: WalletChallengeBody } },
  refusals: [],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) =>
      carryOut(request, reply, {
        status: 200,
        answer: ({ address, text, typedData, issuedAt }) => ({
          address,
          text,
          typedData,
          expiresAt: isoTime(issuedAt + WALLET_CHALLENGE_MS),
        }),
        run: (context) => ports.linkedWallets.commands.challenge(context, request.body.address),
      });
  },
});

const linkWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets',
  name: 'linkWallet',
  tag: 'wallets',
  summary: 'Links a wallet of either chain by the signature of its owner',
  description: 'A link proves ownership and grants no permission. Linking again renews the proof and may change the label.',
  permission: 'agent:read',
  cost: 'write',
  schema: {
    body: objectSchema({
      address: AddressText,
      signature: Type.String({
        minLength: 80,
        maxLength: 4_098,
        pattern: '^(0x[0-9a-fA-F]+|[A-Za-z0-9+/=]+)$',
        description:
          '65 bytes in hexadecimal with 0x before them on the EVM chain, or what a wallet that is a contract takes as its own (ERC-1271), at most 2048 bytes; 64 bytes in base64 or base58 on the primary chain.',
      }),
      label: Type.Optional(shownText(LONGEST_LABEL)),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The wallet.', schema: LinkedWalletBody } },
  refusals: ['state_conflict', 'signature_invalid', 'challenge_expired'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { address, signature, label = null } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: linkedWalletBody,
        run: (context) => ports.linkedWallets.commands.link(context, { address, signature, label }),
      });
    };
  },
});

const listWallets = defineRoute({
  method: 'GET',
  url: '/v1/wallets',
  name: 'listWallets',
  tag: 'wallets',
  summary: 'Linked wallets, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of wallets.', schema: pageSchema(LinkedWalletBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'wallets', POSITIONS.number);
    return pageBody(await ports.linkedWallets.reads.list(requireMember(request).orgId, page), 'wallets', linkedWalletBody);
  },
});

const renameWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets/:id/rename',
  name: 'renameWallet',
  tag: 'wallets',
  summary: 'Changes or removes the label of a linked wallet',
  description: 'By the member who proved it, or with trade:execute. What was quoted or read under the old label stays as it is.',
  permission: 'agent:read',
  cost: 'write',
  schema: {
    params: WalletPath,
    body: objectSchema({
      label: Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength: LONGEST_LABEL, pattern: SHOWN_PATTERN }),
    }),
  },
  idempotent: true,
  answers: { 200: { description: 'The wallet with its new label.', schema: LinkedWalletBody } },
  refusals: ['not_found', 'permission_missing'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_WALLET);
      return carryOut(request, reply, {
        status: 200,
        answer: linkedWalletBody,
        run: (context) => ports.linkedWallets.commands.rename(context, id, request.body.label),
      });
    };
  },
});

const unlinkWallet = defineRoute({
  method: 'POST',
  url: '/v1/wallets/:id/unlink',
  name: 'unlinkWallet',
  tag: 'wallets',
  summary: 'Unlinks a wallet',
  description:
    'By the member who proved it, or with trade:execute. The link, its text and its signature are deleted, and the audit keeps who did it. Transfers under way, listings and orders that name the address go on unchanged: the link never permitted them. To link the wallet again it is proved again, and gets another id.',
  permission: 'agent:read',
  cost: 'write',
  schema: { params: WalletPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The wallet as it was linked.', schema: LinkedWalletBody } },
  refusals: ['not_found', 'permission_missing'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_WALLET);
      return carryOut(request, reply, {
        status: 200,
        answer: linkedWalletBody,
        run: (context) => ports.linkedWallets.commands.unlink(context, id),
      });
    };
  },
});

/** A wallet of the sandbox's chains, whose coins are worth nothing. */
interface SandboxWallet {
  address(): Promise<string>;
  /** Adds coins. */
  fund(): Promise<void>;
  /** Returns the signed transaction in base64. @throws RangeError if the wallet does not sign this transaction. */
  signTransaction(transaction: string): Promise<string>;
  /** Returns the signature in base64. */
  signText(text: string): Promise<string>;
  /**
   * Answers an EIP-1193 call for the member's wallet of the simulated EVM chain. Null if no such chain is simulated. @throws RangeError if
   * the wallet does not answer this call.
   */
  readonly request: ((method: string, params: readonly unknown[]) => Promise<unknown>) | null;
}

/** Sandbox wallets of members. */
interface SandboxWalletPort {
  /** Returns the wallet of a member, or null if no sandbox runs. */
  of(subject: string): SandboxWallet | null;
}

const ACTS = ['open', 'fund', 'sign_transaction', 'sign_text', 'evm_request'] as const;
/** Field of the body that a refusal refers to. */
const FIELDS = { open: 'act', fund: 'act', sign_transaction: 'transaction', sign_text: 'text', evm_request: 'method' } as const;
/** Maximum characters of a transaction or text that it signs. */
const LONGEST = 8_000;
const NO_EVM_CHAIN = 'The EVM chain of this service is not simulated: sign with a wallet of your own.';
const NO_SANDBOX = 'This service runs no sandbox: sign with a wallet of your own.';

const useSandboxWallet = defineRoute({
  method: 'POST',
  url: '/v1/sandbox/wallet',
  name: 'useSandboxWallet',
  tag: 'wallets',
  summary: 'Opens, funds or uses the caller’s wallet of the sandbox',
  description:
    'Only in the sandbox, whose coins are worth nothing. `fund` brings 10 SOL and 10,000 USDC; `sign_transaction` and `sign_text` answer with a signature and send nothing. `evm_request` answers a call of EIP-1193 for the wallet of the EVM chain; `eth_sendTransaction` signs and sends.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      act: choice(ACTS),
      transaction: Type.Optional(Type.String({ maxLength: LONGEST, description: 'For `sign_transaction`, in base64.' })),
      text: Type.Optional(Type.String({ maxLength: LONGEST, description: 'For `sign_text`.' })),
      method: Type.Optional(Type.String({ maxLength: 64, description: 'For `evm_request`, such as `eth_sendTransaction`.' })),
      params: Type.Optional(Type.Array(AnyJson, { maxItems: 4, description: 'For `evm_request`.' })),
    }),
  },
  answers: {
    200: {
      description: 'The wallet, with what it signed.',
      schema: Type.Object(
        {
          address: Type.String({ description: 'Base58.' }),
          evmAddress: nullable('string', 'With its EIP-55 checksum; null if no EVM chain is simulated.'),
          transaction: Type.Union([Type.String(), Type.Null()], { description: 'The signed transaction in base64.' }),
          signature: Type.Union([Type.String(), Type.Null()], { description: 'The signature over the text in base64.' }),
          result: Type.Unsafe<unknown>({ description: 'The answer to the call of the EVM wallet; null of other acts.' }),
        },
        { $id: 'SandboxWallet' },
      ),
    },
  },
  refusals: ['not_found', 'malformed'],
  handle: (ports) => async (request, reply) => {
    const wallet = ports.sandboxWallets.of(requireMember(request).subject);
    if (wallet === null) return sendProblem(reply, 'not_found', NO_SANDBOX);
    const { act, transaction = '', text = '', method = '', params = [] } = request.body;
    if (act === 'evm_request' && wallet.request === null) return sendProblem(reply, 'not_found', NO_EVM_CHAIN);
    try {
      if (act === 'fund') await wallet.fund();
      return {
        address: await wallet.address(),
        evmAddress: ((await wallet.request?.('eth_accounts', [])) as readonly string[] | undefined)?.[0] ?? null,
        transaction: act === 'sign_transaction' ? await wallet.signTransaction(transaction) : null,
        signature: act === 'sign_text' ? await wallet.signText(text) : null,
        result: act === 'evm_request' ? await wallet.request?.(method, params) : null,
      };
    } catch (error) {
      if (error instanceof RangeError) return sendProblem(reply, 'malformed', `$.${FIELDS[act]}: ${error.message}`);
      throw error;
    }
  },
});

export const walletRoutes: RouteGroup = {
  tag: {
    name: 'wallets',
    position: 170,
    description:
      'Linked wallets and their balances. Request the text, sign it with the wallet within ten minutes, and send the signature. A link proves ownership and grants no permission. A late signature is refused with `challenge_expired`.',
  },
  routes: [challengeWallet, linkWallet, listWallets, renameWallet, unlinkWallet, useSandboxWallet],
};
