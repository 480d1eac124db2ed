/**
 * Client of posts on X about the catalog's assets: recent search, newest first, with page tokens. See
 * docs/reference/outside/social-posts.md.
 */
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { EntityNames, Mention } from '../../domain/intelligence/entities.ts';
import type { IntelligenceRecord, SocialPost } from '../../domain/intelligence/record.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { type EpochMs, MINUTE_MS, zonedInstant } from '../../domain/values/time.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import { poll, type Rejected } from '../venues/polling.ts';
import type { ClientQuery, KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { readCount, readText, toRecord } from './field-reading.ts';

const SOCIAL_SOURCE = 'news:social';
const PLATFORM = 'x';
/** Fields of the answers. */
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
/** Maximum pages per round; more posts would add no information. */
const MAX_PAGES = 5;
/** Maximum characters of a query. */
const MAX_QUERY = 512;

interface ReadPosts {
  readonly posts: readonly SocialPost[];
  readonly rejected: readonly Rejected[];
  readonly newestId: string | null;
  readonly nextToken: string | null;
}

/** Pattern of ids, which are too long for a double. */
const ID = /^\d{1,25}$/;

/** Returns the cashtags that the platform marked and the names in the text. */
function findMentions(text: string, entities: Readonly<Record<string, unknown>>, names: EntityNames): readonly Mention[] {
  const marked = Array.isArray(entities['cashtags'])
    ? (entities['cashtags'] as unknown[]).flatMap((item): Mention[] => {
        const tag = readText(toRecord(item)['tag'], 20);
        return tag === null ? [] : [{ kind: 'cashtag', text: `$${tag}` }];
      })
    : [];
  const known = new Set(marked.map((mention) => mention.text.toUpperCase()));
  return [...marked, ...names.mentionsIn(text).filter((mention) => !known.has(mention.text.toUpperCase()))];
}

/** Parses one page of `/2/tweets/search/recent`. A page without posts has no `data`. @throws VenueError for an unexpected shape */
export function readPosts(
  body: unknown,
  names: EntityNames,
  receivedAt: EpochMs,
  siteUrl: string | null,
  note?: NoteUnknownField,
): ReadPosts {
  const answer = toRecord(body);
  const meta = toRecord(answer['meta']);
  const data = answer['data'] ?? (meta['result_count'] === 0 ? [] : null);
  if (!Array.isArray(data)) throw new VenueError('reference', 200, 'unknown_shape', 'the page of posts has no list "data"');
  noteUnknown(body, PAGE_FIELDS, note);
  const users = toRecord(answer['includes'])['users'];
  const authors = new Map(
    (Array.isArray(users) ? (users as unknown[]) : []).map((item) => [toRecord(item)['id'], readText(toRecord(item)['username'], 60)]),
  );
  const posts: SocialPost[] = [];
  const rejected: Rejected[] = [];
  for (const item of data as unknown[]) {
    const row = toRecord(item);
    const { id, created_at: createdAt, author_id: authorId } = row;
    const publishedAt = zonedInstant(createdAt);
    const text = readText(row['text'], 10_000);
    if (typeof id !== 'string' || !ID.test(id) || text === null || !Number.isFinite(publishedAt)) {
      rejected.push({ reason: 'missing_field', detail: 'a post without "id", "text" or "created_at"' });
      continue;
    }
    const metrics = toRecord(row['public_metrics']);
    const mentions = findMentions(text, toRecord(row['entities']), names);
    const { entities, ambiguous, unmapped } = names.map(mentions);
    const author = authors.get(authorId) ?? readText(authorId, 60) ?? 'unknown';
    posts.push({
      id: `${PLATFORM}:${id}`,
      platform: PLATFORM,
      author,
      text: text.slice(0, 1_000).toWellFormed(),
      url: siteUrl === null ? null : `${siteUrl}/${author}/status/${id}`,
      publishedAt,
      receivedAt,
      engagement: {
        likes: readCount(metrics['like_count']),
        reposts: readCount(metrics['retweet_count']),
        replies: readCount(metrics['reply_count']),
        quotes: readCount(metrics['quote_count']),
      },
      cashtags: mentions.flatMap((mention) => (mention.kind === 'cashtag' ? [mention.text] : [])),
      entities,
      ambiguous,
      unmapped,
    });
  }
  const newestId = typeof meta['newest_id'] === 'string' && ID.test(meta['newest_id']) ? meta['newest_id'] : null;
  return { posts, rejected, newestId, nextToken: readText(meta['next_token'], 200) };
}

/** Returns the query `$AAPL OR $TSLA …` without reposts, with as many tags as fit. */
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

interface SocialOptions {
  readonly client: KeyedClient;
  readonly names: EntityNames;
  /** Underlyings to search for, most important first. */
  readonly assets: readonly string[];
  /** Address of posts on the web, such as `https://x.com`; null if there is none. */
  readonly siteUrl: string | null;
  readonly clock: Clock;
  readonly random: () => number;
  /** Counts unknown members of answers. */
  readonly note?: NoteUnknownField;
  /** Milliseconds between rounds. Default 60 s. */
  readonly everyMs?: number;
}

/** Reads the new posts of each round. Posts before the newest known one are not requested again. */
export function createSocialFeed(options: SocialOptions): Observable<FeedMessage | IntelligenceRecord> {
  const { client, names, clock, random } = options;
  const query = cashtagQuery(options.assets);
  return poll<IntelligenceRecord>({
    source: SOCIAL_SOURCE,
    everyMs: options.everyMs ?? MINUTE_MS,
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
        // Start again if the platform refuses an old position.
        failed(error) {
          if (error instanceof VenueError && error.status === 400) sinceId = token = newest = null;
        },
      };
    },
  });
}
