import type { SavedState } from '../page.ts';
import type { PageState } from '../pageState.ts';

type Conversation = Pick<PageState, 'conversation' | 'encryption' | 'turns'>;

/** What may be written down: of a conversation that is not kept, nothing that was typed. */
export function writableState(state: SavedState, { encryption }: Pick<PageState, 'encryption'>): SavedState {
	if (encryption === undefined || encryption.isKept) {
		return state;
	}
	const { edit: _, sentAs: __, ...others } = state;
	return { ...others, draft: '' };
}

/**
 * The state as another conversation is shown. What was typed in an encrypted one stays behind there, so that it is not
 * sent in clear by a press of Enter; the host gives it back with that conversation.
 */
export function stateBeyond(state: SavedState, from: Conversation, to: Conversation): SavedState {
	const isLeft = from.conversation !== to.conversation;
	const isEditLeft =
		isLeft && from.encryption?.isKept === false && from.turns.some(({ id }) => id === state.edit?.turn);
	const edited = isEditLeft ? withoutEdit(state) : state;
	const isDraftLeft = state.draftOf !== undefined && state.draftOf !== to.conversation;
	const here = isDraftLeft ? withoutDraft(edited) : edited;
	const held = to.encryption?.draft ?? '';
	return here.draft === '' && held !== '' && to.conversation !== undefined
		? { ...here, draft: held, draftOf: to.conversation }
		: here;
}

function withoutDraft({ sentAs: _, draftOf: __, ...state }: SavedState): SavedState {
	return { ...state, draft: '' };
}

function withoutEdit({ edit: _, ...state }: SavedState): SavedState {
	return state;
}
