/** GET /v1/private-markets: pre-IPO tokens with their verified mint, live price, issuer mark and implied valuation. */
import { Type } from 'typebox';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { CatalogEntryBody, entryBody } from '../catalog/entry-body.ts';

export const listPrivateMarkets = defineRoute({
  method: 'GET',
  url: '/v1/private-markets',
  name: 'listPrivateMarkets',
  tag: 'rankings',
  summary: 'Pre-IPO markets with their live price, issuer mark and implied valuation',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({ sector: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })), ...pageFields }),
  },
  answers: { 200: { description: 'A page of the markets, by symbol.', schema: pageOf(CatalogEntryBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const page = pageOfQuery(request.query, 'private-markets', POSITIONS.instrument);
    const { sector } = request.query;
    const found = ports.catalog.entries.entries.filter(
      (entry) => entry.kind === 'pre_ipo' && (sector === undefined || entry.sector === sector),
    );
    return pageBody(
      pageOfKeyed(found, ({ key }) => key, page),
      'private-markets',
      (entry) => entryBody(ports, entry),
    );
  },
});
