/** State of a venue in one word with its tone, and each deficiency in a sentence. */
import type { Venue } from '../../../clients/typescript/src/index.ts';
import { age, forPeople } from '../../words.js';

export interface VenueState {
  /** Colour: `live` is good, `delayed` needs a look, `halted` is wrong, `none` is a normal silence. */
  readonly tone: 'live' | 'delayed' | 'halted' | 'none';
  readonly word: string;
  readonly lacks: readonly string[];
}

const WORDS: Record<Venue['hearing'], readonly [tone: VenueState['tone'], word: string]> = {
  live: ['live', 'Live'],
  no_trades: ['live', 'Live, no trades'],
  market_closed: ['none', 'Market closed'],
  carried_forward: ['delayed', 'Carried forward'],
  silent: ['delayed', 'Late'],
  feed_down: ['halted', 'Off'],
  not_followed: ['none', 'Not followed'],
};

type Received = Pick<Venue, 'hearing' | 'detail' | 'degradedSince' | 'providers' | 'gaps' | 'unknownFields'>;

/** @param isReceived False while the page receives nothing from the service: then no venue is shown as live. */
export function venueState(venue: Received, now: number, isReceived: boolean): VenueState {
  const { hearing, detail, degradedSince, providers, unknownFields } = venue;
  const [tone, word] = WORDS[hearing];
  const isGood = tone === 'live';
  const off = providers.filter(({ connected }) => connected === false);
  const lacks = [
    ...(isReceived ? [] : ['This page receives nothing from the service. It may be out of date.']),
    ...(isGood || detail === '' ? [] : [forPeople(detail)]),
    ...(degradedSince === null ? [] : [`Degraded for ${age(now - Date.parse(degradedSince))}.`]),
    ...off.map(({ provider, detail: why }) => `${provider} is not connected${why === '' ? '' : `: ${forPeople(why)}`}.`),
    ...(unknownFields.length === 0 ? [] : [`Sends fields that are not read: ${unknownFields.map(({ field }) => field).join(', ')}.`]),
  ];
  if (isGood && !isReceived) return { tone: 'none', word: 'Unknown', lacks };
  if (isGood && off.length > 0) return { tone: 'delayed', word: 'Live on a fallback', lacks };
  return { tone, word, lacks };
}
