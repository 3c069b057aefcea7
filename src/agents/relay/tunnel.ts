// CONNECT for package managers: a tunnel from the sandbox to one allowed host.

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { untilAborted } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { type Environment, environmentProxy } from '../../base/environmentProxy.ts';
import { pinned } from '../../base/guardedRequest.ts';
import { withoutBrackets } from '../../base/hostname.ts';
import { isLoopbackHost } from '../../base/loopback.ts';
import { isPrivateAddress } from '../../base/privateAddress.ts';

/** The time limit for resolving and reaching a host. */
const CONNECT_MS = 20_000;
/** The time limit for looking up a name that a proxy may know instead. */
const LOOK_UP_BEHIND_PROXY_MS = 3_000;
/** The time after which a silent tunnel is closed. */
const IDLE_MS = 300_000;

/** The reason why there is no connection. The message is a sentence for the log. */
export class TunnelRefused extends Error {
	override readonly name = 'TunnelRefused';
	/** True if the connection was not permitted, rather than failed. */
	readonly isForbidden: boolean;

	constructor(message: string, isForbidden: boolean) {
		super(message);
		this.isForbidden = isForbidden;
	}
}

export interface Target {
	/** The host has the form of `URL.hostname`: lower case, IPv6 in brackets. */
	host: string;
	port: number;
}

/** Reads the target of a CONNECT request. Returns undefined if it is not `host:port` with a valid host and port. */
export function targetOf(text: string): Target | undefined {
	const [, name = '', digits = ''] = /^([a-z0-9._-]{1,254}|\[[0-9a-f:.]{2,45}\]):(\d{1,5})$/i.exec(text) ?? [];
	const host = URL.parse(`https://${name}`)?.hostname.replace(/\.$/, '');
	const port = Number(digits);
	return name !== '' && host !== undefined && host !== '' && port > 0 && port < 65_536 ? { host, port } : undefined;
}

export interface OutwardOptions {
	allowsHost(host: string, port: number, name?: string): boolean;
	resolve(host: string): Promise<readonly string[]>;
	environment: Readonly<Record<string, string | undefined>>;
	signal: AbortSignal;
}

/**
 * Connects to an allowed host, through the proxy of the environment if there is one.
 * @throws TunnelRefused if the host was not allowed, is a name for this machine or its network, or cannot be reached;
 * the signal's reason if it aborts.
 */
export async function connectOutward(target: Target, options: OutwardOptions): Promise<Duplex> {
	const { host, port } = target;
	const { allowsHost, environment } = options;
	if (!allowsHost(host, port)) {
		throw new TunnelRefused(`The connection to ${host}:${port} was refused: this host has not been allowed.`, true);
	}
	const late = AbortSignal.timeout(CONNECT_MS);
	const signal = AbortSignal.any([options.signal, late]);
	try {
		const proxy = proxyFor(host, port, environment);
		const addresses = await addressesOf(target, proxy !== undefined, { ...options, signal });
		signal.throwIfAborted();
		return proxy === undefined ? await direct(target, addresses, signal) : await throughProxy(target, proxy, signal);
	} catch (error) {
		options.signal.throwIfAborted();
		if (error instanceof TunnelRefused) {
			throw error;
		}
		const why = late.aborted ? 'it did not answer in time' : String(Reflect.get(Object(error), 'code') ?? 'it failed');
		throw new TunnelRefused(`The connection to ${host}:${port} could not be made (${why}).`, false);
	}
}

/**
 * Resolves a name once, and refuses one that leads to this machine or its network: whoever publishes a name can point
 * it anywhere. An address, like `localhost`, states where it leads, so it may be allowed explicitly.
 */
async function addressesOf(
	{ host, port }: Target,
	isBehindProxy: boolean,
	{ allowsHost, resolve, signal }: OutwardOptions,
): Promise<readonly string[]> {
	const literal = withoutBrackets(host);
	if (isIP(literal)) {
		return [literal];
	}
	const patience = isBehindProxy ? AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_BEHIND_PROXY_MS)]) : signal;
	const found = await untilAborted(resolve(host), patience).catch((error: unknown) => {
		// The name may be known to the proxy only.
		if (isBehindProxy && !signal.aborted) {
			return [];
		}
		throw error;
	});
	const isAllowed = (address: string) =>
		!isPrivateAddress(address) || isLoopbackHost(host) || allowsHost(hostOf(address), port, host);
	const hidden = found.find(address => !isAllowed(address));
	if (hidden !== undefined) {
		const where = `${hostOf(hidden)}:${port}`;
		throw new TunnelRefused(
			`The connection to ${host}:${port} was refused: the name leads to ${where}, an address of this machine or its network, which has not been allowed.`,
			true,
		);
	}
	return found;
}

function hostOf(address: string): string {
	return isIP(address) === 6 ? `[${address}]` : address;
}

async function direct({ host, port }: Target, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
	const name = withoutBrackets(host);
	const socket = connect({ host: name, port, lookup: pinned(name, addresses) });
	await untilConnected(socket, signal);
	return socket;
}

/** Resolves with what comes with the connection. The signal holds only until then. */
async function untilConnected(connecting: Socket | ClientRequest, signal: AbortSignal): Promise<unknown[]> {
	// A socket that was destroyed may fail once more, and an error without a listener would end the program.
	connecting.on('error', () => {});
	try {
		return await once(connecting, 'connect', { signal });
	} catch (error) {
		connecting.destroy();
		throw error;
	}
}

async function throughProxy({ host, port }: Target, proxy: URL, signal: AbortSignal): Promise<Duplex> {
	const { protocol, hostname, username, password } = proxy;
	const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
	const send = protocol === 'https:' ? requestSecure : requestPlain;
	const place = `${host}:${port}`;
	const request = send({
		host: withoutBrackets(hostname),
		port: proxy.port || (protocol === 'https:' ? 443 : 80),
		method: 'CONNECT',
		path: place,
		headers: {
			host: place,
			...defined({ 'proxy-authorization': username === '' ? undefined : `Basic ${credentials}` }),
		},
		agent: false,
	});
	request.end();
	// Every answer to CONNECT arrives in this way, even a refusal.
	const connected = await untilConnected(request, signal);
	const [{ statusCode }, socket, ahead] = connected as [IncomingMessage, Duplex, Buffer];
	if (statusCode !== 200) {
		socket.destroy();
		throw new TunnelRefused(`The connection to ${place} could not be made (the proxy answered ${statusCode}).`, false);
	}
	if (ahead.length > 0) {
		socket.unshift(ahead);
	}
	return socket;
}

/**
 * Carries bytes both ways until one side ends or stays silent too long. Each side waits for the other to read. The
 * caller handles the client's errors.
 */
export function carry(client: Socket, outward: Duplex): void {
	client.pipe(outward);
	outward.pipe(client);
	outward.on('error', () => {});
	outward.once('close', () => {
		// Data that the other side sent before it closed may still be on its way to the client.
		if (outward.errored === null) {
			client.destroySoon();
		} else {
			client.destroy();
		}
	});
	client.once('close', () => outward.destroy());
	client.setTimeout(IDLE_MS, () => client.destroy());
}

/**
 * Returns the proxy for a connection to `host` and `port`, or undefined for a direct one, as always to this machine.
 * `host` has the form of `URL.hostname`. The environment is read as the service's own transport reads it.
 */
export function proxyFor(host: string, port: number, environment: Environment): URL | undefined {
	const exceptions = environment['no_proxy'] || environment['NO_PROXY'] || '';
	const proxy = environmentProxy(environment, 'https');
	const isUsable = proxy?.protocol === 'http:' || proxy?.protocol === 'https:';
	return isUsable && !isLoopbackHost(host) && !isExcepted(host, port, exceptions) ? proxy : undefined;
}

/** Entries are separated by commas or white space: `*`, a name, or a suffix that begins with a dot or an asterisk. */
function isExcepted(host: string, port: number, exceptions: string): boolean {
	return exceptions
		.toLowerCase()
		.split(/[\s,]+/)
		.some(entry => {
			const [, name = entry, onlyPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
			if (name === '*') {
				return true;
			}
			if (name === '' || (onlyPort !== undefined && Number(onlyPort) !== port)) {
				return false;
			}
			return /^[.*]/.test(name) ? host.endsWith(name.replace(/^\*/, '')) : host === name;
		});
}
