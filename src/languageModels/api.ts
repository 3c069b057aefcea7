// The interface of the models offered to the editor, for other features.
import type { Disposable } from '../base/disposable.ts';
import type { ReplyUse } from '../base/replySums.ts';

/** The models that are offered to the editor's chat and to other extensions. */
export interface LanguageModels extends Disposable {
	/** Returns the use by their replies. Rejects with the system's error. */
	use(): Promise<ReplyUse>;
}
