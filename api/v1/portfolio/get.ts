/** GET /v1/portfolio: returns an organization's holdings over books and wallets, with the five stress scenarios. */
import { Type } from 'typebox';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { portfolioOf } from '../../../src/domain/portfolio/portfolio.ts';
import { memberOf } from '../../caller.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { FORMULAS, FormulasBody, inputBody, PortfolioBody, PortfolioInputBody, portfolioBody } from './portfolio-body.ts';
import { addressesNamed, modeOf, namedWallets, readWallets } from './wallets.ts';

const WALLETS_TEXT = 600;

export const getPortfolio = defineRoute({
  method: 'GET',
  url: '/v1/portfolio',
  name: 'getPortfolio',
  tag: 'books',
  summary: 'Holdings over books and wallets with the quality of each price, and the five stress scenarios',
  description:
    "Books of one mode, and the wallets that are named: paper money and real money are never added up. A holding is valued at its own venue's quote. A holding without a price is named and counts in no sum, and so does a wallet that does not answer. Every number names its inputs.",
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    querystring: objectOf({
      mode: Type.Optional(choice(EXECUTION_MODES, 'Default: `paper`, or `live` where wallets are named.')),
      wallets: Type.Optional(
        Type.String({
          maxLength: WALLETS_TEXT,
          description:
            'At most 5, separated by commas: addresses of the EVM chain (its balances and its account on the perpetuals venue) or of the primary chain, or ids or labels of linked wallets.',
          examples: ['0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
        }),
      ),
    }),
  },
  answers: {
    200: {
      description: 'The portfolio.',
      schema: Type.Object(
        { ...PortfolioBody.properties, formulas: FormulasBody, inputs: Type.Array(PortfolioInputBody) },
        { $id: 'Portfolio' },
      ),
    },
  },
  refusals: [],
  handle: (ports) => async (request, reply) => {
    const { orgId } = memberOf(request);
    const asked = await addressesNamed(ports, orgId, (request.query.wallets ?? '').split(','), 'query.wallets');
    const wallets = namedWallets(asked, 'query.wallets');
    const mode = modeOf(request.query.mode, wallets, 'query.mode');
    const read = await readWallets(ports, wallets);
    if (!read.ok) return sendRefusal(reply, read.refusal);
    const portfolio = portfolioOf(await ports.portfolio.read(orgId, mode, read.value), ports.catalog.entries);
    return { ...portfolioBody(portfolio), formulas: FORMULAS, inputs: portfolio.inputs.map(inputBody) };
  },
});
