/** The `Location` of a 201 answer: the path of the new resource. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../route.ts';

/** Status of an answer that created something. */
export const CREATED = 201;

/**
 * Returns the path of what a route creates, or null if no route shows it. A `:name` is a parameter of the request, a `{name}` a field of
 * the answer. The nearest GET above the route's own action words shows it: `POST /v1/takes/compile` creates `/v1/takes/{id}`.
 */
export function findLocation({ url, answers }: Route, routes: readonly Route[]): string | null {
  const made = answers[CREATED];
  if (made === undefined) return null;
  if (made.shownAt !== undefined) return made.shownAt;
  const fields = (made.schema as { readonly properties?: object } | undefined)?.properties ?? {};
  for (let above = url as string; above !== ''; above = above.slice(0, above.lastIndexOf('/'))) {
    const shown = routes.find((route) => route.method === 'GET' && route.url.replace(/\/:\w+$/, '') === above && route.url !== above);
    const name = shown?.url.slice(above.length + 2);
    if (name !== undefined) return `${above}/{${name in fields ? name : 'id'}}`;
    // A parameter's sub-resource is a part of that resource, which no GET above shows.
    if (/\/:\w+$/.test(above)) return null;
  }
  return null;
}

/** Returns the hook that adds `Location` to a route's 201 answers. */
export function sendsLocation(template: string) {
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: null, payload: unknown) => void): void => {
    if (reply.statusCode === CREATED && typeof payload === 'string') {
      const path = filledIn(template, request.params as Fields, JSON.parse(payload) as Fields);
      if (path !== null) reply.header('location', path);
    }
    done(null, payload);
  };
}

type Fields = { readonly [name: string]: unknown };

/** Returns the path with its values, or null if the answer lacks one. */
function filledIn(template: string, params: Fields, answer: Fields): string | null {
  const parts = template.split('/').map((part) => {
    if (part.startsWith(':')) return params[part.slice(1)];
    if (!part.startsWith('{')) return part;
    return part
      .slice(1, -1)
      .split('.')
      .reduce<unknown>((value, name) => (value as Fields | null)?.[name], answer);
  });
  return parts.every((part) => typeof part === 'string') ? parts.map((part) => encodeURIComponent(part as string)).join('/') : null;
}
