import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import { estimateTokens } from '../../base/tokens.ts';
import { requestBudget } from '../../contract/modelLimits.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { askModal, type Explanation, helpfulButton } from '../../platform/notify.ts';
import { PickList } from '../../platform/pick.ts';
import { excessOf, type Measure, shortenedLengths } from '../model/measure.ts';
import type { ContextChip, ContextChips } from './contextChips.ts';

/** Slightly more than the excess is cut, because sizes are estimates and lines are cut whole. */
const MARGIN = 1.02;

/** The limit for all attachments of a message together, in UTF-16 code units. */
const MAXIMUM_TOTAL = 4_000_000;

const attachmentsOf = (chips: readonly ContextChip[]) => chips.map(({ attachment }) => attachment);

export function warningText(chips: readonly ContextChip[], measure: Measure): string | undefined {
	const excess = excessOf(attachmentsOf(chips), measure);
	return excess === 0
		? undefined
		: vscode.l10n.t('About {0} tokens too many for {1}.', formatNumber(excess), measure.model);
}

/** Returns the reason why the context is too long for any model and any task, or undefined. */
export function lengthProblem({ chips }: ContextChips): Explanation | undefined {
	const length = chips.reduce((sum, { attachment }) => sum + attachment.text.length, 0);
	return length > MAXIMUM_TOTAL
		? { message: vscode.l10n.t('Not sent: the context is longer than 4 million characters. Remove some of it.') }
		: undefined;
}

/**
 * Tells the user what is too large and offers to shorten it, until the message fits or is to be sent as it is. Resolves
 * to the reason why it is not sent, or to undefined. `onAsk` is called before the user is asked.
 */
export async function fitContext(
	chips: ContextChips,
	measure: Measure,
	onAsk: () => void,
): Promise<Explanation | undefined> {
	const problem = lengthProblem(chips);
	if (problem) {
		return problem;
	}
	for (;;) {
		const warning = warningText(chips.chips, measure);
		if (warning === undefined) {
			return undefined;
		}
		onAsk();
		const choose = vscode.l10n.t('Select What to Shorten');
		const anyway = vscode.l10n.t('Send Anyway');
		const detail = vscode.l10n.t(
			'{0} accepts about {1} tokens in a message with its history. The sizes are estimates.',
			measure.model,
			formatNumber(requestBudget(measure) ?? 0),
		);
		const chosen = await askModal(warning, detail, ...(chips.chips.length > 0 ? [choose] : []), anyway);
		if (chosen === anyway) {
			return undefined;
		}
		if (chosen !== choose || !(await pickShortened(chips, measure))) {
			// The list of what may be shortened has just been shown. If the chips alone are too large, it can be opened again
			// from them.
			const message = vscode.l10n.t('Not sent: the message is too long for {0}.', measure.model);
			return { message, action: helpfulButton('chooseModel') };
		}
	}
}

/** Shortens the chips that the user selects until everything fits. Resolves to false if the user cancels. */
export async function pickShortened(chips: ContextChips, measure: Measure): Promise<boolean> {
	const leaveOut = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Leave Out') };
	const list = new PickList<vscode.QuickPickItem & { chip: ContextChip }, true>(picker => {
		picker.title = vscode.l10n.t('Shorten Context');
		picker.placeholder = vscode.l10n.t('Select what to shorten until the message fits');
		picker.canSelectMany = true;
		picker.ignoreFocusOut = true;
		picker.onDidTriggerItemButton(({ item }) => {
			chips.remove(item.chip.id);
			if (excessOf(attachmentsOf(chips.chips), measure) === 0) {
				list.end(true);
			} else {
				show();
			}
		});
		picker.onDidAccept(() => {
			shortenChips(
				chips,
				picker.selectedItems.map(({ chip }) => chip),
				excessOf(attachmentsOf(chips.chips), measure),
			);
			list.end(true);
		});
	});
	const show = () => {
		const ticked = new Set(list.current?.selectedItems.map(({ chip }) => chip.id));
		const items = [...chips.chips]
			.filter(({ attachment }) => attachment.image === undefined)
			.sort((one, other) => other.attachment.text.length - one.attachment.text.length)
			.map(chip => ({
				chip,
				label: escapeIcons(chip.attachment.label),
				description: vscode.l10n.t('about {0} tokens', formatNumber(estimateTokens(chip.attachment.text))),
				buttons: [leaveOut],
			}));
		const kept = items.filter(({ chip }) => ticked.has(chip.id));
		list.show(items, undefined, kept.length > 0 ? kept : items.slice(0, 1));
	};
	show();
	return (await list.result) === true;
}

function shortenChips(chips: ContextChips, chosen: readonly ContextChip[], excess: number): void {
	const texts = chosen.map(({ attachment }) => attachment.text);
	const limits = shortenedLengths(texts, Math.ceil(excess * MARGIN));
	for (const [index, chip] of chosen.entries()) {
		const limit = limits[index] ?? 0;
		if (limit < chip.attachment.text.length) {
			chips.limit(chip.id, limit);
		}
	}
}
