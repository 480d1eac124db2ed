/** POST /v1/sandbox/wallet: a sandbox wallet per member, whose keys are kept in the sandbox. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyJson, choice, nullable, objectOf } from '../../shapes.ts';

const ACTS = ['open', 'fund', 'sign_transaction', 'sign_text', 'evm_request'] as const;
/** Field of the body that a refusal refers to. */
const FIELDS = { open: 'act', fund: 'act', sign_transaction: 'transaction', sign_text: 'text', evm_request: 'method' } as const;
/** Maximum characters of a transaction or text that it signs. */
const LONGEST = 8_000;
const NO_EVM_CHAIN = 'The EVM chain of this service is not simulated: sign with a wallet of your own.';
const NO_SANDBOX = 'This service runs no sandbox: sign with a wallet of your own.';

export const useSandboxWallet = defineRoute({
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
    body: objectOf({
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
    const wallet = ports.sandboxWallets.of(memberOf(request).subject);
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
