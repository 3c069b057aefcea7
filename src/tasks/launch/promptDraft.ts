import type * as vscode from 'vscode';
import { SerialQueue } from '../../base/async.ts';
import { DRAFT_KEY, DRAFT_PLACE_KEY } from '../model/storageKeys.ts';
import type { WishedPlace } from './pickSubject.ts';

/**
 * The prompt that was written but not sent yet, in the workspace's state. If several windows write it, the last one
 * wins.
 */
export class PromptDraft {
	private readonly state: vscode.Memento;
	private readonly writes = new SerialQueue();
	/** The text that this window read or wrote last. */
	private known: string | undefined;

	constructor(state: vscode.Memento) {
		this.state = state;
	}

	get text(): string {
		const draft = this.state.get<unknown>(DRAFT_KEY);
		return typeof draft === 'string' ? draft : '';
	}

	/** The chosen place of the next task. */
	get place(): WishedPlace {
		return this.state.get<WishedPlace>(DRAFT_PLACE_KEY) ?? {};
	}

	/** Returns the draft for the editor that shows it. */
	read(): string {
		this.known = this.text;
		return this.known;
	}

	write(text: string): Promise<void> {
		return this.writes.run(async () => {
			// Clearing the text here must not remove what another window has written meanwhile.
			if (text !== '' || this.text === this.known) {
				await this.state.update(DRAFT_KEY, text === '' ? undefined : text);
				this.known = text;
			}
		});
	}

	async writePlace({ repository, branch }: WishedPlace): Promise<void> {
		const isEmpty = repository === undefined && branch === undefined;
		await this.state.update(DRAFT_PLACE_KEY, isEmpty ? undefined : { repository, branch });
	}

	/** Removes the draft `prompt`. A different draft that another window has written meanwhile stays. */
	forget(prompt: string): Promise<void> {
		return this.writes.run(async () => {
			if (this.text.trim() === prompt.trim()) {
				await this.state.update(DRAFT_KEY, undefined);
			}
		});
	}
}
