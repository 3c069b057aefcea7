// Ranges of versions, as the package managers of JavaScript read them in a package.json.

interface Version {
	/** Major, minor and patch. */
	numbers: readonly [number, number, number];
	/** The parts of what stands behind a hyphen, such as `beta` and `2`. */
	preRelease: readonly string[];
}

interface Bound {
	operator: '<' | '<=' | '>' | '>=';
	version: Version;
}

const PART = String.raw`(\d+|[xX*])`;
const COMPARATOR = new RegExp(
	String.raw`^(\^|~>?|>=|<=|>|<|=)?v?${PART}(?:\.${PART})?(?:\.${PART})?(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$`,
);
const VERSION = /^v?(\d+)\.(\d+)\.(\d+)(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;
const HYPHEN = /^(\S+)\s+-\s+(\S+)$/;

/** Returns undefined where one of the two is none: a range may also be a tag or an address. */
export function isInRange(version: string, range: string): boolean | undefined {
	const [, major, minor, patch, preRelease] = VERSION.exec(version) ?? [];
	const alternatives = range.split('||').map(readAlternative);
	if (major === undefined || !alternatives.every(bounds => bounds !== undefined)) {
		return undefined;
	}
	const read: Version = {
		numbers: [Number(major), Number(minor), Number(patch)],
		preRelease: preRelease?.split('.') ?? [],
	};
	return alternatives.some(bounds => isWithin(read, bounds));
}

function isWithin(version: Version, bounds: readonly Bound[]): boolean {
	const isAdmitted =
		version.preRelease.length === 0 ||
		// A pre-release is only meant by a range that names one of the same numbers.
		bounds.some(({ version: { numbers, preRelease } }) => preRelease.length > 0 && isSame(numbers, version.numbers));
	return isAdmitted && bounds.every(bound => holds(version, bound));
}

function holds(version: Version, bound: Bound): boolean {
	const order = compare(version, bound.version);
	switch (bound.operator) {
		case '<':
			return order < 0;
		case '<=':
			return order <= 0;
		case '>':
			return order > 0;
		case '>=':
			return order >= 0;
	}
}

/** Returns what all has to hold, or undefined for a text that is no range. */
function readAlternative(text: string): Bound[] | undefined {
	const [, from, to] = HYPHEN.exec(text.trim()) ?? [];
	const comparators =
		from === undefined
			? text
					.replace(/([<>=^~])\s+/g, '$1')
					.split(/\s+/)
					.filter(Boolean)
			: [`>=${from}`, `<=${to}`];
	const bounds = comparators.map(boundsOf);
	return bounds.every(found => found !== undefined) ? bounds.flat() : undefined;
}

/** Returns what one comparator such as `^1.2` or `>=3` demands. */
function boundsOf(comparator: string): Bound[] | undefined {
	const match = COMPARATOR.exec(comparator);
	if (!match) {
		return undefined;
	}
	const [, operator = '=', ...rest] = match;
	const parts = rest.slice(0, 3).map(part => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part)));
	const [major, minor, patch] = parts;
	if (major === undefined) {
		return [];
	}
	const preRelease = patch === undefined ? [] : (rest[3]?.split('.') ?? []);
	const lowest: Version = { numbers: [major, minor ?? 0, patch ?? 0], preRelease };
	/** The first version that is not meant any more by a version of so many parts. */
	const after = (count: number): Version => ({
		numbers:
			count === 1
				? [major + 1, 0, 0]
				: count === 2
					? [major, (minor ?? 0) + 1, 0]
					: [major, minor ?? 0, (patch ?? 0) + 1],
		preRelease: [],
	});
	const isWhole = minor !== undefined && patch !== undefined;
	const next = after(minor === undefined ? 1 : 2);
	switch (operator) {
		case '>=':
		case '<':
			return [{ operator, version: lowest }];
		case '>':
			return [isWhole ? { operator, version: lowest } : { operator: '>=', version: next }];
		case '<=':
			return [isWhole ? { operator, version: lowest } : { operator: '<', version: next }];
		case '^': {
			const kept = major > 0 || minor === undefined ? 1 : minor > 0 || patch === undefined ? 2 : 3;
			return between(lowest, after(kept));
		}
		case '=':
			return isWhole
				? [
						{ operator: '>=', version: lowest },
						{ operator: '<=', version: lowest },
					]
				: between(lowest, next);
		default:
			return between(lowest, next);
	}
}

const between = (lowest: Version, end: Version): Bound[] => [
	{ operator: '>=', version: lowest },
	{ operator: '<', version: end },
];

/** Returns a number below, above or equal to 0. */
function compare(one: Version, other: Version): number {
	for (const [at, number] of one.numbers.entries()) {
		const difference = number - (other.numbers[at] ?? 0);
		if (difference !== 0) {
			return difference;
		}
	}
	if (one.preRelease.length === 0 || other.preRelease.length === 0) {
		return other.preRelease.length - one.preRelease.length;
	}
	for (const [at, part] of one.preRelease.entries()) {
		const order = comparePart(part, other.preRelease[at]);
		if (order !== 0) {
			return order;
		}
	}
	return one.preRelease.length - other.preRelease.length;
}

/** Numbers come before words, and are compared as numbers. */
function comparePart(part: string, other: string | undefined): number {
	if (other === undefined) {
		return 1;
	}
	const [number, otherNumber] = [part, other].map(text => (/^\d+$/.test(text) ? Number(text) : undefined));
	if (number !== undefined && otherNumber !== undefined) {
		return number - otherNumber;
	}
	if (number !== undefined || otherNumber !== undefined) {
		return number === undefined ? 1 : -1;
	}
	return part < other ? -1 : part > other ? 1 : 0;
}

const isSame = (one: readonly number[], other: readonly number[]) => one.every((number, at) => number === other[at]);
