import { belongsTo, type OpenWorkspace, sameFolders } from '../model/workspaceMatch.ts';
import type { ConversationSummary } from '../storage/conversationIndex.ts';

export interface ConversationGroup {
	/** `here`: conversations of this workspace. `none`: conversations from windows without a folder. */
	readonly kind: 'here' | 'other' | 'none';
	/** The name of another workspace, as its windows show it. */
	readonly name?: string;
	/** Sorted by the time of the last write, newest first. */
	readonly conversations: readonly ConversationSummary[];
}

/** Groups this workspace's conversations first, then the others by workspace, most recently used first. */
export function groupConversations(
	conversations: readonly ConversationSummary[],
	open: OpenWorkspace,
): ConversationGroup[] {
	const here = conversations.filter(({ workspace }) => belongsTo(workspace, open));
	const groups: {
		kind: 'other' | 'none';
		name?: string;
		folders: readonly string[];
		conversations: ConversationSummary[];
	}[] = [];
	for (const conversation of conversations) {
		const { workspace } = conversation;
		if (belongsTo(workspace, open)) {
			continue;
		}
		const group = groups.find(({ folders }) => sameFolders(folders, workspace.folders));
		if (group) {
			group.conversations.push(conversation);
		} else {
			const name = workspace.name ?? workspace.folders[0]?.split('/').at(-1);
			const kind = workspace.folders.length === 0 ? 'none' : 'other';
			groups.push({ kind, ...(name ? { name } : {}), folders: workspace.folders, conversations: [conversation] });
		}
	}
	return [
		...(here.length > 0 ? [{ kind: 'here' as const, conversations: here }] : []),
		...groups.map(({ folders: _, ...group }) => group),
	];
}
