import { BlockList, isIP } from 'node:net';
import { withoutBrackets } from './hostname.ts';
import { isLoopbackHost } from './loopback.ts';

const privateAddresses = new BlockList();
for (const [network, prefix] of [
	['0.0.0.0', 8],
	['10.0.0.0', 8],
	['100.64.0.0', 10],
	['127.0.0.0', 8],
	['169.254.0.0', 16],
	['172.16.0.0', 12],
	['192.0.0.0', 24],
	['192.168.0.0', 16],
	['198.18.0.0', 15],
	['224.0.0.0', 4],
	['240.0.0.0', 4],
] as const) {
	privateAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
	['::', 96],
	// IPv6 forms in which translators and tunnels embed IPv4 addresses, which may lead anywhere.
	['::ffff:0:0:0', 96],
	['64:ff9b::', 96],
	['64:ff9b:1::', 48],
	['2001::', 32],
	['2002::', 16],
	['fc00::', 7],
	['fe80::', 9],
	['ff00::', 8],
] as const) {
	privateAddresses.addSubnet(network, prefix, 'ipv6');
}

/**
 * Returns whether an address belongs to this machine, to its network or to no single machine. Text that is not an
 * address counts as private.
 */
export function isPrivateAddress(address: string): boolean {
	const version = isIP(address);
	// An IPv4 address inside an IPv6 one is judged as IPv4.
	return version === 0 || privateAddresses.check(address.replace(/%.*$/, ''), version === 6 ? 'ipv6' : 'ipv4');
}

/** Returns whether the host of a URL is this machine or one in its own network, as far as the name alone tells. */
export function isNearHost(hostname: string): boolean {
	const address = withoutBrackets(hostname);
	return isLoopbackHost(hostname) || (isIP(address) !== 0 && isPrivateAddress(address)) || hostname.endsWith('.local');
}
