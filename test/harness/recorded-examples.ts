/** Records requests and answers of tests, one per line, if a file is named. For `npm run examples`. */
import { appendFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: unknown;
  readonly status: number;
  /** Null if it is not JSON. Such an answer is not recorded. */
  readonly answer: unknown;
}

const FILE = process.env['SEVENGATE_EXAMPLES'];
let naming: Promise<(method: string, url: string) => string | undefined> | null = null;

/**
 * Records one request under the name of its operation. Does nothing without a file. A request that matches no operation, such as an
 * unknown method, is recorded for its error only.
 */
export async function recordExample({ method, url, body, status, answer }: Asked): Promise<void> {
  if (FILE === undefined || answer === null) return;
  naming ??= operationNames();
  const name = (await naming)(method, url);
  if (name === undefined && !(url.startsWith('/v1/') && status >= 400)) return;
  appendFileSync(FILE, `${JSON.stringify({ name: name ?? null, method, url, body, status, answer })}\n`);
}

/** Records the requests of a page. */
export function recordPage(page: Page): void {
  if (FILE === undefined) return;
  page.on('requestfinished', (request) => {
    const { pathname, search } = new URL(request.url());
    // Requests that sign in contain secrets.
    if (!pathname.startsWith('/v1/') || pathname.startsWith('/v1/session')) return;
    void (async () => {
      const response = await request.response();
      const text = /json/.test((await response?.headerValue('content-type')) ?? '') ? await response?.text() : undefined;
      if (response === null || text === undefined) return;
      const given = request.postData();
      const asked = { method: request.method(), url: pathname + search, status: response.status(), answer: JSON.parse(text) as unknown };
      await recordExample({ ...asked, body: given === null ? undefined : (JSON.parse(given) as unknown) });
      // The page was closed meanwhile: there is no answer to record.
    })().catch(() => {});
  });
}

/** Reads the document only if something is recorded, because that takes seconds. */
async function operationNames(): Promise<(method: string, url: string) => string | undefined> {
  const { documentedRoutes, openApiDocument } = await import('../../api/document/openapi.ts');
  const { paths } = openApiDocument(documentedRoutes(), '0') as {
    readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
  };
  const templates = Object.keys(paths)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), literal: !path.includes('{') }))
    .sort((a, b) => Number(b.literal) - Number(a.literal));
  return (method, url) => {
    const plain = url.split('?')[0] as string;
    const found = templates.find(({ path, pattern }) => pattern.test(plain) && paths[path]?.[method.toLowerCase()] !== undefined);
    return found && paths[found.path]?.[method.toLowerCase()]?.operationId;
  };
}
