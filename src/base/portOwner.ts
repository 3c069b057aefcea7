// Finds the user of this machine whose program listens on a port.
import { readFile } from 'node:fs/promises';
import os from 'node:os';

/**
 * The user who listens on a port, as the system reports it. `own`: the user who runs this program. `system`: an account
 * that no person uses. `unknown`: the system does not report it.
 */
export interface PortOwner {
	kind: 'own' | 'root' | 'system' | 'other' | 'unknown';
	/** The user's name, or `uid 1234` for a user without a name. It is empty if the user is unknown. */
	user: string;
}

/** The state of a listening socket in the kernel's tables. */
const LISTENING = '0A';

/**
 * The first user id of a person; lower ids are system accounts. The overflow id, which stands for users that are unknown
 * in this user namespace, is higher.
 */
const FIRST_PERSON = 1000;

/** Formats an address as the tables do: words of four bytes in the machine's own byte order. */
function tableForm(words: readonly number[]): string {
	const bytes = Buffer.alloc(4);
	return words
		.map(word => {
			bytes.writeUInt32BE(word);
			return (os.endianness() === 'LE' ? bytes.readUInt32LE() : word).toString(16).toUpperCase().padStart(8, '0');
		})
		.join('');
}

/** The listening addresses that accept a connection to 127.0.0.1: that address and the wildcard, in either family. */
const REACHED: ReadonlySet<string> = new Set(
	[[0], [0x7f000001], [0, 0, 0, 0], [0, 0, 0xffff, 0], [0, 0, 0xffff, 0x7f000001]].map(tableForm),
);

/**
 * Returns the users whose sockets accept connections to 127.0.0.1 on the port. `table` has the form of /proc/net/tcp
 * and /proc/net/tcp6.
 */
export function listeningUsers(table: string, port: number): Set<number> {
	const users = new Set<number>();
	for (const line of table.split('\n').slice(1)) {
		const [, local = '', , state, , , , user = ''] = line.trim().split(/\s+/);
		const [address = '', portDigits = ''] = local.split(':');
		if (state === LISTENING && REACHED.has(address) && Number.parseInt(portDigits, 16) === port && /^\d+$/.test(user)) {
			users.add(Number(user));
		}
	}
	return users;
}

/** Returns the user's name from a text in the form of /etc/passwd, or undefined if the text does not have it. */
export function nameOfUser(passwd: string, user: number): string | undefined {
	const line = passwd.split('\n').find(entry => entry.split(':')[2] === String(user));
	return line?.split(':')[0] || undefined;
}

/**
 * Returns the user who listens on the port for connections to 127.0.0.1. The user is known on Linux only, and only if
 * there is just one.
 */
export async function ownerOfPort(port: number): Promise<PortOwner> {
	const unknown: PortOwner = { kind: 'unknown', user: '' };
	if (process.platform !== 'linux') {
		return unknown;
	}
	const [four, six, passwd] = await Promise.all(
		['/proc/net/tcp', '/proc/net/tcp6', '/etc/passwd'].map(file => readFile(file, 'utf8').catch(() => '')),
	);
	const [user, ...others] = new Set([...listeningUsers(four ?? '', port), ...listeningUsers(six ?? '', port)]);
	if (user === undefined || others.length > 0) {
		return unknown;
	}
	return { kind: kindOf(user), user: nameOfUser(passwd ?? '', user) ?? `uid ${user}` };
}

function kindOf(user: number): PortOwner['kind'] {
	if (user === process.getuid?.()) {
		return 'own';
	}
	if (user === 0) {
		return 'root';
	}
	return user < FIRST_PERSON ? 'system' : 'other';
}
