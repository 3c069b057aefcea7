// What other features use of the models that are offered to the editor.
import type { Disposable } from '../base/disposable.ts';
import type { ReplyUse } from '../base/replySums.ts';

/** The models that are offered to the editor's chat and to other extensions. */
export interface LanguageModels extends Disposable {
	/** Returns what their replies have used. Rejects with the system's error. */
	use(): Promise<ReplyUse>;
}
