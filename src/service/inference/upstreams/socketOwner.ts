// Which user of this machine a program belongs to that listens at a port.
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import type { ServerOwner } from '../../../contract/foundServers.ts';

/** The state of a socket that listens, as the kernel's tables write it. */
const LISTENING = '0A';

/** Below it, system accounts; the last number of all stands for users that this part of the system does not know. */
const FIRST_PERSON = 1000;

/** Words of four bytes in the machine's own order, as the tables write addresses. */
function tableForm(words: readonly number[]): string {
	const bytes = Buffer.alloc(4);
	return words
		.map(word => {
			bytes.writeUInt32BE(word);
			return (os.endianness() === 'LE' ? bytes.readUInt32LE() : word).toString(16).toUpperCase().padStart(8, '0');
		})
		.join('');
}

/** Where a connection to 127.0.0.1 may end: at that address, or at every address, each in either family. */
const REACHED: ReadonlySet<string> = new Set(
	[[0], [0x7f000001], [0, 0, 0, 0], [0, 0, 0xffff, 0], [0, 0, 0xffff, 0x7f000001]].map(tableForm),
);

/** The users whose sockets take connections to 127.0.0.1 at the port. `table` as /proc/net/tcp and /proc/net/tcp6 are. */
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

/** The name of a user in text as /etc/passwd is. Undefined where it has none there. */
export function nameOfUser(passwd: string, user: number): string | undefined {
	const line = passwd.split('\n').find(entry => entry.split(':')[2] === String(user));
	return line?.split(':')[0] || undefined;
}

/** Who listens at the port for connections to 127.0.0.1. Known on Linux alone, and only where it is one user. */
export async function ownerOfPort(port: number): Promise<ServerOwner> {
	const unknown: ServerOwner = { kind: 'unknown', user: '' };
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

function kindOf(user: number): ServerOwner['kind'] {
	if (user === process.getuid?.()) {
		return 'own';
	}
	if (user === 0) {
		return 'root';
	}
	return user < FIRST_PERSON ? 'system' : 'other';
}
