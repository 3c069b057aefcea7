// The sources from which the lists of models get their rows.
import type { ListedModel } from '../../contract/modelList.ts';
import type { UnusedServer } from '../../models/api.ts';
import type { Chat } from '../conversation/chat.ts';

/** The models that can be offered for a connection: recently used ones, and those that its service has listed. */
export interface ModelSources {
	/** Resolves to the models that the service lists, or to undefined if it has no readable list. */
	discover(): Promise<ListedModel[] | undefined>;
	/** The recently used models of a connection. */
	recent: { read(connection: string): readonly string[]; write(connection: string, names: string[]): void };
	/** The models that the service listed when it was last asked. */
	found: { read(connection: string): readonly ListedModel[]; write(connection: string, found: ListedModel[]): void };
}

/** The model servers of the local connection that could provide further models. */
export interface ModelServers {
	/** Resolves to those whose models are not in the list. */
	unused(): Promise<readonly UnusedServer[]>;
	/** Lets the user add one, whose model then answers in that conversation. */
	add(chat: Chat): Promise<void>;
}
