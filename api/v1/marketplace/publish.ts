/** POST /v1/marketplace: publishes a pinned manifest version. */
import { Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { licencePrice, listingCategories } from '../../../src/domain/marketplace/listing.ts';
import { isAddress } from '../../../src/domain/solana/base58.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { isUuid } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, walletAddress } from '../../shapes.ts';
import { ListingBody, listingBody, PriceField } from './listing-body.ts';

export const publishListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace',
  name: 'publishListing',
  tag: 'marketplace',
  summary: 'Publishes one manifest version of an agent',
  description:
    'The listing is pinned to this version: later versions of the agent change nothing. Its metrics, gates and luck-adjusted statistics come from the evidence on record; the request cannot set them. Payments go whole to the payout wallet, which has to be linked (`POST /v1/wallets`) before.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectOf({
      agentId: Type.String({ minLength: 1, maxLength: 64 }),
      manifestVersion: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      priceUsd: PriceField,
      payoutWallet: walletAddress('The wallet that is paid, base58; its ownership was proved by a signature.'),
      categories: Type.Array(Type.String({ minLength: 1, maxLength: 32, pattern: '^[A-Za-z0-9][A-Za-z0-9 _-]*$' }), {
        minItems: 1,
        maxItems: 8,
        description: 'Category tags; kept in lower case.',
      }),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The listing.', schema: ListingBody } },
  refusals: ['not_found', 'manifest_invalid', 'wallet_unproved', 'state_conflict', 'external_not_listable'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { agentId, manifestVersion, priceUsd, payoutWallet, categories } = request.body;
      if (!isAddress(payoutWallet)) throw malformed('$.payoutWallet', 'it is not an address', '32 bytes in base58');
      const price = licencePrice(priceUsd);
      if (!price.ok) return sendRefusal(reply, price.refusal);
      if (!isUuid(agentId)) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: listingBody,
        run: (context) =>
          ports.marketplace.listings.commands.publish(context, {
            agentId: agentId.toLowerCase(),
            manifestVersion,
            priceUsd: price.value,
            payoutWallet,
            categories: listingCategories(categories),
          }),
      });
    };
  },
});
