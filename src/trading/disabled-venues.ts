/** Venues without live orders, by caller, with the disabled part and the setting that enables it. */
import { type Autonomy, EXECUTES_BY_ITSELF } from '../domain/agents/agent.ts';
import { EXECUTABLE_VENUES, VENUE_FACTS } from '../domain/market/venue.ts';
import { ALL_ENABLED, type DisabledVenues, EXCHANGE_KEY } from '../domain/risk/index.ts';

/** Requirements of live orders on this service. */
interface LiveParts {
  /** True if live orders may go to the spot exchange, and which organizations have an account there. */
  readonly spotexchange: { readonly enabled: boolean; readonly hasKey: (orgId: string) => boolean };
  /** True if a node of the primary chain is configured. */
  readonly primaryChain: boolean;
  /** True if delegated transactions can be signed. */
  readonly signer: boolean;
  /** True if an on-chain prediction venue is configured. */
  readonly onchainPredictions: boolean;
}

/** Levels whose orders are only recommendations. */
const ADVICE: ReadonlySet<Autonomy> = new Set(['research', 'suggest']);

/** Returns the venues for which no setting enables live orders. */
function withoutWay(): DisabledVenues {
  const closed = EXECUTABLE_VENUES.filter((venue) => !VENUE_FACTS[venue].liveOrders);
  return Object.fromEntries(closed.map((venue) => [venue, `live orders on ${venue}`]));
}

/**
 * Returns a function of what live orders of each venue lack in an organization, for agents and Takes by their autonomy and for people
 * (null). Without a signer nothing buys on the primary chain autonomously. Its holdings can still be sold with the owner's wallet.
 */
export function createDisabledVenues(parts: LiveParts): (autonomy: Autonomy | null, orgId: string) => DisabledVenues {
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
