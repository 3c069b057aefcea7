import process from 'node:process';
import { append } from '../../base/append.ts';

/** The number of links that Linux follows before it gives up. */
const MAXIMUM_HOPS = 40;

/**
 * Returns the names of a repository's symbolic links that lead out of it, judged by names and targets alone (`a/b` →
 * `../c`). A name that is not a link counts as a folder, because an agent may create one there. Names and targets are
 * byte strings (`latin1`), because they can be in any encoding.
 */
export function outwardLinks(links: ReadonlyMap<string, string>): string[] {
	const byKey = new Map([...links].map(([name, target]) => [keyOf(name), target]));
	return [...links.keys()].filter(name => leadsOut(name, byKey));
}

/** On file systems that ignore case, any spelling of a link's name follows it. */
function keyOf(name: string): string {
	const text = Buffer.from(name, 'latin1').toString();
	return process.platform === 'linux' ? name : text.normalize('NFC').toLowerCase();
}

function leadsOut(name: string, links: ReadonlyMap<string, string>): boolean {
	const separator = process.platform === 'win32' ? /[\\/]/ : /\//;
	/** The folders passed so far, from the top of the repository, and the steps that remain. */
	const place: string[] = [];
	const rest = name.split('/').reverse();
	let hops = 0;
	for (let step = rest.pop(); step !== undefined; step = rest.pop()) {
		if (step === '' || step === '.') {
			continue;
		}
		if (step === '..') {
			if (place.pop() === undefined) {
				return true;
			}
			continue;
		}
		place.push(step);
		const target = links.get(keyOf(place.join('/')));
		if (target === undefined) {
			continue;
		}
		if (isAbsolute(target)) {
			return true;
		}
		if (++hops > MAXIMUM_HOPS) {
			// Such a link cannot be followed.
			return false;
		}
		place.pop();
		append(rest, target.split(separator).reverse());
	}
	return false;
}

function isAbsolute(target: string): boolean {
	return process.platform === 'win32' ? /^[\\/]|^[a-z]:/i.test(target) : target.startsWith('/');
}
