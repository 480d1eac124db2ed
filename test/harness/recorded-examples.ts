/** For `npm run examples`: what tests asked and were answered, a line each, where a file for it is named. */
import { appendFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: unknown;
  readonly status: number;
  /** Null where it is not JSON, which is not recorded. */
  readonly answer: unknown;
}

const FILE = process.env['SEVENGATE_EXAMPLES'];
let naming: Promise<(method: string, url: string) => string | undefined> | null = null;

/**
 * Records one request by the name of its operation; does nothing where no file is named. What no operation is asked for, such as a
 * method that an address does not know, is recorded for its error alone.
 */
export async function recordExample({ method, url, body, status, answer }: Asked): Promise<void> {
  if (FILE === undefined || answer === null) return;
  naming ??= operationNames();
  const name = (await naming)(method, url);
  if (name === undefined && !(url.startsWith('/v1/') && status >= 400)) return;
  appendFileSync(FILE, `${JSON.stringify({ name: name ?? null, method, url, body, status, answer })}\n`);
}

/** Records what a page asks of the service. */
export function recordPage(page: Page): void {
  if (FILE === undefined) return;
  page.on('requestfinished', (request) => {
    const { pathname, search } = new URL(request.url());
    // What signs somebody in is nobody else's to read.
    if (!pathname.startsWith('/v1/') || pathname.startsWith('/v1/session')) return;
    void (async () => {
      const response = await request.response();
      const text = /json/.test((await response?.headerValue('content-type')) ?? '') ? await response?.text() : undefined;
      if (response === null || text === undefined) return;
      const given = request.postData();
      const asked = { method: request.method(), url: pathname + search, status: response.status(), answer: JSON.parse(text) as unknown };
      await recordExample({ ...asked, body: given === null ? undefined : (JSON.parse(given) as unknown) });
      // A page that is closed meanwhile has no answer to tell.
    })().catch(() => {});
  });
}

/** The document is read only where something is recorded: it takes seconds. */
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
