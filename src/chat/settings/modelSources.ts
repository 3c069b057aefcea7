// The sources from which the lists of models get their rows.
import type * as vscode from 'vscode';
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

const RECENT_KEY = 'errand.recentModels';
const FOUND_KEY = 'errand.foundModels';

/** Returns the models that the workspace's state stores by connection. */
export function storedModels(state: vscode.Memento): Pick<ModelSources, 'recent' | 'found'> {
	const keyed = <T>(key: string) => ({
		read: (connection: string) => state.get<T[]>(`${key}.${connection}`) ?? [],
		write: (connection: string, values: T[]) => void state.update(`${key}.${connection}`, values),
	});
	return { recent: keyed(RECENT_KEY), found: keyed(FOUND_KEY) };
}
