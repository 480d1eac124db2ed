/** Files share a process and its modules: tokens that one of them listed are not in the catalog of the next, and its databases go. */
import { afterAll } from 'vitest';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { dropTestDatabases } from './postgres.ts';

afterAll(async () => {
  CATALOG.list([]);
  await dropTestDatabases();
});
