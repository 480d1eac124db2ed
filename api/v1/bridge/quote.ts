/** POST /v1/bridge/quote: prices a transfer between the two chains, and returns the transaction to sign. */
import { Type } from 'typebox';
import { BridgeChainWord, BridgeProviderWord, type BridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import { BRIDGE_PREFERENCES } from '../../../src/domain/bridge/comparison.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { addressNamed } from '../wallets/named-wallet.ts';
import { BridgeTransferBody, bridgeTransferBody } from './transfer-body.ts';

export const quoteBridge = defineRoute({
  method: 'POST',
  url: '/v1/bridge/quote',
  name: 'quoteBridge',
  tag: 'bridge',
  summary: 'An executable quote of a transfer of the stablecoin between the primary chain and the EVM chain',
  description:
    'Requests a quote from every provider, compares minimum amounts and extra fees, and returns the best with the reason. The unsigned source transaction is checked and, if it needs no approval first, simulated. Nothing is sent before you sign.',
  permission: 'market:read',
  cost: 'costly',
  schema: {
    body: objectOf({
      from: BridgeChainWord,
      to: BridgeChainWord,
      token: Type.String({ maxLength: 20, description: 'USDC.' }),
      amount: Type.String({ maxLength: 30, description: 'US dollars, at most six decimals.' }),
      sender: Type.String({
        maxLength: 64,
        description: 'Wallet that signs and pays on the chain of `from`: an address, or the label or id of a linked wallet of that chain.',
      }),
      recipient: Type.String({
        maxLength: 64,
        description: 'Wallet that receives on the chain of `to`: an address, or the label or id of a linked wallet of that chain.',
      }),
      preference: Type.Optional(choice(BRIDGE_PREFERENCES, 'Prefer the offer that delivers most (default) or the fastest one.')),
      provider: Type.Optional(BridgeProviderWord),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The quote.', schema: BridgeTransferBody } },
  refusals: ['route_refused', 'blocked_by_risk', 'feature_disabled', 'too_many_prepared', 'halted'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { preference = 'received', provider = null, ...wish } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: (view: BridgeTransfer) => bridgeTransferBody(view, ports.clock.now()),
        async run(context) {
          const sender = await addressNamed(ports, context.orgId, wish.sender, wish.from, '$.sender');
          if (!sender.ok) return sender;
          const recipient = await addressNamed(ports, context.orgId, wish.recipient, wish.to, '$.recipient');
          if (!recipient.ok) return recipient;
          return ports.bridge.commands.quote(context, { ...wish, sender: sender.value, recipient: recipient.value, preference, provider });
        },
      });
    };
  },
});
