import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';

export const KEY_KINDS: readonly KeyKind[] = ['inference', 'cloud', 'agent'];

/** How the name of every key's secret begins. */
export const SECRET_PREFIX = 'errand.key.';

/** The secret's name. Fixed: other windows and later versions read it. */
export function secretName(connection: string, kind: KeyKind): string {
	return `${SECRET_PREFIX}${connection}.${kind}`;
}

export type KeyProblem = 'empty' | 'characters' | 'inference-form' | 'prefix';

/** Keys of the inference hosts and of the agent API begin so (contract: Authentication in documents 1 and 3). */
export const INFERENCE_KEY_PREFIX = 'sk-';

/** What is wrong with the form of a key, or undefined. A cloud token's prefix is known where the connection says it. */
export function keyProblem(
	kind: KeyKind,
	key: string,
	connection: Pick<Connection, 'cloudTokenPrefix'>,
): KeyProblem | undefined {
	if (key === '') {
		return 'empty';
	}
	if (!/^[\x21-\x7e]+$/.test(key)) {
		return 'characters';
	}
	if (kind === 'cloud') {
		const prefix = connection.cloudTokenPrefix;
		return prefix !== undefined && !key.startsWith(prefix) ? 'prefix' : undefined;
	}
	return key.startsWith(INFERENCE_KEY_PREFIX) && key.length > INFERENCE_KEY_PREFIX.length
		? undefined
		: 'inference-form';
}

/** The last four characters, only of a key so long that they give nothing away. */
export function keyEnding(key: string): string {
	return key.length >= 12 ? key.slice(-4) : '';
}

/** The origins that a kind of key is sent to, sorted, each once. Empty: the connection has no host for it. */
export function keyOrigins(kind: KeyKind, connection: Connection): string[] {
	const urls =
		kind === 'inference'
			? [connection.apiUrl, connection.enterpriseUrl, connection.orgUrl, connection.encryptUrl]
			: kind === 'cloud'
				? [connection.cloudUrl]
				: [connection.agentUrl];
	return [...new Set(urls.filter(url => url !== undefined).map(url => new URL(url).origin))].sort();
}

/** A key may go to these origins only if it was saved for each of them. */
export function isSavedFor(saved: readonly string[], origins: readonly string[]): boolean {
	return origins.every(origin => saved.includes(origin));
}
