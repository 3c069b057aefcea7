import { answerRequest } from '../../base/rpc.ts';
import type { ToPage } from '../protocol/protocol.ts';
import type { ChatComposer } from './components/chatComposer.ts';
import { noAnswerText } from './hostRequests.ts';
import type { Post } from './page.ts';

/** Handles a message that concerns the composer alone. Returns false for any other message. */
export function tellComposer(composer: ChatComposer, message: ToPage, post: Post): boolean {
	switch (message.kind) {
		case 'message-hold':
			composer.held(message.turn, message.waits);
			return true;
		case 'message-refuse':
			composer.refused(message.turn, message.reason, message.action);
			return true;
		case 'draft-send':
			composer.sendDraft();
			return true;
		case 'hint-set':
			composer.say(message.hint);
			return true;
		case 'composer-fill':
			composer.suggest(message.text, message.isAdded);
			return true;
		case 'draft-write':
			void answerRequest(message.request, () => composer.task.write(message.text), {
				post,
				explain: noAnswerText,
			});
			return true;
		case 'task-made':
			composer.task.made(message.prompt);
			return true;
		case 'task-mode-set':
			if (message.isOn) {
				composer.task.set(true);
			} else {
				composer.task.leave();
			}
			return true;
		default:
			return false;
	}
}
