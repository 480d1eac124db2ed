/** `npm run --silent openapi`: prints the API document of this version. */
import { readFileSync } from 'node:fs';
import { documentedRoutes, openApiDocument } from '../api/document/openapi.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
process.stdout.write(`${JSON.stringify(openApiDocument(documentedRoutes(), version), null, 2)}\n`);
