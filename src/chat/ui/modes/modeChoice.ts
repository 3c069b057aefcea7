import type { TemplateResult } from 'lit';
import type { TurnMode } from '../../model/mode.ts';
import type { PageStrings } from '../../protocol/protocol.ts';
import type { CodiconName } from '../codicon.ts';
import { composerChoice } from '../components/composerChoice.ts';
import type { Post } from '../page.ts';

export const MODE_ICONS: Record<TurnMode, CodiconName> = { chat: 'comment', search: 'globe', image: 'file-media' };

export function modeWord(mode: TurnMode, strings: PageStrings): string {
	return { chat: strings.modeChat, search: strings.modeSearch, image: strings.modeImage }[mode];
}

export function modePlaceholder(mode: TurnMode, strings: PageStrings): string {
	return { chat: strings.askChat, search: strings.askSearch, image: strings.askImage }[mode];
}

/** What the conversation's messages ask for, as a choice in the composer's bottom row. */
export function modeChoice(mode: TurnMode, strings: PageStrings, post: Post): TemplateResult {
	return composerChoice({
		icon: MODE_ICONS[mode],
		word: modeWord(mode, strings),
		label: strings.chooseMode,
		press: () => post({ kind: 'mode-pick' }),
	});
}
