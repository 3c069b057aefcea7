// A network of the soak's own, in which a route can be taken away without touching that of the machine.
import { execFileSync, spawnSync } from 'node:child_process';

const OWN = 'ERRAND_SOAK_NETWORK';
/** Rules that are asked before those that stand for the machine itself. */
const FIRST = '10';
const LOOPBACK = '20';

/**
 * Runs the program again in a network namespace, which only root can make on Linux, and ends with it. Returns whether
 * this is that second run.
 */
export function enterOwnNetwork(): boolean {
	if (process.env[OWN] === undefined && spawnSync('unshare', ['--net', 'true']).status === 0) {
		const command = ['--net', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
		const { status } = spawnSync('unshare', command, { stdio: 'inherit', env: { ...process.env, [OWN]: 'yes' } });
		process.exit(status ?? 1);
	}
	if (process.env[OWN] === undefined) {
		return false;
	}
	try {
		ip('link', 'set', 'lo', 'up');
		// The kernel asks the rule for its own addresses before all others, and no rule can stand before it.
		ip('rule', 'add', 'pref', LOOPBACK, 'lookup', 'local');
		ip('rule', 'del', 'pref', '0');
		return true;
	} catch (error) {
		throw new Error('The network of the soak could not be set up. Is “ip” of iproute2 installed?', { cause: error });
	}
}

/** Takes the route to a server away, or gives it back. Nobody is told, and who connects finds no network. */
export function setRoute(address: string, is: 'there' | 'gone'): void {
	for (const end of ['dport', 'sport']) {
		ip(
			'rule',
			is === 'gone' ? 'add' : 'del',
			'pref',
			FIRST,
			'ipproto',
			'tcp',
			end,
			new URL(address).port,
			'unreachable',
		);
	}
}

function ip(...args: string[]): void {
	execFileSync('ip', args, { stdio: 'pipe' });
}
