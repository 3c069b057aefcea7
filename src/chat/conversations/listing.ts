import { defined } from '../../base/defined.ts';
import type { WorkspaceTag } from '../model/conversation.ts';
import { belongsTo, foldersKey, type OpenWorkspace } from '../model/workspaceMatch.ts';
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
	const isHere = ({ workspace }: ConversationSummary) => belongsTo(workspace, open);
	const here = conversations.filter(isHere);
	const elsewhere = conversations.filter(conversation => !isHere(conversation));
	const others = Map.groupBy(elsewhere, ({ workspace }) => foldersKey(workspace.folders));
	return [
		...(here.length > 0 ? [{ kind: 'here' as const, conversations: here }] : []),
		...[...others.values()].map(groupElsewhere),
	];
}

function groupElsewhere(conversations: readonly ConversationSummary[]): ConversationGroup {
	const { name, folders }: WorkspaceTag = conversations[0]?.workspace ?? { folders: [] };
	const shown = name ?? folders[0]?.split('/').at(-1);
	return { kind: folders.length === 0 ? 'none' : 'other', ...defined({ name: shown || undefined }), conversations };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Says how long ago a moment was, in the unit that a person would use. Anything older than a week becomes a date. */
export function ageText(moment: number, now: number, language: string): string {
	const age = Math.max(0, now - moment);
	if (age >= 7 * DAY) {
		return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(moment);
	}
	const format = new Intl.RelativeTimeFormat(language, { style: 'short', numeric: 'auto' });
	if (age < MINUTE) {
		return format.format(0, 'second');
	}
	if (age < HOUR) {
		return format.format(-Math.floor(age / MINUTE), 'minute');
	}
	return age < DAY ? format.format(-Math.floor(age / HOUR), 'hour') : format.format(-Math.floor(age / DAY), 'day');
}
