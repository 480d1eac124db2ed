/**
 * Posts about the catalog's assets as X publishes them: recent search, newest first, pages by token.
 * See docs/reference/outside/social-posts.md.
 */
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { zonedInstant } from '../../domain/values/instant.ts';
import type { EntityNames, Mention } from '../../domain/intelligence/entities.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import type { SocialPost } from '../../domain/intelligence/social.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import { poll, type Rejected } from '../venues/polling.ts';
import type { ClientQuery, KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { countOf, recordOf, textOf } from './field-reading.ts';

export const SOCIAL_SOURCE = 'news:social';
const PLATFORM = 'x';
/** Fields that the platform sends for the requested ones. */
const PAGE_FIELDS = knownFields(SOCIAL_SOURCE, [
  'data includes meta errors',
  {
    data: [
      'id text author_id created_at public_metrics entities edit_history_tweet_ids',
      {
        public_metrics: 'retweet_count reply_count like_count quote_count bookmark_count impression_count',
        entities: ['cashtags hashtags mentions urls annotations', { cashtags: 'start end tag' }],
      },
    ],
    includes: ['users', { users: 'id name username' }],
    meta: 'newest_id oldest_id result_count next_token previous_token',
  },
]);
const PAGE = 100;
/** Pages of one round: beyond that, chatter is only more of the same. */
const MAX_PAGES = 5;
/** The longest query that the platform takes. */
const MAX_QUERY = 512;

export interface ReadPosts {
  readonly posts: readonly SocialPost[];
  readonly rejected: readonly Rejected[];
  readonly newestId: string | null;
  readonly nextToken: string | null;
}

/** Ids of the platform are numbers too long for a double. */
const ID = /^\d{1,25}$/;

/** Cashtags as the platform marked them, and names in the text. */
function mentionsOf(text: string, entities: Readonly<Record<string, unknown>>, names: EntityNames): readonly Mention[] {
  const marked = Array.isArray(entities['cashtags'])
    ? (entities['cashtags'] as unknown[]).flatMap((item): Mention[] => {
        const tag = textOf(recordOf(item)['tag'], 20);
        return tag === null ? [] : [{ kind: 'cashtag', text: `$${tag}` }];
      })
    : [];
  const known = new Set(marked.map((mention) => mention.text.toUpperCase()));
  return [...marked, ...names.mentionsIn(text).filter((mention) => !known.has(mention.text.toUpperCase()))];
}

/**
 * Reads one page of `/2/tweets/search/recent`. A page without posts has no `data`.
 * @throws VenueError if the answer is of another shape.
 */
export function readPosts(
  body: unknown,
  names: EntityNames,
  receivedAt: EpochMs,
  siteUrl: string | null,
  note?: NoteUnknownField,
): ReadPosts {
  const answer = recordOf(body);
  const meta = recordOf(answer['meta']);
  const data = answer['data'] ?? (meta['result_count'] === 0 ? [] : null);
  if (!Array.isArray(data)) throw new VenueError('reference', 200, 'unknown_shape', 'the page of posts has no list "data"');
  noteUnknown(body, PAGE_FIELDS, note);
  const users = recordOf(answer['includes'])['users'];
  const authors = new Map(
    (Array.isArray(users) ? (users as unknown[]) : []).map((item) => [recordOf(item)['id'], textOf(recordOf(item)['username'], 60)]),
  );
  const posts: SocialPost[] = [];
  const rejected: Rejected[] = [];
  for (const item of data as unknown[]) {
    const row = recordOf(item);
    const { id, created_at: createdAt, author_id: authorId } = row;
    const publishedAt = zonedInstant(createdAt);
    const text = textOf(row['text'], 10_000);
    if (typeof id !== 'string' || !ID.test(id) || text === null || !Number.isFinite(publishedAt)) {
      rejected.push({ reason: 'missing_field', detail: 'a post without "id", "text" or "created_at"' });
      continue;
    }
    const metrics = recordOf(row['public_metrics']);
    const mentions = mentionsOf(text, recordOf(row['entities']), names);
    const { entities, ambiguous, unmapped } = names.map(mentions);
    const author = authors.get(authorId) ?? textOf(authorId, 60) ?? 'unknown';
    posts.push({
      id: `${PLATFORM}:${id}`,
      platform: PLATFORM,
      author,
      text: text.slice(0, 1_000).toWellFormed(),
      url: siteUrl === null ? null : `${siteUrl}/${author}/status/${id}`,
      publishedAt,
      receivedAt,
      engagement: {
        likes: countOf(metrics['like_count']),
        reposts: countOf(metrics['retweet_count']),
        replies: countOf(metrics['reply_count']),
        quotes: countOf(metrics['quote_count']),
      },
      cashtags: mentions.flatMap((mention) => (mention.kind === 'cashtag' ? [mention.text] : [])),
      entities,
      ambiguous,
      unmapped,
    });
  }
  const newestId = typeof meta['newest_id'] === 'string' && ID.test(meta['newest_id']) ? meta['newest_id'] : null;
  return { posts, rejected, newestId, nextToken: textOf(meta['next_token'], 200) };
}

/** `$AAPL OR $TSLA …`, as many as the platform's longest query takes, without reposts. */
export function cashtagQuery(assets: readonly string[]): string {
  const tail = ' -is:retweet';
  let list = '';
  for (const asset of assets) {
    const longer = list === '' ? `$${asset}` : `${list} OR $${asset}`;
    if (longer.length + 2 + tail.length > MAX_QUERY) break;
    list = longer;
  }
  return `(${list})${tail}`;
}

export interface SocialOptions {
  readonly client: KeyedClient;
  readonly names: EntityNames;
  /** Underlyings that are asked for, in order of importance. */
  readonly assets: readonly string[];
  /** Address at which posts can be viewed, `https://x.com`; null if they cannot. */
  readonly siteUrl: string | null;
  readonly clock: Clock;
  readonly random: () => number;
  /** Counts members of answers that the adapter does not know. */
  readonly note?: NoteUnknownField;
  /** Default 60 s. */
  readonly everyMs?: number;
}

/** New posts of each round. What was posted before the newest one that is known is not asked for again. */
export function createSocialFeed(options: SocialOptions): Observable<FeedMessage | IntelligenceRecord> {
  const { client, names, clock, random } = options;
  const query = cashtagQuery(options.assets);
  return poll<IntelligenceRecord>({
    source: SOCIAL_SOURCE,
    everyMs: options.everyMs ?? 60_000,
    clock,
    random,
    open() {
      let sinceId: string | null = null;
      let newest: string | null = null;
      let token: string | null = null;
      let pages = 0;
      return {
        async ask() {
          const asked: ClientQuery = [
            ['query', query],
            ['max_results', String(PAGE)],
            ['tweet.fields', 'created_at,public_metrics,entities,author_id'],
            ['expansions', 'author_id'],
            ['user.fields', 'username'],
            ...(sinceId === null ? [] : [['since_id', sinceId] as const]),
            ...(token === null ? [] : [['next_token', token] as const]),
          ];
          const body = await client.get('/2/tweets/search/recent', asked);
          const receivedAt = clock.now();
          const read = readPosts(body, names, receivedAt, options.siteUrl, options.note);
          newest ??= read.newestId;
          token = read.nextToken;
          const more = token !== null && ++pages < MAX_PAGES;
          if (!more) {
            sinceId = newest ?? sinceId;
            newest = token = null;
            pages = 0;
          }
          return {
            messages: read.posts.length === 0 ? [] : [{ kind: 'posts', receivedAt, posts: read.posts }],
            rejected: read.rejected,
            more,
          };
        },
        // A position that the platform refuses, because it is too old, is given up.
        failed(error) {
          if (error instanceof VenueError && error.status === 400) sinceId = token = newest = null;
        },
      };
    },
  });
}
