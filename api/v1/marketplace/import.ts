/** POST /v1/marketplace/:id/import: creates an agent of the buyer from the licensed rules. */
import { NO_LISTING } from '../../../src/domain/marketplace/listing.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { AgentBody, agentBody } from '../agents/agent-body.ts';
import { ListingPath } from './listing-body.ts';

export const importListing = defineRoute({
  method: 'POST',
  url: '/v1/marketplace/:id/import',
  name: 'importListing',
  tag: 'marketplace',
  summary: 'Imports the rules of a licensed listing as a new agent',
  description:
    'The agent stands at `draft` with autonomy `research`, has the manifest of the listing under the same hash, and has to pass all seven gates itself. A licence permits any number of imports, also after the listing has ended.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ListingPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 201: { description: 'The new agent.', schema: AgentBody, shownAt: '/v1/agents/{id}' } },
  refusals: ['not_found', 'licence_missing', 'halted', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LISTING);
      return carryOut(request, reply, {
        status: 201,
        answer: agentBody,
        run: (context) => ports.marketplace.checkouts.commands.importListing(context, id),
      });
    };
  },
});
