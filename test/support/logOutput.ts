import type { FollowWords } from '../../src/tasks/model/formatEntry.ts';

/** An output channel that only stores its text. */
export class TextOutput {
	text = '';
	isVisible = false;

	append(text: string): void {
		this.text += text;
	}

	clear(): void {
		this.text = '';
	}

	show(): void {
		this.isVisible = true;
	}

	dispose(): void {}
}

/** The texts of Errand's own lines in a log channel. Each whole line is in angle brackets. */
export const followWords: FollowWords = {
	error: 'error',
	warning: 'warning',
	success: 'success',
	reconnecting: (nextIndex, attempt, cause) =>
		`<reconnecting ${attempt} at ${nextIndex}${cause === '' ? '' : `: ${cause}`}>`,
	resumed: nextIndex => `<resumed at ${nextIndex}>`,
	missing: (from, to) => `<missing ${from} to ${to}>`,
	leftOut: index => `<before ${index}>`,
	ended: text => `<ended: ${text}>`,
	notFollowed: reason => `<not followed: ${reason}>`,
	outcome: kind => kind,
};
