import type * as vscode from 'vscode';
import type { ModelSources } from './modelSources.ts';

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
