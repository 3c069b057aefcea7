// Classifies why a connection failed, as far as the errors of Node, OpenSSL and undici tell.
import { causesOf } from './errors.ts';

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
		const place = code !== undefined && UNREACHABLE_CODES.has(code) ? placeOf(cause) : undefined;
		if (code !== undefined && place !== undefined) {
			return { kind: 'unreachable', place, code };
		}
	}
	return undefined;
}

/**
 * Returns the address that was tried. A host name with several addresses fails once for each, with an AggregateError.
 */
function placeOf(error: Error): string | undefined {
	const tried: Error & { address?: string; port?: number; hostname?: string } =
		error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
	if (tried.address === undefined) {
		return tried.hostname;
	}
	const { address, port } = tried;
	const host = address.includes(':') ? `[${address}]` : address;
	return port === undefined ? host : `${host}:${port}`;
}
