/** POST /v1/spotchain/orders/prepare: assesses risk, requests a route, and returns the exact bytes that a wallet may sign. */
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { checkedAddress } from '../wallet-address.ts';
import { SwapOrderBody, SwapOrderWish, swapOrderBody, wishOf } from './swap-body.ts';

export const prepareSwap = defineRoute({
  method: 'POST',
  url: '/v1/spotchain/orders/prepare',
  name: 'prepareSwap',
  tag: 'spotchain',
  summary: 'Prepares a swap for the wallet to sign',
  description:
    'Runs the pre-trade risk function with the organization’s preferences as the mandate, fetches an executable route, checks and simulates its transaction, and stores the exact message with its digest before it answers. Until it has ended, the most that it may cost is reserved from the mandate. At most 20 are open per organization; an unsigned one ends by itself once its blockhash has expired.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: SwapOrderWish },
  idempotent: true,
  answers: { 201: { description: 'The prepared order.', schema: SwapOrderBody } },
  refusals: ['halted', 'feature_disabled', 'state_conflict', 'blocked_by_risk', 'route_refused', 'too_many_prepared'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { wallet, ...wish } = request.body;
      const asked = { ...wishOf(ports, wish), wallet: checkedAddress(wallet) };
      return carryOut(request, reply, {
        status: 201,
        answer: swapOrderBody,
        run: (context) => ports.swaps.commands.prepare(context, asked),
      });
    };
  },
});
