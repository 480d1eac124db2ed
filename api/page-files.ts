/** Headers of the files that the terminal is made of. */

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Content type of a file; undefined if it is of no kind that a page is made of. */
export const contentTypeOf = (name: string): string | undefined => TYPES[name.slice(name.lastIndexOf('.') + 1)];

/**
 * Policy of a page: no other host, no inline script or style, no form, no frame, and no text that becomes markup.
 * @param more.styles Source of styles beside our own files.
 * @param more.trustedTypes Name of the one policy of trusted types that the page makes.
 */
export function pagePolicy({ styles, trustedTypes }: { readonly styles?: string; readonly trustedTypes?: string } = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles === undefined ? '' : ` ${styles}`}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...(trustedTypes === undefined ? [] : [`trusted-types ${trustedTypes}`]),
  ].join('; ');
}
