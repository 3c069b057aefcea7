import { cut, oneLine } from '../../base/plainText.ts';
import type { Task } from '../../contract/tasks.ts';
import { taskTitle } from './taskRow.ts';

/** The length of the part of a prompt that is compared, in UTF-16 code units. */
const MAXIMUM_TEXT = 4_000;
/** The length to which an equal beginning is cut, in characters, so that the difference can be seen beside it. */
const MAXIMUM_BEGINNING = 24;
const MAXIMUM_TITLE = 80;

/**
 * Returns titles, by task id, for tasks whose prompts begin alike: with the words in which they differ, or with the
 * model if the prompts are the same.
 */
export function distinctTitles(tasks: readonly Task[], untitled: string): Map<string, string> {
	const titles = new Map<string, string>();
	for (const [title, alike] of Map.groupBy(tasks, task => taskTitle(task, untitled))) {
		if (alike.length > 1) {
			const byText = Map.groupBy(alike, ({ prompt = '' }) => oneLine(prompt.slice(0, MAXIMUM_TEXT)));
			for (const [text, name] of namesOf(title, [...byText.keys()])) {
				const same = byText.get(text) ?? [];
				const hasModels = new Set(same.map(({ selectedModel }) => selectedModel)).size > 1;
				for (const { id, selectedModel = '' } of same) {
					titles.set(
						id,
						hasModels && selectedModel !== '' ? `${name} (${oneLine(selectedModel, MAXIMUM_TITLE)})` : name,
					);
				}
			}
		}
	}
	return titles;
}

/** Returns a title for each of several texts with the same beginning. */
function namesOf(title: string, texts: string[]): [string, string][] {
	const sorted = texts.sort();
	return sorted.map((text, at) => {
		// The neighbours of a text in alphabetical order have the most in common with it.
		const shared = Math.max(...[sorted[at - 1], sorted[at + 1]].map(other => sharedLength(text, other)));
		const rest = shared < text.length ? text.slice(text.lastIndexOf(' ', shared - 1) + 1) : '';
		const beginning = title.length > MAXIMUM_BEGINNING ? cut(title, MAXIMUM_BEGINNING) : `${title} …`;
		return [text, sorted.length === 1 || rest === '' ? title : oneLine(`${beginning} ${rest}`, MAXIMUM_TITLE)];
	});
}

function sharedLength(text: string, other = ''): number {
	let length = 0;
	while (length < text.length && text[length] === other[length]) {
		length++;
	}
	return length;
}
