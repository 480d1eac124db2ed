/**
 * Id of the advisory lock for changing the schema and registering writers, which prevents deadlocks between processes that start at once.
 * Any constant works.
 */
export const SCHEMA_LOCK = 7_070_707;
