/** Trusted Types policy of the page: style text passes, and no text becomes an element. */

interface Policies {
  createPolicy(name: string, rules: { createHTML(text: string): string }): unknown;
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies };

// React and Mantine write style sheets as text; a style sheet contains no "<".
trustedTypes?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? '' : text) });
