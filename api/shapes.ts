/** Building blocks of the wire schemas, the single source for validation, types, serialization and the OpenAPI document. */
import { type Static, type TSchema, Type } from 'typebox';
import { AS_STORED, choice, DecimalText, IdText, nullable } from '../src/core/shapes.ts';
import type { RiskAttribution, RiskRejection } from '../src/domain/agents/decision.ts';
import { EXECUTABLE_VENUES, VENUES } from '../src/domain/market/venue.ts';
import { SHOWN_PATTERN } from '../src/domain/values/shown-text.ts';
import { withAgesInWords } from '../src/domain/values/words.ts';

export {
  AutonomyWord,
  asStored,
  choice,
  DecimalText,
  GateCheckBody,
  HashText,
  IdText,
  NullableDecimalText,
  NullableTime,
  nullable,
  nullableChoice,
  PauseCauseWord,
  QualityFlags,
  QualityWord,
  StageWord,
  Time,
  walletAddress,
} from '../src/core/shapes.ts';

/** Returns the schema of a name that other people read: no invisible characters, and not only spaces. */
export function shownText(maxLength: number, description?: string) {
  return Type.String({ minLength: 1, maxLength, pattern: SHOWN_PATTERN, ...(description === undefined ? {} : { description }) });
}

/** One side of an order book. */
export const BookSide = Type.Array(Type.Object({ price: DecimalText, size: DecimalText }), { description: 'Best first.' });

export const VenueWord = choice(VENUES, 'A source of prices; `reference` is never executable.');
export const ExecutableVenueWord = choice(EXECUTABLE_VENUES);
export const MaxAge = Type.Integer({ description: 'Highest age at which the quote is `live`, in milliseconds.' });

/** Any JSON value. */
export const AnyJson = Type.Unsafe<unknown>({});

/** Largest version number of an actor or a manifest in PostgreSQL. */
const LAST_VERSION = 2_147_483_647;

/** Returns the schema of a version number. */
export const versionSchema = (minimum: 0 | 1, description: string) => Type.Integer({ minimum, maximum: LAST_VERSION, description });

/** A plain number, checked by its own reader. */
export const AnyNumber = Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** Query fields of every list. */
export const pageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Most items of the page.' })),
  cursor: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,200}$', description: '`nextCursor` of the previous page.' })),
};
export const DEFAULT_LIMIT = 50;

/** A page of a list. */
export function pageSchema<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: nullable('string', 'Send as `cursor` for the next page; null on the last page.'),
  });
}

/** Creates the schema of a JSON object with named fields and no others. */
export function objectSchema<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

export type PageQuery = Static<ReturnType<typeof objectSchema<typeof pageFields>>>;

/** Body of a request whose path says everything: none, or an empty object. */
export const EmptyBody = Type.Object({}, { additionalProperties: false });

export const AgentPath = objectSchema({ id: IdText });

/** Returns the schema from which a serializer is compiled. */
export function serializable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(serializable);
  if (typeof node !== 'object' || node === null) return node;
  if (AS_STORED in node) return {};
  return Object.fromEntries(Object.entries(node).flatMap(([key, value]) => (key === '$id' ? [] : [[key, serializable(value)]])));
}

const inWords = (text: string | null): string | null => (text === null ? null : withAgesInWords(text));

/** Returns rejections with ages in words, such as `27 h old`. Decision records keep the hashed milliseconds. */
export function rejectionsInWords(rejections: readonly RiskRejection[]): RiskRejection[] {
  return rejections.map((found) => ({ ...found, before: inWords(found.before), after: inWords(found.after) }));
}

/** Returns the risk attribution of an order with its breaches in words. */
export function attributionInWords(risk: RiskAttribution | null): RiskAttribution | null {
  return risk === null ? null : { ...risk, rejections: rejectionsInWords(risk.rejections) };
}
