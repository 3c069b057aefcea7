// Checks of the network route to a host that do not ask the service anything.

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';
import tls from 'node:tls';
import * as vscode from 'vscode';
import { untilAborted } from '../../base/async.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { placeOf, withoutBrackets } from '../../base/hostname.ts';
import { isLoopbackHost } from '../../base/loopback.ts';
import { readEditorProxy } from '../../platform/settings.ts';
import type { AskingContext } from '../hosts/askHost.ts';
import { type DiagnosisFinding, findingsOn } from '../model/diagnosis.ts';
import { type NamedProxy, proxyOf } from '../model/proxyOf.ts';

const LIMIT_MS = 8_000;
/** A certificate that ends sooner than this is mentioned. */
const SOON_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The error of a clock above which certificates and attestations are affected. */
const CLOCK_MS = 60_000;

/** Checks the names, the proxies and the certificates of the hosts at these addresses, and this machine's clock. */
export async function checkNetwork(urls: readonly string[], context: AskingContext): Promise<DiagnosisFinding[]> {
	const origins = [...new Set(urls.map(url => new URL(url).origin))];
	return (await Promise.all(origins.map(origin => checkOrigin(origin, context)))).flat();
}

async function checkOrigin(origin: string, context: AskingContext): Promise<DiagnosisFinding[]> {
	const { protocol, hostname } = new URL(origin);
	if (protocol === 'http:' && isLoopbackHost(hostname)) {
		// Such a host is reached without a look-up, a proxy and TLS.
		return [await checkClock(origin, context)];
	}
	const proxy = proxyOf(origin, { ...readEditorProxy(), environment: process.env });
	const found = await Promise.all([
		checkName(origin, proxy, context.signal),
		checkProxy(origin, proxy, context.signal),
		checkCertificate(origin, proxy, context),
		checkClock(origin, context),
	]);
	return found.filter(finding => finding !== undefined);
}

const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);

async function checkName(origin: string, proxy: NamedProxy, signal: AbortSignal): Promise<DiagnosisFinding> {
	const host = withoutBrackets(new URL(origin).hostname);
	if (net.isIP(host) !== 0) {
		return findingsOn(vscode.l10n.t('Address {0}', host)).fine(vscode.l10n.t('doesn’t need to be resolved.'));
	}
	const { fine, note, problem } = findingsOn(vscode.l10n.t('Name {0}', host));
	try {
		const addresses = await untilAborted(lookup(host, { all: true }), limited(signal));
		const shown = addresses.map(({ address }) => address).slice(0, 3);
		return fine(vscode.l10n.t('resolves to {0}.', shown.join(', ')));
	} catch (error) {
		signal.throwIfAborted();
		const code = systemErrorCode(error) ?? 'ETIMEDOUT';
		return proxy.kind === 'proxy'
			? note(vscode.l10n.t('not known on this machine ({0}); the proxy resolves names itself.', code))
			: problem(
					vscode.l10n.t('couldn’t be resolved ({0}).', code),
					vscode.l10n.t(
						'Check the spelling of the address, your network and VPN. If you’re behind a proxy, set http.proxy.',
					),
				);
	}
}

async function checkProxy(origin: string, proxy: NamedProxy, signal: AbortSignal): Promise<DiagnosisFinding> {
	const { fine, problem } = findingsOn(vscode.l10n.t('Proxy for {0}', placeOf(origin)));
	switch (proxy.kind) {
		case 'none':
			return fine(
				vscode.l10n.t(
					'none in http.proxy or in the environment. Errand can’t detect a proxy that’s only set in the system.',
				),
			);
		case 'except':
			return fine(vscode.l10n.t('none, because {0} lists the host.', proxy.from));
		case 'unreadable':
			return problem(
				vscode.l10n.t('{0} doesn’t contain a valid address.', proxy.from),
				vscode.l10n.t('Use the form http://host:port.'),
			);
		case 'proxy': {
			const place = `${proxy.host}:${proxy.port}`;
			const code = await connectProblem(withoutBrackets(proxy.host), proxy.port, signal);
			return code === undefined
				? fine(vscode.l10n.t('{0} of {1} accepts connections.', place, proxy.from))
				: problem(
						vscode.l10n.t('{0} of {1} couldn’t be reached ({2}).', place, proxy.from, code),
						vscode.l10n.t('Correct {0}, or contact the proxy’s administrator.', proxy.from),
					);
		}
	}
}

/** Returns the code of the error, or undefined once a connection was made. */
async function connectProblem(host: string, port: number, signal: AbortSignal): Promise<string | undefined> {
	const socket = net.connect({ host, port });
	try {
		await untilAborted(once(socket, 'connect'), limited(signal));
		return undefined;
	} catch (error) {
		signal.throwIfAborted();
		return systemErrorCode(error) ?? 'ETIMEDOUT';
	} finally {
		socket.destroy();
	}
}

/**
 * Reads the certificate on a separate connection. The result is never a success: only a request to the address shows
 * whether the editor accepts the certificate.
 */
async function checkCertificate(
	origin: string,
	proxy: NamedProxy,
	{ clock, signal }: AskingContext,
): Promise<DiagnosisFinding | undefined> {
	const { hostname, port } = new URL(origin);
	if (proxy.kind === 'proxy') {
		return undefined;
	}
	const host = withoutBrackets(hostname);
	const name = net.isIP(host) === 0 ? { servername: host } : {};
	// The certificate is only inspected here, and nothing is sent on this connection.
	const socket = tls.connect({ host, port: Number(port || 443), ...name, rejectUnauthorized: false });
	try {
		await untilAborted(once(socket, 'secureConnect'), limited(signal));
		const { issuer, valid_to } = socket.getPeerCertificate();
		const ends = Date.parse(valid_to);
		const by = issuer?.O ?? issuer?.CN ?? vscode.l10n.t('an unnamed authority');
		const until = Number.isNaN(ends) ? '?' : new Date(ends).toISOString().slice(0, 10);
		const isSoon = ends - clock.now() < SOON_DAYS * DAY_MS;
		const protocol = socket.getProtocol() ?? 'TLS';
		return findingsOn(vscode.l10n.t('TLS of {0}', placeOf(origin))).note(
			vscode.l10n.t('{0}, certificate issued by “{1}”, valid until {2}.', protocol, String(by), until),
			isSoon ? vscode.l10n.t('The service’s administrator has to renew it.') : undefined,
		);
	} catch {
		signal.throwIfAborted();
		// The request to the address reports the same problem in its own words.
		return undefined;
	} finally {
		socket.destroy();
	}
}

/** Sends a request without a key, as every reply, even a refusal, may tell the time. */
async function checkClock(origin: string, { transport, clock, signal }: AskingContext): Promise<DiagnosisFinding> {
	const { fine, problem, unchecked } = findingsOn(vscode.l10n.t('Clock against {0}', placeOf(origin)));
	let date: number;
	try {
		const request = { method: 'HEAD', url: `${origin}/`, headers: {}, connectTimeoutMs: LIMIT_MS };
		const response = await transport.request({ ...request, signal: limited(signal) });
		await response.body[Symbol.asyncIterator]().return?.();
		date = Date.parse(response.headers.get('date') ?? '');
	} catch {
		signal.throwIfAborted();
		// The request to the address reports why there was no reply.
		date = Number.NaN;
	}
	if (Number.isNaN(date)) {
		return unchecked(vscode.l10n.t('no response included the time.'));
	}
	const ahead = clock.now() - date;
	if (Math.abs(ahead) <= CLOCK_MS) {
		return fine(vscode.l10n.t('within a minute.'));
	}
	const minutes = Math.round(Math.abs(ahead) / 60_000).toLocaleString(vscode.env.language);
	return problem(
		ahead > 0
			? vscode.l10n.t('this machine is {0} min ahead.', minutes)
			: vscode.l10n.t('this machine is {0} min behind.', minutes),
		vscode.l10n.t('Set the clock correctly. Otherwise, certificates and attestations are rejected.'),
	);
}
