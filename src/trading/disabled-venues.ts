/** Which venues take no live orders, by who asks: what is switched off, and which setting would switch it on. */
import { type Autonomy, EXECUTES_BY_ITSELF } from '../domain/agent.ts';
import { EXECUTABLE_VENUES, VENUE_FACTS } from '../domain/venue.ts';
import { ALL_ENABLED, type DisabledVenues, EXCHANGE_KEY } from '../domain/risk/index.ts';

/** What live orders need of this service. */
export interface LiveParts {
  /** Whether orders may go to the live spot exchange, and which organizations have an account there. */
  readonly spotexchange: { readonly enabled: boolean; readonly hasKey: (orgId: string) => boolean };
  /** Whether a node of the primary chain is named. */
  readonly primaryChain: boolean;
  /** Whether delegated transactions can be signed. */
  readonly signer: boolean;
  /** Whether an on-chain prediction venue is named. */
  readonly onchainPredictions: boolean;
}

/** Levels whose orders nobody carries out: what they say is advice. */
const ADVICE: ReadonlySet<Autonomy> = new Set(['research', 'suggest']);

/** Venues that no setting opens to live orders. */
function withoutWay(): DisabledVenues {
  const closed = EXECUTABLE_VENUES.filter((venue) => !VENUE_FACTS[venue].liveOrders);
  return Object.fromEntries(closed.map((venue) => [venue, `live orders on ${venue}`]));
}

/**
 * What live orders of each venue lack, in an organization, for agents and Takes by their autonomy and for people (null). Without a
 * signer nobody buys on the primary chain by itself; what is held there can be sold all the same, by the wallet of its owner.
 */
export function disabledVenuesOf(parts: LiveParts): (autonomy: Autonomy | null, orgId: string) => DisabledVenues {
  const { enabled, hasKey } = parts.spotexchange;
  const shared: DisabledVenues = {
    ...(enabled ? {} : { spotexchange: 'SVC_LIVE_SPOTEXCHANGE_ENABLED' }),
    ...withoutWay(),
    ...(parts.onchainPredictions ? {} : { prediction: 'PREDICTION_ONCHAIN_URL' }),
    ...(parts.primaryChain ? {} : { spotchain: 'SPOTCHAIN_RPC_URL' }),
  };
  const unsigned: DisabledVenues = {
    ...shared,
    ...(parts.primaryChain && !parts.signer ? { spotchain: { entries: 'IDP_AUTHORIZATION_PRIVATE_KEY' } } : {}),
  };
  const keyless: DisabledVenues = { spotexchange: EXCHANGE_KEY };
  return (autonomy, orgId) => {
    if (autonomy !== null && ADVICE.has(autonomy)) return ALL_ENABLED;
    const disabled = autonomy !== null && EXECUTES_BY_ITSELF.has(autonomy) ? unsigned : shared;
    return enabled && !hasKey(orgId) ? { ...disabled, ...keyless } : disabled;
  };
}
