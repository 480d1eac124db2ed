/** Handles listing commands. A listing publishes one of the organization's manifest versions, and is paid to a proved wallet. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import { NO_AGENT } from '../../src/domain/agents/agent.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { NO_LISTING } from '../../src/domain/marketplace/listing.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { Listing } from './resource.ts';

/** Listing to publish. It makes no claims about the strategy. Those come from the track record. */
export interface ListingWish {
  readonly agentId: string;
  readonly manifestVersion: number;
  readonly priceUsd: DecimalString;
  /** Base58. A wallet of the primary chain that the organization has proved. */
  readonly payoutWallet: string;
  readonly categories: readonly string[];
}

/** Store ports of the command handler. */
interface ListingDirectory {
  /** Returns the organization's manifest version, or `no_agent` or `no_version` if it does not exist. */
  manifest(orgId: string, agentId: string, version: number): Promise<Manifest | 'no_agent' | 'no_version'>;
  /** True if the organization has proved this wallet of the primary chain. */
  isProved(orgId: string, address: string): Promise<boolean>;
  /** Writes the listing with the rows of its command. The database fills in the figures of the track record. */
  publish(
    orgId: string,
    wish: ListingWish & { readonly id: string; readonly by: string; readonly at: EpochMs },
    recordsOf: (listing: Listing) => readonly ActorRecord[],
  ): Promise<Listing>;
  /** Returns null if the organization has published no such listing, or `ended` if it is unlisted. */
  change(
    orgId: string,
    id: string,
    change: { readonly priceUsd?: string; readonly state?: 'unlisted'; readonly by: string; readonly at: EpochMs },
    recordsOf: (before: Listing, after: Listing) => readonly ActorRecord[],
  ): Promise<Listing | 'ended' | null>;
  /** True for the error of a publication whose version is already listed. */
  isListed(error: unknown): boolean;
}

export function createListingHandler(deps: {
  readonly store: ListingDirectory;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}) {
  const { store, clock, newId } = deps;

  async function changed(
    context: CommandContext,
    id: string,
    action: string,
    change: { readonly priceUsd?: string; readonly state?: 'unlisted' },
  ): Promise<Outcome<Listing>> {
    try {
      const after = await store.change(context.orgId, id, { ...change, by: context.subject, at: clock.now() }, (was, is) => [
        auditRow(context, action, id, was, is),
        ...answerRows(context, is),
      ]);
      if (after === null) return refuse('not_found', NO_LISTING);
      if (after === 'ended') return refuse('state_conflict', 'the listing is unlisted: publish the version anew');
      return { ok: true, value: after };
    } catch (error) {
      return answeredMeanwhile(error);
    }
  }

  return {
    async publish(context: CommandContext, wish: ListingWish): Promise<Outcome<Listing>> {
      const { orgId, subject } = context;
      const manifest = await store.manifest(orgId, wish.agentId, wish.manifestVersion);
      if (manifest === 'no_agent') return refuse('not_found', NO_AGENT);
      if (manifest === 'no_version') return refuse('not_found', `the agent has no manifest version ${wish.manifestVersion}`);
      if (manifest.strategy !== undefined)
        return refuse('external_not_listable', 'the strategy is outside code: its manifest has no rules to sell');
      if (manifest.entry.length === 0)
        return refuse('manifest_invalid', 'the manifest version has no entry condition, so it can never trade');
      if (!(await store.isProved(orgId, wish.payoutWallet)))
        return refuse(
          'wallet_unproved',
          `nobody of the organization has proved the wallet ${wish.payoutWallet}: sign the text of POST /v1/wallets/challenge`,
        );
      try {
        const listing = await store.publish(orgId, { ...wish, id: newId(), by: subject, at: clock.now() }, (made) => [
          auditRow(context, 'listing.publish', made.id, null, made),
          ...answerRows(context, made),
        ]);
        return { ok: true, value: listing };
      } catch (error) {
        if (store.isListed(error)) return refuse('state_conflict', 'this manifest version is listed already: unlist it first');
        return answeredMeanwhile(error);
      }
    },
    /** Changes the price. Open checkouts keep theirs. */
    reprice: (context: CommandContext, id: string, priceUsd: DecimalString): Promise<Outcome<Listing>> =>
      changed(context, id, 'listing.reprice', { priceUsd }),
    /** Ends the listing. Nothing more is sold. Open checkouts and licences stay. */
    unlist: (context: CommandContext, id: string): Promise<Outcome<Listing>> =>
      changed(context, id, 'listing.unlist', { state: 'unlisted' }),
  };
}

/** Commands of listings. Each answers after its transaction has committed. Agents and listings of another organization are `not_found`. */
export type ListingCommands = ReturnType<typeof createListingHandler>;
