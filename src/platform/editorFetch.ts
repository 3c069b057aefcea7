import { isLoopbackHost } from '../base/loopback.ts';

/** What the editor leaves of the platform's own fetch when it puts its own in place. */
interface Patched {
	__vscodeOriginalFetch?: typeof fetch;
}

/**
 * The editor's own fetch, which knows the user's proxy and certificates. It is looked up at each request, because the
 * editor puts it in place after the extension host has started. The editor sends three addresses of this machine past a
 * proxy and no others, so what would go to one of the others in clear text takes the platform's own fetch.
 */
export function editorFetch(address: string, init: RequestInit): Promise<Response> {
	const { protocol, hostname } = new URL(address);
	const isClearOnThisMachine = protocol === 'http:' && isLoopbackHost(hostname);
	const original = (globalThis as Patched).__vscodeOriginalFetch;
	return (isClearOnThisMachine ? (original ?? globalThis.fetch) : globalThis.fetch)(address, init);
}
