import type { RowWords } from '../../src/tasks/model/taskRow.ts';

/** The words for a task's row, short and in no particular language. */
export const rowWords: RowWords = {
	untitled: 'Untitled',
	queued: 'queued',
	running: 'running',
	saving: 'saving',
	stopping: 'stopping',
	archived: 'archived',
	noSandbox: 'no sandbox',
	tests: outcome => `tests ${outcome}`,
	cost: cost =>
		cost.known === 'nothing' ? 'not known' : `${cost.known === 'part' ? 'at least ' : ''}$${cost.dollars}`,
	percent: progress => `${progress} %`,
	outcome: outcome => outcome,
	changes: (added, removed, files) => `+${added} −${removed} in ${files}`,
	agents: count => `${count} agents`,
	pullRequest: number => `PR ${number}`,
	age: milliseconds => `${milliseconds / 60_000} min`,
	follow: state => (state.kind === 'reconnecting' ? `reconnecting at ${state.nextIndex}` : state.kind),
};
