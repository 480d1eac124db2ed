/** POST /v1/sandbox/wallet: a wallet of the sandbox's primary chain for each member, whose key lies in the simulator. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';

const ACTS = ['open', 'fund', 'sign_transaction', 'sign_text'] as const;
/** Longest transaction and longest text that it signs, in characters. */
const LONGEST = 8_000;
const NO_SANDBOX = 'This service runs no sandbox: sign with a wallet of your own.';

export const useSandboxWallet = defineRoute({
  method: 'POST',
  url: '/v1/sandbox/wallet',
  name: 'useSandboxWallet',
  tag: 'wallets',
  summary: 'Opens, funds or uses the caller’s wallet of the sandbox',
  description:
    'Only in the sandbox, whose coins are worth nothing. `fund` brings 10 SOL and 10,000 USDC; `sign_transaction` and `sign_text` answer with a signature and send nothing.',
  cost: 'write',
  schema: {
    body: objectOf({
      act: choice(ACTS),
      transaction: Type.Optional(Type.String({ maxLength: LONGEST, description: 'For `sign_transaction`, in base64.' })),
      text: Type.Optional(Type.String({ maxLength: LONGEST, description: 'For `sign_text`.' })),
    }),
  },
  answers: {
    200: {
      description: 'The wallet, with what it signed.',
      schema: Type.Object(
        {
          address: Type.String({ description: 'Base58.' }),
          transaction: Type.Union([Type.String(), Type.Null()], { description: 'The signed transaction in base64.' }),
          signature: Type.Union([Type.String(), Type.Null()], { description: 'The signature over the text in base64.' }),
        },
        { $id: 'SandboxWallet' },
      ),
    },
  },
  refusals: ['not_found', 'malformed'],
  handle: (ports) => async (request, reply) => {
    const wallet = ports.sandboxWallets.of(memberOf(request).subject);
    if (wallet === null) return sendProblem(reply, 'not_found', NO_SANDBOX);
    const { act, transaction = '', text = '' } = request.body;
    try {
      if (act === 'fund') await wallet.fund();
      return {
        address: await wallet.address(),
        transaction: act === 'sign_transaction' ? await wallet.signTransaction(transaction) : null,
        signature: act === 'sign_text' ? await wallet.signText(text) : null,
      };
    } catch (error) {
      if (error instanceof RangeError)
        return sendProblem(reply, 'malformed', `$.${act === 'sign_text' ? 'text' : 'transaction'}: ${error.message}`);
      throw error;
    }
  },
});
