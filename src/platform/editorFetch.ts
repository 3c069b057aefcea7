import { isLoopbackHost } from '../base/loopback.ts';

/** The original fetch of the platform, which the editor keeps when it installs its own. */
interface Patched {
	__vscodeOriginalFetch?: typeof fetch;
}

/**
 * The editor's own fetch, which knows the user's proxy and certificates. It is looked up at each request, because the
 * editor installs it after the extension host has started. The editor exempts only three addresses of this machine from
 * the proxy, so clear-text requests to any loopback address use the platform's own fetch.
 */
export function editorFetch(address: string, init: RequestInit): Promise<Response> {
	const { protocol, hostname } = new URL(address);
	const isClearOnThisMachine = protocol === 'http:' && isLoopbackHost(hostname);
	const original = (globalThis as Patched).__vscodeOriginalFetch;
	return (isClearOnThisMachine ? (original ?? globalThis.fetch) : globalThis.fetch)(address, init);
}
