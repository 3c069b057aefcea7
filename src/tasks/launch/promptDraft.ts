import type * as vscode from 'vscode';
import { DRAFT_KEY, DRAFT_PLACE_KEY } from '../storageKeys.ts';

/** Where the prompt's task is to run; undefined where the user chooses. */
export interface PromptPlace {
	repository?: string | undefined;
	branch?: string | undefined;
}

/** The prompt that was written and not sent, in the workspace's state: of all windows on it the one that was written last. */
export class PromptDraft {
	private readonly state: vscode.Memento;

	constructor(state: vscode.Memento) {
		this.state = state;
	}

	get text(): string {
		const draft = this.state.get<unknown>(DRAFT_KEY);
		return typeof draft === 'string' ? draft : '';
	}

	get place(): PromptPlace {
		return this.state.get<PromptPlace>(DRAFT_PLACE_KEY) ?? {};
	}

	async write(text: string): Promise<void> {
		await this.state.update(DRAFT_KEY, text === '' ? undefined : text);
	}

	async writePlace({ repository, branch }: PromptPlace): Promise<void> {
		const isEmpty = repository === undefined && branch === undefined;
		await this.state.update(DRAFT_PLACE_KEY, isEmpty ? undefined : { repository, branch });
	}

	/** A task was made of `prompt`. Another one that a window has written meanwhile stays. */
	async forget(prompt: string): Promise<void> {
		if (this.text.trim() === prompt.trim()) {
			await this.write('');
			await this.writePlace({});
		}
	}
}
