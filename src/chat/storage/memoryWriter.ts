import { Emitter } from '../../base/event.ts';
import type { Writer } from './conversationWriter.ts';

/** Of a conversation of which nothing is written: whatever is saved is where it is already. */
export class UnkeptWriter implements Writer {
	readonly onDidBranch = new Emitter<{ id: string; branchedFrom: string }>().event;
	readonly onDidRename = new Emitter<string | undefined>().event;

	async save(): Promise<void> {}

	async isStale(): Promise<boolean> {
		return false;
	}

	async settled(): Promise<void> {}
}
