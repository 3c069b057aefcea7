const UNRELEASED = '## [Unreleased]';

/**
 * Returns the changelog with everything that was unreleased assigned to a version.
 * @param date in the form 2026-01-31
 * @throws if nothing is unreleased
 */
export function releaseChanges(changelog: string, version: string, date: string): string {
	const [before, rest] = split(changelog, `${UNRELEASED}\n`);
	if (before === undefined) {
		throw new Error(`CHANGELOG.md has no heading "${UNRELEASED}". Add it above the latest version.`);
	}
	if (changesOf(rest) === '') {
		throw new Error(`CHANGELOG.md names no change under "${UNRELEASED}". Say there what is new for users.`);
	}
	return `${before}${UNRELEASED}\n\n## [${version}] - ${date}\n${rest}`;
}

/**
 * Returns the changelog's entries for a version, without the heading.
 * @throws if there are none
 */
export function changesIn(changelog: string, version: string): string {
	const heading = changelog.split('\n').find(line => line.startsWith(`## [${version}]`));
	const [, rest] = heading === undefined ? [] : split(changelog, `${heading}\n`);
	const changes = changesOf(rest ?? '');
	if (changes === '') {
		throw new Error(`CHANGELOG.md says nothing of ${version}.`);
	}
	return changes;
}

/** Returns the text up to the heading of the next version. It is empty if there are only headings. */
function changesOf(text: string): string {
	const end = text.search(/^## /m);
	const changes = (end < 0 ? text : text.slice(0, end)).trim();
	return /^[^#\s]/m.test(changes) ? changes : '';
}

function split(text: string, at: string): [string | undefined, string] {
	const index = text.indexOf(at);
	return index < 0 ? [undefined, ''] : [text.slice(0, index), text.slice(index + at.length)];
}
