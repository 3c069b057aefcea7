import type { FileWords } from '../../src/tasks/model/fileRow.ts';

/** The words for a changed file's row, short and in no particular language. */
export const fileWords: FileWords = {
	status: status => status,
	lines: (added, removed) => `+${added} −${removed}`,
	spokenLines: (added, removed) => `${added} added ${removed} removed`,
	from: path => `from ${path}`,
	executable: 'now executable',
	notExecutable: 'no longer executable',
	binary: 'binary',
	link: 'link',
	submodule: 'submodule',
	test: 'test',
	tooLarge: 'too large',
	unreadableName: 'unreadable name',
};
