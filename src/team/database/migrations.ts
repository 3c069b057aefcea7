import type { Pool } from 'pg';

/** Brings the schema up to this version. @throws UserFacingError if it is of a newer version. */
export declare function migrate(pool: Pool): Promise<void>;

/** @throws UserFacingError if the schema is not of this version. */
export declare function checkSchema(pool: Pool): Promise<void>;
