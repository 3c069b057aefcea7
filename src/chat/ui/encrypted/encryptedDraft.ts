import type { SavedState } from '../page.ts';
import type { PageState } from '../pageState.ts';

type Conversation = Pick<PageState, 'conversation' | 'encryption' | 'turns'>;

/** Returns the part of the state that may be stored: nothing typed in a conversation that is not kept. */
export function writableState(state: SavedState, { encryption }: Pick<PageState, 'encryption'>): SavedState {
	if (encryption === undefined || encryption.isKept) {
		return state;
	}
	const { edit: _, sentAs: __, task: ___, ...others } = state;
	return { ...others, draft: '' };
}

/**
 * Returns the state for showing another conversation. Text typed in an encrypted one is removed, so that pressing Enter
 * does not send it unencrypted; the host returns it with its conversation.
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

function withoutDraft({ sentAs: _, draftOf: __, task: ___, ...state }: SavedState): SavedState {
	return { ...state, draft: '' };
}

function withoutEdit({ edit: _, ...state }: SavedState): SavedState {
	return state;
}
