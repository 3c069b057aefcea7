import { Emitter } from '../../base/event.ts';
import type { Writer } from './conversationWriter.ts';

/** The writer of a conversation that is not kept. It writes nothing. */
export class MemoryWriter implements Writer {
	readonly onDidBranch = new Emitter<{ id: string; branchedFrom: string }>().event;
	readonly onDidRename = new Emitter<string | undefined>().event;

	async save(): Promise<void> {}

	async isStale(): Promise<boolean> {
		return false;
	}

	async settled(): Promise<void> {}
}
