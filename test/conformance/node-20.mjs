/** Lets the conformance suite start on Node.js 20: it imports `globSync` of `fs` (from Node.js 22) for a command that no proof uses. */
import { register } from 'node:module';

const source = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
const fs = source("export * from 'node:fs'; export const globSync = () => { throw new Error('globSync needs Node.js 22'); };");
register(
  source(`export async function resolve(name, context, next) {
    return name === 'fs' && context.parentURL?.includes('/conformance/dist/') ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);
  }`),
);
