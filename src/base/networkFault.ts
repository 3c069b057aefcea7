// Classifies and explains why a connection failed, as far as the errors of Node, OpenSSL and undici tell.
import * as l10n from '@vscode/l10n';
import { type ClientError, causesOf, systemErrorCode } from './errors.ts';
import { placeOf } from './hostname.ts';
import { isLoopbackHost } from './loopback.ts';
import { oneLine } from './plainText.ts';

export type CertificateProblem =
	| 'self-signed'
	| 'unknown-issuer'
	| 'other-host'
	| 'expired'
	| 'not-yet-valid'
	| 'revoked';

export type NetworkFault =
	| { kind: 'certificate'; problem: CertificateProblem }
	| { kind: 'proxy-refused'; status: number }
	/** The user name or the password in the proxy's address cannot be percent-decoded. */
	| { kind: 'proxy-credentials' }
	/** `place` is the proxy's address if one is in use. */
	| { kind: 'unreachable'; place: string; code: string };

const CERTIFICATE_PROBLEMS: ReadonlyMap<string, CertificateProblem> = new Map([
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed'],
	['SELF_SIGNED_CERT_IN_CHAIN', 'unknown-issuer'],
	['UNABLE_TO_GET_ISSUER_CERT', 'unknown-issuer'],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unknown-issuer'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unknown-issuer'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'other-host'],
	['CERT_HAS_EXPIRED', 'expired'],
	['CERT_NOT_YET_VALID', 'not-yet-valid'],
	['CERT_REVOKED', 'revoked'],
]);

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
	'ECONNREFUSED',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ENOTFOUND',
	'EAI_AGAIN',
]);

/** The wording of undici's error, the only difference between a refusal by the proxy and other failures. */
const PROXY_REFUSAL = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** Returns undefined if the errors do not tell. */
export function networkFaultOf(error: unknown): NetworkFault | undefined {
	for (const cause of causesOf(error)) {
		// The proxy's credentials are the only part of an address that is percent-decoded here; our own addresses are not.
		if (cause instanceof URIError) {
			return { kind: 'proxy-credentials' };
		}
		const { code } = cause as NodeJS.ErrnoException;
		const problem = code === undefined ? undefined : CERTIFICATE_PROBLEMS.get(code);
		if (problem !== undefined) {
			return { kind: 'certificate', problem };
		}
		const refusal = PROXY_REFUSAL.exec(cause.message)?.[1];
		if (refusal !== undefined) {
			return { kind: 'proxy-refused', status: Number(refusal) };
		}
		const place = code !== undefined && UNREACHABLE_CODES.has(code) ? triedBy(cause) : undefined;
		if (code !== undefined && place !== undefined) {
			return { kind: 'unreachable', place, code };
		}
	}
	return undefined;
}

/**
 * Returns the address that was tried. A host name with several addresses fails once for each, with an AggregateError.
 */
function triedBy(error: Error): string | undefined {
	const tried: Error & { address?: string; port?: number; hostname?: string } =
		error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
	if (tried.address === undefined) {
		return tried.hostname;
	}
	const { address, port } = tried;
	const host = address.includes(':') ? `[${address}]` : address;
	return port === undefined ? host : `${host}:${port}`;
}

/** A sentence about the fault and one about what to do, for places that show them separately. */
export interface FaultParts {
	cause: string;
	step: string;
}

/**
 * Explains an error with the code `offline`. `name` is the name by which the user knows the service; `url` is its
 * address if the user has entered it.
 */
export function offlineParts(
	error: ClientError,
	{ name, url }: { name: string; url?: string | undefined },
): FaultParts {
	const fault = networkFaultOf(error);
	if (fault === undefined) {
		return url === undefined
			? {
					cause: l10n.t('{0} can’t be reached.', name),
					step: l10n.t('Check your network and the address, then try again.'),
				}
			: brokenOff(error, url, name);
	}
	const { cause, step } = networkFaultParts(fault, name);
	if (url === undefined) {
		const isUnsent = fault.kind === 'certificate' && !error.wasSent;
		return { cause: isUnsent ? `${cause} ${l10n.t('Nothing was sent.')}` : cause, step };
	}
	if (fault.kind === 'certificate' && fault.problem === 'other-host') {
		return { cause, step: l10n.t('Check the address. If it’s correct, contact the server’s administrator.') };
	}
	if (fault.kind !== 'unreachable') {
		return { cause, step };
	}
	const place = placeOf(url);
	if (fault.code === 'ENOTFOUND' || fault.code === 'EAI_AGAIN') {
		return {
			cause: name === place ? l10n.t('There is no host named {0}.', oneLine(fault.place)) : cause,
			step: l10n.t('Check the spelling and your network.'),
		};
	}
	return isLoopbackHost(new URL(url).hostname)
		? {
				cause: name === place ? l10n.t('Nothing responds at {0}: the connection was refused.', place) : cause,
				step: l10n.t('Start the server, or check the port.'),
			}
		: { cause, step };
}

function networkFaultParts(fault: NetworkFault, connection: string): FaultParts {
	switch (fault.kind) {
		case 'certificate': {
			const [cause, step] = certificateWords(fault.problem, connection);
			return { cause, step };
		}
		case 'proxy-credentials':
			return {
				cause: l10n.t('Couldn’t read the user name or password in the setting http.proxy.'),
				step: l10n.t('Write “%” as %25, “@” as %40 and “:” as %3A in them.'),
			};
		case 'proxy-refused':
			return fault.status === 407
				? {
						cause: l10n.t('The proxy requires a user name and password, or different ones (HTTP 407).'),
						step: l10n.t('Add them to the setting http.proxy, as in http://user:password@host:port.'),
					}
				: {
						cause: l10n.t('The proxy didn’t open a tunnel to {0} (HTTP {1}).', connection, fault.status),
						step: l10n.t(
							'Check the service’s address and the setting http.proxy. If the address doesn’t need a proxy, add it to http.noProxy.',
						),
					};
		case 'unreachable':
			return {
				cause: l10n.t('{0} can’t be reached: nothing responds at {1} ({2}).', connection, fault.place, fault.code),
				step: l10n.t(
					'If that’s your proxy, correct the setting http.proxy. If it’s the service, check your network and the address, then try again.',
				),
			};
	}
}

function certificateWords(problem: CertificateProblem, connection: string) {
	const words: Record<CertificateProblem, readonly [cause: string, step: string]> = {
		'self-signed': [
			l10n.t('The certificate of {0} is self-signed.', connection),
			l10n.t(
				'If you trust it, add it to the system’s certificates and restart the editor. Otherwise, contact the service’s administrator.',
			),
		],
		'unknown-issuer': [
			l10n.t('The certificate of {0} was issued by an authority that isn’t trusted on this machine.', connection),
			l10n.t(
				'If it’s your company’s own, add that authority’s certificate to the system’s certificates and restart the editor.',
			),
		],
		'other-host': [
			l10n.t('The certificate of {0} is for a different host name.', connection),
			l10n.t(
				'Check the address in the setting errand.connections. If it’s correct, contact the service’s administrator.',
			),
		],
		expired: [
			l10n.t('The certificate of {0} has expired.', connection),
			l10n.t('Check this machine’s date. If it’s correct, the service’s administrator has to renew the certificate.'),
		],
		'not-yet-valid': [
			l10n.t('The certificate of {0} is not valid yet.', connection),
			l10n.t('Check this machine’s date. If it’s correct, contact the service’s administrator.'),
		],
		revoked: [
			l10n.t('The certificate of {0} was revoked.', connection),
			l10n.t('Contact the service’s administrator.'),
		],
	};
	return words[problem];
}

/** Explains a connection that ended without an answer. */
function brokenOff(error: ClientError, url: string, name: string): FaultParts {
	if ([...causesOf(error)].some(({ message }) => message === 'bad port')) {
		return {
			cause: l10n.t('The editor doesn’t connect to the port of {0}, which is reserved for another use.', name),
			step: l10n.t('Run the server on a different port.'),
		};
	}
	const isWithoutTls = /^(?:ERR_SSL_|EPROTO)/.test(systemErrorCode(error.cause) ?? '');
	return isWithoutTls && url.startsWith('https:')
		? {
				cause: l10n.t('{0} doesn’t support https.', name),
				step: l10n.t('Start the address with http:// if the server is on your own network.'),
			}
		: {
				cause: l10n.t('{0} closed the connection before it responded.', name),
				step: l10n.t('Check the port, and whether the server uses http or https.'),
			};
}
