/** Policies of arbitrage. */
import { type RouteGroup } from '../../route.ts';
import { armBasisPolicy } from './arm.ts';
import { disarmBasisPolicy } from './disarm-policy.ts';
import { getBasisPolicy } from './get-policy.ts';
import { listBasisPolicies } from './list-policies.ts';

export const arbitrageRoutes: RouteGroup = {
  tag: {
    name: 'arbitrage',
    position: 210,
    description:
      'Spread between a token, its reference share and the perpetual, and policies that trade it. Read the basis with its costs first, then arm a policy. A leg without a live price gives no edge.',
  },
  routes: [armBasisPolicy, disarmBasisPolicy, listBasisPolicies, getBasisPolicy],
};
