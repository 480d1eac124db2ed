/** POST /v1/bridge/submission: takes the signed source transaction of a quote, or its hash, and starts following the transfer. */

import { Type } from 'typebox';
import type { BridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { BridgeTransferBody, bridgeTransferBody } from './transfer-body.ts';

export const submitBridge = defineRoute({
  method: 'POST',
  url: '/v1/bridge/submission',
  name: 'submitBridge',
  tag: 'bridge',
  summary: 'Records a signed bridge transaction and starts settlement tracking',
  description:
    'Give `signedTransaction` (base64 on the primary chain, hexadecimal on the EVM chain) and it is checked against the quote and sent; or give the `hash` of the transaction where the wallet has sent it. The same request again answers the present state. A hash that no node has seen yet is accepted too. What differs from the quote is refused before it is sent.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: {
    body: objectOf({
      quoteId: IdText,
      signedTransaction: Type.Optional(
        Type.String({ minLength: 4, maxLength: 200_000, pattern: '^(0x[0-9a-fA-F]*|[A-Za-z0-9+/]+={0,2})$' }),
      ),
      hash: Type.Optional(Type.String({ minLength: 64, maxLength: 90, pattern: '^[0-9A-Za-z]+$' })),
    }),
  },
  answers: { 202: { description: 'The transfer, tracked from now on.', schema: BridgeTransferBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { quoteId, signedTransaction, hash } = request.body;
      if ((signedTransaction === undefined) === (hash === undefined))
        throw malformed('$', 'give exactly one of signedTransaction and hash', 'exactly one of signedTransaction and hash');
      const submitted = signedTransaction === undefined ? { hash: hash as string } : { signedTransaction };
      return carryOut(request, reply, {
        status: 202,
        answer: (view: BridgeTransfer) => bridgeTransferBody(view, ports.clock.now()),
        run: (context) => ports.bridge.commands.submit(context, quoteId.toLowerCase(), submitted),
      });
    };
  },
});
