import { placeOfSignIn, readServerAddress } from '../../contract/mcpServers.ts';
import { clientKey, formFor, type Kept, readKept } from './authorization.ts';
import { RemoteRequests } from './remoteRequest.ts';

const REVOKE_MS = 10_000;

export interface SignOutSecrets {
	keys(): PromiseLike<readonly string[]>;
	get(key: string): PromiseLike<string | undefined>;
	delete(key: string): PromiseLike<void>;
}

/**
 * Forgets the sign-in with this key, and the registration at its authorization server unless another sign-in is from
 * there too, and asks that server to end the access. Resolves to whether it says that it has.
 */
export async function signOut(key: string, secrets: SignOutSecrets): Promise<boolean> {
	const kept = readKept(await secrets.get(key));
	await secrets.delete(key);
	if (kept === undefined) {
		return false;
	}
	const others = (await secrets.keys()).filter(other => placeOfSignIn(other) !== undefined);
	const signIns = await Promise.all(others.map(async other => readKept(await secrets.get(other))));
	if (!signIns.some(other => other?.issuer === kept.issuer)) {
		await secrets.delete(clientKey(kept.issuer));
	}
	return revoke(key, kept).catch(() => false);
}

/** Rejects if the server cannot be reached. */
async function revoke(key: string, { revocation, client, accessToken, refreshToken }: Kept): Promise<boolean> {
	const endpoint = readServerAddress(revocation?.endpoint ?? '');
	const place = placeOfSignIn(key);
	if (revocation === undefined || endpoint === undefined || place === undefined) {
		return false;
	}
	const file = place.folder === '' ? undefined : place.folder;
	const requests = new RemoteRequests({ file, url: place.url.href, hosts: revocation.hosts });
	const tokens = { refresh_token: refreshToken, access_token: accessToken };
	const statuses: number[] = [];
	for (const [kind, token] of Object.entries(tokens)) {
		if (token !== undefined) {
			const signal = AbortSignal.timeout(REVOKE_MS);
			const request = { method: 'POST', ...formFor(client, { token, token_type_hint: kind }) } as const;
			const { status } = await requests.readJson(endpoint, { ...request, maximumRedirects: 0, signal });
			statuses.push(status);
		}
	}
	return statuses.every(status => status === 200);
}
