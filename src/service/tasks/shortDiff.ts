const MAXIMUM_LINES = 40;
/** The length of a line in UTF-16 code units. */
const MAXIMUM_LINE = 300;

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
/** A change can contain escape sequences of its own. */
const plain = (text: string) => text.replaceAll('\u001b', '\u241b');

/**
 * Returns the lines between the common beginning and the common end of two texts, coloured, for a log. It is empty if the
 * texts are equal.
 */
export function shortDiff(before: string, after: string): string {
	const [old, now] = [linesOf(before), linesOf(after)];
	let begin = 0;
	while (begin < old.length && begin < now.length && old[begin] === now[begin]) {
		begin++;
	}
	let end = 0;
	while (
		end < old.length - begin &&
		end < now.length - begin &&
		old[old.length - 1 - end] === now[now.length - 1 - end]
	) {
		end++;
	}
	const removed = old.slice(begin, old.length - end).map(line => ({ mark: '-', line, colour: red }));
	const added = now.slice(begin, now.length - end).map(line => ({ mark: '+', line, colour: green }));
	const changes = [...removed, ...added];
	const shown = changes
		.slice(0, MAXIMUM_LINES)
		.map(({ mark, line, colour }) =>
			colour(`${mark} ${plain(line.length > MAXIMUM_LINE ? `${line.slice(0, MAXIMUM_LINE)}…` : line)}`),
		);
	if (changes.length > MAXIMUM_LINES) {
		shown.push(`… and ${changes.length - MAXIMUM_LINES} more lines`);
	}
	return shown.join('\n');
}

function linesOf(text: string): string[] {
	const lines = text.split(/\r?\n/);
	if (lines.at(-1) === '') {
		lines.pop();
	}
	return lines;
}
