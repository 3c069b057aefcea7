import * as l10n from '@vscode/l10n';
import { defined } from '../../../base/defined.ts';
import type { HostRequests } from '../hostRequests.ts';
import type { Post } from '../page.ts';
import type { Menu } from './composerMenu.ts';

/** The id of the row that opens the editor's list. No model can have it. */
const ALL = '';

/** The most likely models for a conversation, and a row that opens the list of all others. */
export function modelMenu(conversation: string | undefined, requests: HostRequests, post: Post): Menu {
	const all = { id: ALL, icon: 'search', name: l10n.t('All Models and Options…') } as const;
	return {
		label: l10n.t('Model of This Conversation'),
		rows: requests.ask('models-request', {}).then(models => [
			...models.map(({ id, name, detail, isCurrent }) => ({
				id,
				icon: 'chip' as const,
				name,
				isCurrent,
				...defined({ detail }),
			})),
			all,
		]),
		take: id =>
			post(id === ALL ? { kind: 'model-choose' } : { kind: 'model-use', ...defined({ conversation }), model: id }),
	};
}
