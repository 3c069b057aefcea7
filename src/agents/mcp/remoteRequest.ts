// Requests to an MCP server at an address, and to the authorization server that it names. All of them go through one
// check of addresses.
import type { IncomingMessage } from 'node:http';
import { describeError, systemErrorCode, UserFacingError } from '../../base/errors.ts';
import { checkGuarded, GuardRefusal, type OpenedRequest, openGuarded, readGuarded } from '../../base/guardedRequest.ts';
import { parseJson } from '../../base/json.ts';
import { isLoopbackHost } from '../../base/loopback.ts';
import { oneLine } from '../../base/plainText.ts';
import type { RemoteServer } from '../../contract/mcpServers.ts';

const MAXIMUM_PLACE = 200;
/** The bytes of a reply in JSON. */
const MAXIMUM_BYTES = 256 * 1024;

/** Sends requests for one server. Each function rejects with the signal's reason, or with a UserFacingError. */
export class RemoteRequests {
	private readonly trustedOrigins: readonly string[];

	/** Only a server of the user's own settings can lead into their network, and only to the hosts that it names. */
	constructor({ file, url, hosts }: Pick<RemoteServer, 'file' | 'url' | 'hosts'>) {
		const named = hosts.flatMap(host => {
			const { origin, hostname } = new URL(`https://${host}`);
			return isLoopbackHost(hostname) ? [origin, `http://${host}`] : [origin];
		});
		this.trustedOrigins = file === undefined ? [new URL(url).origin, ...named] : [];
	}

	/** Resolves with the head of the reply, whatever its status. */
	async open(url: URL, request: Omit<OpenedRequest, 'trustedOrigins'>): Promise<IncomingMessage> {
		return this.run(url, request.signal, () => openGuarded(url, { ...request, trustedOrigins: this.trustedOrigins }));
	}

	/** Resolves with the status and the JSON of a reply; `value` is undefined if it is something else. */
	async readJson(
		url: URL,
		request: Omit<OpenedRequest, 'trustedOrigins'>,
	): Promise<{ status: number; value: unknown }> {
		const response = await this.open(url, request);
		const bytes = await this.run(url, request.signal, () => readGuarded(response, MAXIMUM_BYTES));
		return { status: response.statusCode ?? 0, value: parseJson(Buffer.from(bytes).toString('utf8')) };
	}

	/** Checks an address that the browser is to open. */
	async check(url: URL, signal: AbortSignal): Promise<void> {
		await this.run(url, signal, () => checkGuarded(url, { trustedOrigins: this.trustedOrigins }, signal));
	}

	private async run<T>(url: URL, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			// A timeout of a request is a failure like others.
			if (signal.aborted && (signal.reason as Error).name !== 'TimeoutError') {
				throw signal.reason;
			}
			throw new UserFacingError(sentenceOf(error, url), { cause: error });
		}
	}
}

/** Says why there was no reply. It is read after the name of the server. */
export function sentenceOf(error: unknown, { host }: URL): string {
	const place = oneLine(host, MAXIMUM_PLACE);
	// The caller says nothing of a request that somebody has ended, so a signal that aborted was a time limit.
	if (['TimeoutError', 'AbortError'].includes((error as Error).name)) {
		return `${place} has not answered in time. Try again later.`;
	}
	if (!(error instanceof GuardRefusal)) {
		const code = systemErrorCode(error) ?? describeError(error);
		return `${place} cannot be reached (${oneLine(code, MAXIMUM_PLACE)}). Check the address and the network.`;
	}
	switch (error.reason) {
		case 'private':
			return `${place} leads into this machine or its network. Only a server in errand.agents.mcpServers can name such a host.`;
		case 'port':
			return `the port of ${place} belongs to another protocol. Correct the address.`;
		case 'redirected': {
			const target = error.target === undefined ? 'in a circle' : `to ${oneLine(error.target.origin, MAXIMUM_PLACE)}`;
			return `${place} redirects ${target}, which is not followed. Declare the address that it should be.`;
		}
		case 'too-large':
			return `${place} sent more than is read of one answer. Ask for less.`;
		case 'unreachable':
			return `${place} refused (HTTP ${error.status}).`;
	}
}
