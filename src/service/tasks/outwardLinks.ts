import process from 'node:process';

/** As many as Linux follows before it gives up. */
const MAXIMUM_HOPS = 40;

/**
 * Which of a repository's symbolic links lead out of it, by their names and targets alone (`a/b` → `../c`). A name that
 * is no link counts as a folder, as an agent may make it one. Byte strings (`latin1`), as names can be of any encoding.
 */
export function outwardLinks(links: ReadonlyMap<string, string>): string[] {
	const byKey = new Map([...links].map(([name, target]) => [keyOf(name), target]));
	return [...links.keys()].filter(name => leadsOut(name, byKey));
}

/** On file systems that do not tell upper from lower case, a link is passed through by any spelling of its name. */
function keyOf(name: string): string {
	const text = Buffer.from(name, 'latin1').toString();
	return process.platform === 'linux' ? name : text.normalize('NFC').toLowerCase();
}

function leadsOut(name: string, links: ReadonlyMap<string, string>): boolean {
	const separator = process.platform === 'win32' ? /[\\/]/ : /\//;
	/** Where the walk stands, and what it still has to go, both from the top of the repository. */
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
			// Nothing can be opened through it.
			return false;
		}
		place.pop();
		rest.push(...target.split(separator).reverse());
	}
	return false;
}

function isAbsolute(target: string): boolean {
	return process.platform === 'win32' ? /^[\\/]|^[a-z]:/i.test(target) : target.startsWith('/');
}
