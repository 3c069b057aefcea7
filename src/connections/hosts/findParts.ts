// Looks whether a service has its other parts at the address of its chat.
import { askHost, type HostContext, type HostField } from './askHost.ts';

const PARTS = ['cloudUrl', 'agentUrl', 'encryptUrl'] as const satisfies HostField[];

/**
 * Returns the fields whose part of the service answers below this address. No key is sent. A gateway that wants a key
 * whatever it is asked for says nothing about its parts, so a part that no service has is asked for as well.
 */
export async function findParts(
	url: string,
	context: HostContext & { signal: AbortSignal },
): Promise<Record<string, string>> {
	const nowhere = `${url}/errand-asks-for-nothing`;
	const [control, ...answers] = await Promise.all([
		askHost({ field: 'cloudUrl', url: nowhere }, context),
		...PARTS.map(field => askHost({ field, url }, context)),
	]);
	const wantsKeyAnywhere = control?.state !== 'failed' || control.error.code !== 'not-found';
	const found = PARTS.filter((_, index) => {
		const state = answers[index]?.state;
		return state === 'fits' || (state === 'wants-key' && !wantsKeyAnywhere);
	});
	return Object.fromEntries(found.map(field => [field, url]));
}
