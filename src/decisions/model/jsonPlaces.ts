// Where the parts of a JSON text stand in it.

/** Offsets in UTF-16 code units; the end is exclusive. */
export interface JsonPlace {
	start: number;
	end: number;
}

const TOKEN = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/g;

/** Identifies a part by the keys and indexes that lead to it. */
export function pathKey(path: readonly PropertyKey[]): string {
	return JSON.stringify(path.map(String));
}

/**
 * Deeper parts have no place of their own, and nothing is ever said about them: they are in the state, which may be
 * nested at will, and the path of each would take as long as it is deep.
 */
const MAXIMUM_DEPTH = 8;

interface Container {
	/** The next index of a list; undefined for an object. */
	index: number | undefined;
	/** The key that a value is expected for. */
	key: string | undefined;
}

/**
 * Returns the place of each part of a valid JSON text by its `pathKey`, as deep as something can be said about it. A
 * member of an object has the place of its key, as that is what a message about it points at; the whole text and the
 * entries of lists have the place where they begin.
 */
export function placesOf(text: string): Map<string, JsonPlace> {
	const places = new Map<string, JsonPlace>();
	const open: Container[] = [];
	const path: string[] = [];
	const keep = (token: RegExpExecArray): void => {
		if (path.length <= MAXIMUM_DEPTH) {
			places.set(pathKey(path), { start: token.index, end: token.index + token[0].length });
		}
	};
	const begin = (token: RegExpExecArray): void => {
		const inner = open.at(-1);
		if (inner?.index !== undefined) {
			path.push(String(inner.index++));
			keep(token);
		} else if (!inner) {
			keep(token);
		}
	};
	const end = (): void => {
		const inner = open.at(-1);
		if (inner) {
			path.pop();
			inner.key = undefined;
		}
	};
	for (const token of text.matchAll(TOKEN)) {
		const inner = open.at(-1);
		const [word] = token;
		if (word === '{' || word === '[') {
			begin(token);
			open.push({ index: word === '[' ? 0 : undefined, key: undefined });
		} else if (word === '}' || word === ']') {
			open.pop();
			end();
		} else if (word === ':' || word === ',') {
			// Separators say nothing that the order of the others does not.
		} else if (inner && inner.index === undefined && inner.key === undefined) {
			inner.key = JSON.parse(word) as string;
			path.push(inner.key);
			keep(token);
		} else {
			begin(token);
			end();
		}
	}
	return places;
}

/** Returns the place of a part, or of the nearest part around it that the text has. */
export function nearestPlace(places: ReadonlyMap<string, JsonPlace>, path: readonly PropertyKey[]): JsonPlace {
	for (let length = path.length; length >= 0; length--) {
		const found = places.get(pathKey(path.slice(0, length)));
		if (found) {
			return found;
		}
	}
	return { start: 0, end: 0 };
}
