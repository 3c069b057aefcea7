// The names and forms that clients following public practice have for what the contract has otherwise.
import { defined } from '../base/defined.ts';
import type { Fields } from '../base/fields.ts';

/** What stands in place of a part that no model here gets, such as a sound. */
export const OMITTED_PART = '(a part that cannot be passed on)';

/** Public practice has two names for the system role: `developer` is converted to `system`. */
export function roleOf(role: unknown): unknown {
	return role === 'developer' ? 'system' : role;
}

/** Returns the fields of a chat request with their limit of tokens and their `stop` as the contract has them. */
export function withDocumentedNames({ max_completion_tokens: limit, stop, ...rest }: Fields): Fields {
	return {
		...rest,
		...defined({ max_tokens: rest['max_tokens'] ?? limit, stop: typeof stop === 'string' ? [stop] : stop }),
	};
}
