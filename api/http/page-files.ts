/** Headers of the terminal's files. */

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Returns the content type of a file, or undefined for a kind that pages do not use. */
export const contentTypeOf = (name: string): string | undefined => TYPES[name.slice(name.lastIndexOf('.') + 1)];

/**
 * Returns the content security policy of a page: no other host, no inline script or style, no form, no frame, and no text as markup. @param
 * more.styles Source of styles besides our own files. @param more.trustedTypes Name of the page's only trusted-types policy.
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
