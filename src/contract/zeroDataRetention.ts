// Decides whether a request runs under zero data retention (contract: inference.md, Zero data retention).
import type { Connection } from './connection.ts';
import { findModel } from './modelIdentifier.ts';
import { effectiveRoutingPolicy, type RoutedRequest } from './routing.ts';

/**
 * Zero data retention as far as it is known before a request is sent. `as-account-is-set`: nothing here demands it, and
 * no endpoint reports the account's setting. Caching in memory is not retention and makes no difference (rule 4); the
 * service itself never keeps a prompt (rule 6), so this concerns the providers only.
 */
export interface ZeroDataRetention {
	inForce: 'yes' | 'no' | 'as-account-is-set';
	because: 'request' | 'alias' | 'account' | 'code-oriented-model';
}

/**
 * `zdr: false` does not lift what the account or the model enforces (rules 2 and 3). Rule 3 about the code-oriented
 * models applies to the responses endpoint only.
 */
export function zeroDataRetentionOf(
	connection: Connection,
	request: RoutedRequest,
	endpoint: 'chat' | 'responses',
): ZeroDataRetention {
	// An alternative model that is not made for code may serve the request as well.
	const names = [request.model, ...(request.models ?? [])];
	if (endpoint === 'responses' && names.every(name => findModel(connection, name)?.codeOriented === true)) {
		return { inForce: 'yes', because: 'code-oriented-model' };
	}
	if (effectiveRoutingPolicy(connection, request).zdr === true) {
		return { inForce: 'yes', because: request.provider?.zdr === true ? 'request' : 'alias' };
	}
	const { accountZdr } = connection;
	if (accountZdr === undefined) {
		return { inForce: 'as-account-is-set', because: 'account' };
	}
	return { inForce: accountZdr ? 'yes' : 'no', because: 'account' };
}
