// Converts the names and forms of public practice into those of the contract.
import { defined } from '../base/defined.ts';
import type { Fields } from '../base/fields.ts';

/** Replaces a part that no model here accepts, such as a sound. */
export const OMITTED_PART = '(a part that cannot be passed on)';

/** Public practice has two names for the system role: `developer` is converted to `system`. */
export function roleOf(role: unknown): unknown {
	return role === 'developer' ? 'system' : role;
}

/** Returns the fields of a chat request with the token limit and `stop` in the contract's form. */
export function withDocumentedNames({ max_completion_tokens: limit, stop, ...rest }: Fields): Fields {
	return {
		...rest,
		...defined({ max_tokens: rest['max_tokens'] ?? limit, stop: typeof stop === 'string' ? [stop] : stop }),
	};
}
